public import VaultCrypto

extension Ledger {
    /// What a test authorization server counts.
    public struct Counters: Sendable, Hashable {
        /// Requests at the token endpoint by grant type, refused and dropped ones included.
        public internal(set) var tokenRequestsPerGrantType: [String: Int] = [:]
        /// Requests that carried a refresh token, whatever came of them.
        public internal(set) var postsPerRefreshToken: [Secret: Int] = [:]
        /// Refreshes that gave tokens.
        public internal(set) var refreshesPerSubject: [String: Int] = [:]
        /// Used refresh tokens that came again; each revoked its grant.
        public internal(set) var reuseDetections = 0
        /// Used codes that came again; each revoked what it had given.
        public internal(set) var codeReuseDetections = 0
        /// Requests at the revocation endpoint by an authenticated client.
        public internal(set) var revocations = 0
        /// Access tokens the protected resource accepted.
        public internal(set) var apiAccepted = 0
        /// Access tokens it refused, and requests without one.
        public internal(set) var apiRefused = 0

        /// Requests at the token endpoint.
        public var tokenRequests: Int { tokenRequestsPerGrantType.values.reduce(0, +) }

        /// Refreshes that gave tokens, over all subjects.
        public var refreshes: Int { refreshesPerSubject.values.reduce(0, +) }

        mutating func count(tokenRequest grantType: String, refreshToken: Secret?) {
            tokenRequestsPerGrantType[grantType, default: 0] += 1
            if let refreshToken { postsPerRefreshToken[refreshToken, default: 0] += 1 }
        }
    }
}
