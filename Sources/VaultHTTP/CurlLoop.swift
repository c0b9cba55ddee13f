internal import CCurl
internal import OAuth
internal import Platform

/// The transport's thread: all of libcurl's handles live and die here.
final class CurlLoop {
    private let mailbox: Mailbox<CurlMessage>
    private let settings: CurlSettings
    private let thread: CurlThread
    private let multi: UnsafeMutableRawPointer?
    /// What libcurl works at, by its handle.
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    /// Requests to resource servers, those among them that wait for the first piece of their body.
    private var resources: [ObjectIdentifier: ResourceTransfer] = [:]
    private var isClosing: Bool

    /// Connections kept open between requests; there is no limit to those in use.
    private static let keptConnections = 64

    init(mailbox: Mailbox<CurlMessage>, settings: CurlSettings, thread: CurlThread) {
        self.mailbox = mailbox
        self.settings = settings
        self.thread = thread
        multi = CurlLibrary.isReady ? curl_multi_init() : nil
        // Without it every request is refused, and the first round is the last.
        isClosing = multi == nil
        vault_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.keptConnections)
    }

    func run() {
        while true {
            CurlLibrary.use {
                mailbox.takeAll().forEach(receive)
                var running: Int32 = 0
                curl_multi_perform(multi, &running)
                finishTransfers()
                checkResources()
                if isDone { leave() }
            }
            if isDone { return }
            sleep()
        }
    }

    private var isDone: Bool { isClosing && transfers.isEmpty && resources.isEmpty }

    private func leave() {
        // Posted since they were taken.
        mailbox.close().forEach(refuse)
        curl_multi_cleanup(multi)
        thread.leave()
    }

    /// Until a socket, a timer or the mailbox has something; idle, that is for ever.
    private func sleep() {
        var wake = curl_waitfd(
            fd: mailbox.descriptor,
            events: Int16(CURL_WAIT_POLLIN),
            revents: 0
        )
        curl_multi_poll(multi, &wake, 1, millisecondsToCheck, nil)
    }

    // MARK: - Messages

    private func receive(_ message: CurlMessage) {
        switch message {
        case .close:
            close()
        case .send(let request, let route, let continuation):
            guard !isClosing,
                let transfer = TokenTransfer(request, route, settings: settings, then: continuation)
            else { return refuse(message) }
            add(transfer)
        case .reach(let url, let route, let continuation):
            guard !isClosing, let probe = Probe(url, route, settings: settings, then: continuation)
            else { return refuse(message) }
            add(probe)
        case .begin(let exchange):
            guard !isClosing, !exchange.isOver, let transfer = ResourceTransfer(exchange)
            else { return refuse(message) }
            resources[ObjectIdentifier(exchange)] = transfer
            look(transfer)
        case .look(let exchange):
            if let transfer = resources[ObjectIdentifier(exchange)] { look(transfer) }
        case .refuse(let exchange):
            guard let transfer = resources[ObjectIdentifier(exchange)] else { return }
            transfer.fail(.refused)
            remove(transfer)
        }
    }

    private func refuse(_ message: CurlMessage) {
        switch message {
        case .send(_, _, let continuation):
            continuation.resume(returning: .failure(.notSent(.refused)))
        case .reach(_, _, let continuation): continuation.resume(returning: false)
        case .begin(let exchange):
            exchange.end(.failed(HTTPTransportError.notSent(.refused)))
        case .look, .refuse, .close: break
        }
    }

    /// A token that is on its way must not get lost; an answer of a resource server can be.
    private func close() {
        isClosing = true
        for transfer in resources.values {
            transfer.fail(.refused)
            remove(transfer)
        }
    }

    // MARK: - Transfers

    private func add(_ transfer: CurlTransfer) {
        let easy = transfer.handle.pointer
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
            remove(transfer)
            return transfer.finish(CURLE_FAILED_INIT)
        }
        transfers[easy] = transfer
    }

    private func finishTransfers() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message does not survive the removal of its handle.
            let code = vault_curl_message_result(message)
            guard let easy = message.pointee.easy_handle, let transfer = transfers[easy]
            else { continue }
            remove(transfer)
            transfer.finish(code)
        }
    }

    /// Taking a handle out before its end closes its connection.
    private func remove(_ transfer: CurlTransfer) {
        let easy = transfer.handle.pointer
        if transfers.removeValue(forKey: easy) != nil { curl_multi_remove_handle(multi, easy) }
        if let resource = transfer as? ResourceTransfer {
            resources[ObjectIdentifier(resource.exchange)] = nil
        }
    }

    /// Does what the tasks of an exchange have made possible.
    private func look(_ transfer: ResourceTransfer) {
        if transfer.exchange.isOver { return remove(transfer) }
        guard transfer.isBegun else { return begin(transfer) }
        let code = transfer.resume()
        guard code != CURLE_OK else { return }
        remove(transfer)
        transfer.finish(code)
    }

    /// A connection is asked for once there is something to send on it.
    private func begin(_ transfer: ResourceTransfer) {
        let upload = transfer.exchange.upload
        guard upload.isReady, !upload.isStopped else { return }
        guard transfer.begin(settings) == nil else {
            transfer.fail(.refused)
            return remove(transfer)
        }
        add(transfer)
    }

    // MARK: - What libcurl does not see to

    private func checkResources() {
        guard !resources.isEmpty else { return }
        let now = Uptime.seconds()
        for transfer in resources.values where transfer.nextCheck <= now {
            if transfer.isLate(at: now) { transfer.fail(.timedOut) }
            look(transfer)
        }
    }

    private var millisecondsToCheck: Int32 {
        guard let next = resources.values.lazy.map(\.nextCheck).min() else { return .max }
        let seconds = next - Uptime.seconds()
        return Int32((min(max(seconds, 0), 86400) * 1000).rounded(.up))
    }
}
