internal import CCurl
internal import OAuth
internal import Platform

/// The transport's thread: all of libcurl's handles live and die here.
final class CurlLoop {
    private let mailbox: Mailbox<CurlMessage>
    private let settings: CurlSettings
    private let thread: CurlThread
    private let multi: UnsafeMutableRawPointer?
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var isClosing = false

    /// Connections kept open between requests.
    private static let keptConnections = 64

    init(mailbox: Mailbox<CurlMessage>, settings: CurlSettings, thread: CurlThread) {
        self.mailbox = mailbox
        self.settings = settings
        self.thread = thread
        multi = CurlLibrary.isReady ? curl_multi_init() : nil
        vault_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.keptConnections)
    }

    func run() {
        while !isDone {
            CurlLibrary.use {
                mailbox.takeAll().forEach(receive)
                var running: Int32 = 0
                curl_multi_perform(multi, &running)
                finishTransfers()
                if isDone { leave() }
            }
            if !isDone { sleep() }
        }
    }

    private var isDone: Bool { isClosing && transfers.isEmpty }

    private func leave() {
        // Posted since they were taken.
        mailbox.close().forEach(refuse)
        curl_multi_cleanup(multi)
        thread.leave()
    }

    /// Until a socket, a timer of libcurl or the mailbox has something; idle, that is for ever.
    private func sleep() {
        var wake = curl_waitfd(
            fd: mailbox.descriptor,
            events: Int16(CURL_WAIT_POLLIN),
            revents: 0
        )
        curl_multi_poll(multi, &wake, 1, .max, nil)
    }

    private func receive(_ message: CurlMessage) {
        switch message {
        case .close:
            isClosing = true
        case .send(let request, let continuation):
            guard !isClosing, let multi,
                let transfer = CurlTransfer(request, settings: settings, then: continuation)
            else { return refuse(message) }
            transfers[transfer.easy] = transfer
            curl_multi_add_handle(multi, transfer.easy)
        }
    }

    private func refuse(_ message: CurlMessage) {
        guard case .send(_, let continuation) = message else { return }
        continuation.resume(returning: .failure(.notSent(.refused)))
    }

    private func finishTransfers() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message does not survive the removal of its handle.
            let code = vault_curl_message_result(message)
            guard let easy = message.pointee.easy_handle,
                let transfer = transfers.removeValue(forKey: easy)
            else { continue }
            curl_multi_remove_handle(multi, easy)
            transfer.finish(code)
        }
    }
}
