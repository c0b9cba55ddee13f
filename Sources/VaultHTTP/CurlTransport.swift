public import OAuth
internal import Platform
internal import VaultCrypto

/// An `HTTPTransport` over libcurl: one thread for all requests, started by the first.
///
/// A POST body is handed over through a read callback that cannot rewind, so that libcurl cannot
/// send it again by itself. A GET that meets a kept connection the server has just closed may be
/// sent once more, as RFC 9110 §9.2.2 allows for idempotent methods.
///
/// Cancelling the calling task changes nothing: a request on its way may spend a refresh token, and
/// its answer must not get lost. Only the request's own deadline ends it.
public final class CurlTransport: HTTPTransport {
    private let settings: CurlSettings
    private let worker = Locked(Worker.notStarted)

    private enum Worker {
        case notStarted
        case running(Mailbox<CurlMessage>, CurlThread)
        case closed(CurlThread?)
    }

    /// A transport; nothing is started yet.
    ///
    /// - Parameters:
    ///   - caFile: A file of PEM certificates to trust instead of the system's.
    ///   - userAgent: The value of the User-Agent header field.
    public init(caFile: String? = nil, userAgent: String = "vault/1") {
        settings = CurlSettings(caFile: caFile, userAgent: userAgent)
    }

    /// Nothing is running any more: whoever sends holds on to the transport.
    ///
    /// The thread's end is waited for, because at the end of a program the libraries behind libcurl
    /// tidy up, and must not find its handles half freed. `CurlLibrary` sees to it where this comes
    /// too late.
    deinit {
        close()
        if case .closed(let thread?) = worker.withLock({ $0 }) { CurlLibrary.join(thread) }
    }

    /// Refuses requests from now on; those running come to their end, and the thread with them.
    public func close() {
        let mailbox: Mailbox<CurlMessage>? = worker.withLock { worker in
            switch worker {
            case .notStarted:
                worker = .closed(nil)
                return nil
            case .running(let mailbox, let thread):
                worker = .closed(thread)
                return mailbox
            case .closed: return nil
            }
        }
        mailbox?.post(.close)
    }

    /// Sends a request once.
    ///
    /// - Throws: `HTTPTransportError`, which says whether the server may have read the request.
    public func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        guard request.isSendable, let mailbox = runningMailbox() else { throw .notSent(.refused) }
        let result = await withCheckedContinuation { continuation in
            if !mailbox.post(.send(request, continuation)) {
                continuation.resume(returning: .failure(.notSent(.refused)))
            }
        }
        return try result.get()
    }

    private func runningMailbox() -> Mailbox<CurlMessage>? {
        worker.withLock { worker in
            switch worker {
            case .running(let mailbox, _): return mailbox
            case .closed: return nil
            case .notStarted: break
            }
            guard let (mailbox, thread) = try? start() else { return nil }
            worker = .running(mailbox, thread)
            return mailbox
        }
    }

    private func start() throws(SystemError) -> (Mailbox<CurlMessage>, CurlThread) {
        let mailbox = try Mailbox<CurlMessage>()
        let thread = CurlThread()
        try thread.start { [settings] in
            CurlLoop(mailbox: mailbox, settings: settings, thread: thread).run()
        }
        CurlLibrary.add(thread)
        return (mailbox, thread)
    }
}

/// What holds for every request of one transport.
struct CurlSettings: Sendable {
    let caFile: String?
    let userAgent: String
}

typealias CurlResult = Result<HTTPResponse, HTTPTransportError>

/// What other threads tell the transport's.
enum CurlMessage: Sendable {
    case send(HTTPRequest, CheckedContinuation<CurlResult, Never>)
    case close
}

extension HTTPRequest {
    /// Whether its header fields stay what they are on the wire: a line break would start a new one.
    var isSendable: Bool {
        guard deadline > 0, maximumBodyBytes >= 0, !url.string.utf8.contains(0) else {
            return false
        }
        return headers.allSatisfy { header in
            !header.name.isEmpty
                && !header.name.utf8.contains { $0 <= 32 || $0 == UInt8(ascii: ":") }
                && header.value.reveal { !$0.utf8.contains { [0, 10, 13].contains($0) } }
        }
    }
}
