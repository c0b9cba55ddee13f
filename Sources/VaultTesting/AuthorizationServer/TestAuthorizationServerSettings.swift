public import VaultCrypto

extension TestAuthorizationServer {
    /// How a test authorization server behaves.
    public struct Settings: Sendable {
        /// What happens to used refresh tokens.
        public var profile: RotationProfile = .strict
        /// Seconds an access token lives.
        public var accessTokenLifetime: Double = 3600
        /// Seconds a refresh token lives without being used, for ever when absent.
        public var refreshTokenLifetime: Double?
        /// What an access token looks like.
        public var accessTokenFormat = AccessTokenFormat.opaque
        /// Every token, code and secret in an answer begins with it, or ends in it for a JWT, so
        /// that a test can search for what must not show up.
        public var tokenPrefix = "test"
        /// The clients that are known.
        public var clients = [Client("test-public")]
        /// What holds for token requests without a script of their own.
        public var standing = ScriptedTokenAnswer()
        /// Seconds that a device code lives.
        package var deviceCodeLifetime = 600.0
        /// Seconds that there have to be between the polls of a device.
        package var deviceInterval = 5.0
        /// Who may register itself.
        package var registration = Registration.nobody
        /// The port on 127.0.0.1, 0 for a free one.
        public var port: UInt16 = 0

        /// A strict server with one public client, `test-public`, on a free port.
        public init() {}
    }

    /// What an access token looks like.
    public enum AccessTokenFormat: Sendable {
        /// A word without meaning.
        case opaque
        /// Three parts with `exp`, `iat`, `iss` and `sub`, not signed.
        case jwt
    }

    /// A client of the server.
    public struct Client: Sendable {
        /// Its identifier.
        public let id: String
        /// Its secret; a client without one is public.
        public let secret: Secret?
        /// Redirect addresses it may use besides http on a loopback address.
        public let redirectURIs: [String]

        /// A client, public unless it has a secret.
        public init(_ id: String, secret: Secret? = nil, redirectURIs: [String] = []) {
            self.id = id
            self.secret = secret
            self.redirectURIs = redirectURIs
        }
    }
}
