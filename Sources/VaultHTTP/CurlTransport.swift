public import OAuth
internal import Platform

/// A transport over libcurl, to authorization and resource servers: one thread for all requests,
/// started by the first.
///
/// A body is handed over through a read callback that cannot rewind, so that libcurl cannot send it
/// again by itself. A request with options of an account has a connection to itself. A POST to an authorization server has a connection to itself, because a kept one
/// may die under it and leave its outcome unknown. A GET that meets a kept connection the server has just closed may be sent once
/// more, as RFC 9110 §9.2.2 allows for idempotent methods. There is no limit to the connections at
/// one time: no refresh waits behind requests to resource servers.
///
/// Cancelling a task that sends an `HTTPRequest` changes nothing: a request on its way may spend a
/// refresh token, and its answer must not get lost. Only the request's own deadline ends it. A
/// `ResourceRequest` ends with the task that sends it or reads its answer.
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
    ///   - userAgent: The value of the User-Agent header field; line breaks and NULs, which would end
    ///     it, are left out of it.
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

    /// Refuses requests from now on.
    ///
    /// Requests to authorization servers come to their end, and the thread with them. Those to
    /// resource servers end with an error, an answer that is being read after what has come of it.
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
        let route = try CurlRoute(to: request.url, through: request.network)
        let result = await withCheckedContinuation { continuation in
            if !mailbox.post(.send(request, route, continuation)) {
                continuation.resume(returning: .failure(.notSent(.refused)))
            }
        }
        return try result.get()
    }

    /// Whether a connection to a server can be had within five seconds; nothing is sent on it.
    public func canReach(_ url: EndpointURL, through network: NetworkOptions) async -> Bool {
        guard let mailbox = runningMailbox(),
            let route = try? CurlRoute(to: url, through: network)
        else { return false }
        return await withCheckedContinuation { continuation in
            if !mailbox.post(.reach(url, route, continuation)) {
                continuation.resume(returning: false)
            }
        }
    }

    /// Where the thread takes its messages from; the first call starts it.
    func runningMailbox() -> Mailbox<CurlMessage>? {
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

    init(caFile: String?, userAgent: String) {
        self.caFile = caFile
        let bytes = userAgent.utf8.filter { !$0.endsFieldValue }
        self.userAgent = String(decoding: bytes, as: UTF8.self)
    }
}

typealias CurlResult = Result<HTTPResponse, HTTPTransportError>

/// What other threads tell the transport's.
enum CurlMessage: Sendable {
    case send(HTTPRequest, CurlRoute, CheckedContinuation<CurlResult, Never>)
    case reach(EndpointURL, CurlRoute, CheckedContinuation<Bool, Never>)
    case begin(ResourceExchange)
    /// A task has read, given, or let go of something.
    case look(ResourceExchange)
    /// The body is not what was declared. Its upload has stopped, and the thread knows what left.
    case refuse(ResourceExchange)
    case close
}

extension HTTPRequest {
    /// Whether it is what it says on the wire.
    var isSendable: Bool {
        deadline > 0 && maximumBodyBytes >= 0 && !url.string.utf8.contains(0) && headers.areSendable
    }
}
