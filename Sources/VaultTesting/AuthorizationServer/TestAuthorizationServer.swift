internal import FoundationEssentials
internal import Platform
public import VaultCrypto
internal import VaultHTTPServer

/// An OAuth 2.0 authorization server on 127.0.0.1 for tests and demonstrations.
///
/// It consents to everything at once, keeps a ledger of all it gave, and does to a token request
/// what a script says. Its endpoints: discovery (OpenID and RFC 8414), `/authorize` (code with PKCE
/// S256), `/token`, `/device_authorization` with its page `/device`, `/revoke`, a protected resource
/// `/api/whoami`, and for programs in other languages `/test/stats`, `/test/grant`, `/test/script`, `/test/standing` and `/test/issue`.
public final class TestAuthorizationServer: Sendable {
    /// The issuer and base of all endpoints, such as `http://127.0.0.1:40123`.
    public let issuer: String
    private let core: AuthorizationServerCore
    private let server: HTTPServer

    /// Starts a server, which runs until `stop()` or until the last reference goes.
    ///
    /// - Parameters:
    ///   - settings: How it behaves.
    ///   - clock: Seconds since 1970; the machine's clock unless told.
    /// - Throws: A system error when the port cannot be had.
    public init(_ settings: Settings = Settings(), clock: @escaping Clock = systemClock) throws {
        let listener = try ListeningSocket.loopback(port: settings.port)
        let issuer = "http://127.0.0.1:\(listener.port)"
        let core = AuthorizationServerCore(settings, issuer: issuer, clock: clock)
        self.issuer = issuer
        self.core = core
        var limits = HTTPServerLimits()
        limits.connections = 4096
        server = try HTTPServer(on: listener, limits: limits) { await core.answer($0) }
    }

    /// Where the server takes the time from: seconds since 1970.
    public typealias Clock = @Sendable () -> Double

    /// The machine's wall clock.
    public static let systemClock: Clock = { SystemClock().now().wall.timeIntervalSince1970 }

    /// The token endpoint.
    public var tokenEndpoint: String { issuer + Endpoint.token.rawValue }
    /// The authorization endpoint.
    public var authorizationEndpoint: String { issuer + Endpoint.authorize.rawValue }
    /// The revocation endpoint.
    public var revocationEndpoint: String { issuer + Endpoint.revoke.rawValue }
    /// A resource that wants a bearer token and answers whose it is.
    public var protectedResource: String { issuer + Endpoint.whoami.rawValue }

    /// Everything given and counted so far.
    public var ledger: Ledger { core.ledger }

    /// Says what the next token requests meet, one entry each, after those said before.
    public func script(_ answers: [ScriptedTokenAnswer]) {
        core.script(answers)
    }

    /// Says what token requests without a script of their own meet.
    public func setStanding(_ answer: ScriptedTokenAnswer) {
        core.setStanding(answer)
    }

    /// A grant and its first pair without any request.
    public func issue(
        subject: String,
        client: String = "test-public",
        scope: String = "read"
    )
        -> TokenPair
    {
        core.issue(subject: subject, client: client, scope: scope)
    }

    /// The token response that gives a pair, as JSON.
    public func tokenResponse(_ pair: TokenPair) -> Secret {
        Secret(bytes: core.tokenResponse(pair).body)
    }

    /// Revokes an access token alone, or with a refresh token the whole grant (RFC 7009 §2.1).
    public func revoke(_ token: Secret, client: String = "test-public") {
        core.withLedger { $0.revoke(token, client: client) }
    }

    /// Stops accepting, lets running answers finish, and ends.
    public func stop() async {
        await server.stop()
    }
}

/// The paths the server knows.
enum Endpoint: String {
    case openIDConfiguration = "/.well-known/openid-configuration"
    case serverMetadata = "/.well-known/oauth-authorization-server"
    case authorize = "/authorize"
    case token = "/token"
    case revoke = "/revoke"
    case deviceAuthorization = "/device_authorization"
    case device = "/device"
    case register = "/register"
    case whoami = "/api/whoami"
    case stats = "/test/stats"
    case grant = "/test/grant"
    case script = "/test/script"
    case standing = "/test/standing"
    case issue = "/test/issue"
}
