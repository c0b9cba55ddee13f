/// How the requests of one account reach its authorization server.
///
/// They hold for all of its requests alike: discovery, the exchange of a code, refreshing, revoking.
/// Without any a request goes there directly and trusts the certificates that the system trusts;
/// nothing is ever taken from the environment.
public struct NetworkOptions: Sendable, Hashable {
    /// What requests go through; never those to this machine itself.
    public var proxy: ProxyURL?
    /// Whose certificates are trusted in place of the system's; nil for the system's.
    public var certificateAuthorities: CertificateAuthorities?
    /// What the client shows of itself when a TLS connection begins (RFC 8705).
    public var clientCertificate: ClientCertificate?

    /// Options; none unless told.
    public init(
        proxy: ProxyURL? = nil,
        certificateAuthorities: CertificateAuthorities? = nil,
        clientCertificate: ClientCertificate? = nil
    ) {
        self.proxy = proxy
        self.certificateAuthorities = certificateAuthorities
        self.clientCertificate = clientCertificate
    }

    /// Whether requests go out as if there were no options.
    package var areUsual: Bool { self == NetworkOptions() }
}

extension HTTPTransport {
    /// The same transport for the requests of an account that has options of its own.
    package func through(_ network: NetworkOptions) -> any HTTPTransport {
        network.areUsual ? self : AccountTransport(transport: self, network: network)
    }
}

/// Gives every request the options of one account.
private struct AccountTransport: HTTPTransport {
    let transport: any HTTPTransport
    let network: NetworkOptions

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        var request = request
        request.network = network
        return try await transport.send(request)
    }

    func canReach(_ url: EndpointURL, through _: NetworkOptions) async -> Bool {
        await transport.canReach(url, through: network)
    }
}
