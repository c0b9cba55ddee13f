import OAuth
import Testing
import VaultCrypto

@Suite struct NetworkOptionsTests {
    @Test(
        "a proxy in one form",
        arguments: [
            ("http://proxy.example:3128", "http://proxy.example:3128"),
            ("HTTPS://Proxy.Example:443/", "https://proxy.example:443"),
            ("socks5://127.0.0.1:1080", "socks5://127.0.0.1:1080"),
            ("socks5h://[::1]:1080", "socks5h://[::1]:1080"),
        ]
    )
    func proxy(text: String, form: String) throws {
        #expect(try ProxyURL(text).text == form)
        #expect(try ProxyURL(form) == ProxyURL(text))
    }

    @Test(
        "no proxy",
        arguments: [
            ("", .unknownScheme), ("proxy.example:3128", .unknownScheme),
            ("socks4://proxy.example:1", .unknownScheme), ("ftp://proxy.example:1", .unknownScheme),
            ("http://user:word@proxy.example:1", .userInfo), ("http://u@p.example:1", .userInfo),
            ("http://proxy.example", .portMissing), ("http://proxy.example/", .portMissing),
            ("http://proxy.example:0", .malformed), ("http://proxy.example:65536", .malformed),
            ("http://:1", .malformed), ("http://", .malformed),
            ("http://p.example:1/x", .malformed),
            ("http://p.example:1?x", .malformed), ("http://p.example:1#x", .malformed),
            ("http://p.example:1//", .malformed), ("http://pröxy.example:1", .malformed),
            ("http://p.example:1\n", .malformed), ("http:// p.example:1", .malformed),
            ("http://p.example:01", .portMissing),
        ] as [(String, ProxyURLError)]
    )
    func noProxy(text: String, error: ProxyURLError) {
        #expect(throws: error) { try ProxyURL(text) }
    }

    private static let one = "-----BEGIN CERTIFICATE-----\nMIIBAA==\n-----END CERTIFICATE-----"

    @Test func certificatesAreKeptWithoutWhatStandsAroundThem() throws {
        let text = "Subject: CN=one\n\(Self.one)\r\nwords\n\(Self.one)\n"
        let authorities = try CertificateAuthorities(pem: text)
        #expect(authorities.pem == "\(Self.one)\n\(Self.one)\n")
        #expect(try CertificateAuthorities(pem: authorities.pem) == authorities)
        let windows = Self.one.replacing("\n", with: "\r\n")
        #expect(try CertificateAuthorities(pem: windows).pem == Self.one + "\n")
    }

    @Test(
        "no certificates",
        arguments: [
            ("", .noCertificate), ("words", .noCertificate),
            (one + "\n-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----", .privateKey),
            ("-----BEGIN CERTIFICATE-----\nMIIB", .malformed),
            ("-----BEGIN CERTIFICATE-----\n<html>\n-----END CERTIFICATE-----", .malformed),
            ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", .malformed),
            (String(repeating: one + "\n", count: 3000), .tooLarge),
        ] as [(String, CertificateError)]
    )
    func noCertificates(text: String, error: CertificateError) {
        #expect(throws: error) { try CertificateAuthorities(pem: text) }
    }

    @Test(arguments: [
        ("/a/c.pem", "/a/c.key", true), ("/a/b.pem", "/a/b.pem", true), ("c.pem", "/k", false),
        ("/c", "k", false), ("/a/../c", "/k", false), ("/c\0", "/k", false), ("", "", false),
    ])
    func clientCertificatesHaveAbsolutePaths(certificate: String, key: String, isFit: Bool) {
        let files = ClientCertificate(certificatePath: certificate, keyPath: key)
        #expect((files != nil) == isFit)
    }

    @Test(arguments: [
        ("audience", true), ("prompt", true), ("login_hint", true), ("resource", true),
        ("access_type", true), ("redirect_uri", false), ("Redirect_URI", false), ("state", false),
        ("response_type", false), ("response_mode", false), ("scope", false),
        ("code_challenge_method", false), ("client_id", false), ("client_secret", false),
        ("request", false), ("request_uri", false), ("nonce", false), ("", false),
    ])
    func whatTheProtocolDecidesIsNobodysParameter(name: String, isFit: Bool) {
        #expect(RequestParameter.mayBeAsked(name) == isFit)
    }

    /// Keeps what it was given.
    private struct Noting: HTTPTransport {
        let seen: @Sendable (NetworkOptions) -> Void

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            seen(request.network)
            return HTTPResponse(status: 404, body: Secret(""))
        }

        func canReach(_ url: EndpointURL, through network: NetworkOptions) async -> Bool {
            seen(network)
            return true
        }
    }

    @Test func everyRequestOfAnAccountHasItsOptions() async throws {
        let options = NetworkOptions(proxy: try ProxyURL("http://proxy.example:1"))
        try await confirmation(expectedCount: 4) { confirm in
            let transport = Noting { if $0 == options { confirm() } }.through(options)
            let request = HTTPRequest(.get, try EndpointURL("https://as.example/"))
            _ = try await transport.send(request)
            _ = await transport.canReach(request.url, through: NetworkOptions())
            _ = try? await AuthorizationServerMetadata.discover(
                issuer: "https://as.example",
                using: transport
            )
        }
    }
}
