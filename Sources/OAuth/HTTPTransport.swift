public import VaultCrypto

/// Sends one HTTP request and returns its answer, whatever the status.
///
/// What a refresh depends on: a request is written to a connection **at most once**. No redirect is
/// followed, nothing is sent again by the transport itself, and nothing of the environment (`.netrc`,
/// proxies) is used: the options of the request alone say how it gets there.
public protocol HTTPTransport: Sendable {
    /// Sends a request once.
    ///
    /// - Throws: ``HTTPTransportError``, which says whether the server may have read the request.
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse

    /// Whether a connection to a server can be had now: one is opened, with TLS where the address says
    /// so, and closed again without a request.
    ///
    /// What cannot be reached need not be tried with a refresh token. A transport that has no
    /// connections says yes, which is the default.
    func canReach(_ url: EndpointURL, through network: NetworkOptions) async -> Bool
}

extension HTTPTransport {
    /// Yes: only a request can tell.
    public func canReach(_ url: EndpointURL, through network: NetworkOptions) async -> Bool { true }
}

/// An HTTP request to an authorization server.
public struct HTTPRequest: Sendable {
    /// The methods the protocol needs.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// The method.
    public var method: Method
    /// Where to: https, or http on a loopback address.
    public var url: EndpointURL
    /// Header fields in the order they are sent, `Authorization` among them.
    public var headers: [HTTPHeader]
    /// The body of a POST.
    public var body: Secret?
    /// Seconds until the whole exchange is given up.
    public var deadline: Double
    /// Bytes of answer body after which the exchange is given up.
    public var maximumBodyBytes: Int
    /// How to get there.
    public var network = NetworkOptions()

    /// A request; 30 seconds and 1 MiB unless told.
    public init(
        _ method: Method,
        _ url: EndpointURL,
        headers: [HTTPHeader] = [],
        body: Secret? = nil,
        deadline: Double = 30,
        maximumBodyBytes: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.maximumBodyBytes = maximumBodyBytes
    }
}

/// One header field, whose value never prints: it may be a credential.
public struct HTTPHeader: Sendable, Hashable {
    /// The field's name.
    public let name: String
    /// The field's value.
    public let value: Secret

    /// A header field from text.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = Secret(value)
    }

    /// A header field whose value is a secret.
    public init(_ name: String, _ value: Secret) {
        self.name = name
        self.value = value
    }
}

/// What the server answered.
public struct HTTPResponse: Sendable {
    /// The status code.
    public let status: Int
    /// Header fields in the order received; obsolete folding undone, names as sent.
    public let headers: [(name: String, value: String)]
    /// The body, a secret because token answers are.
    public let body: Secret

    /// An answer put together from its parts.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: Secret) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header field, its name compared without case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Why there is no answer, and whether the server may have seen the request.
public enum HTTPTransportError: Error, Sendable, Equatable {
    /// Not a byte of the body left this machine: it may be sent again freely.
    case notSent(Reason)
    /// The request may have been read: whether it took effect is unknown.
    case ambiguous(Reason)

    /// What went wrong, without any text of the other side.
    public enum Reason: String, Sendable, Equatable {
        /// The host's name did not resolve.
        case nameNotResolved = "name_not_resolved"
        /// No connection.
        case connectionFailed = "connection_failed"
        /// No TLS session.
        case tlsFailed = "tls_failed"
        /// Nobody who is trusted signed the server's certificate.
        case certificateUntrusted = "certificate_untrusted"
        /// The server's certificate is of another host.
        case certificateOfAnotherHost = "certificate_of_another_host"
        /// The server's certificate has expired, or is not valid yet.
        case certificateExpired = "certificate_expired"
        /// The authorities to trust are no certificates.
        case authoritiesUnusable = "authorities_unusable"
        /// The client's certificate or key cannot be read, is not the client's alone, or is none.
        case clientCertificateUnusable = "client_certificate_unusable"
        /// The proxy was not reached, or refused to pass the request on.
        case proxyFailed = "proxy_failed"
        /// The deadline passed.
        case timedOut = "timed_out"
        /// The connection ended before the answer did.
        case connectionLost = "connection_lost"
        /// The answer is larger than the request allows.
        case answerTooLarge = "answer_too_large"
        /// The answer is not HTTP.
        case malformedAnswer = "malformed_answer"
        /// The transport was closed, or refused the request.
        case refused
    }

    /// The reason alone.
    public var reason: Reason {
        switch self {
        case .notSent(let reason), .ambiguous(let reason): reason
        }
    }
}
