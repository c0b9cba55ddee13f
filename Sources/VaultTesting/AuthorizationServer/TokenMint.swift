internal import FoundationEssentials
internal import VaultCrypto

/// Makes tokens and codes: numbered, so that a ledger is reproducible, and salted, so that two
/// servers never make the same.
struct TokenMint: Sendable {
    let prefix: String
    let salt: String
    let format: TestAuthorizationServer.AccessTokenFormat
    let issuer: String
    let lifetime: Double
    private var serial = 0

    init(
        prefix: String,
        salt: String,
        format: TestAuthorizationServer.AccessTokenFormat,
        issuer: String,
        lifetime: Double
    ) {
        self.prefix = prefix
        self.salt = salt
        self.format = format
        self.issuer = issuer
        self.lifetime = lifetime
    }

    mutating func code() -> Secret {
        Secret(word("code"))
    }

    /// A new access token, with a new refresh token unless one is to stay.
    mutating func pair(
        subject: String,
        client: String,
        scope: String,
        refreshToken: Secret? = nil,
        now: Double
    ) -> TokenPair {
        let expiry = now + lifetime
        let name = word("at")
        let claims = Claims(
            iss: issuer,
            sub: subject,
            client_id: client,
            scope: scope,
            iat: Int(now),
            exp: Int(expiry),
            jti: name
        )
        return TokenPair(
            accessToken: Secret(format == .jwt ? jwt(claims, signature: name) : name),
            refreshToken: refreshToken ?? Secret(word("rt")),
            expiry: expiry,
            scope: scope,
            subject: subject
        )
    }

    private mutating func word(_ kind: String) -> String {
        serial += 1
        return "\(prefix)-\(kind)-\(serial)-\(salt)"
    }

    /// Named as on the wire (RFC 9068 §2.2).
    private struct Claims: Encodable {
        let iss: String
        let sub: String
        let client_id: String
        let scope: String
        let iat: Int
        let exp: Int
        let jti: String
    }

    private func jwt(_ claims: Claims, signature: String) -> String {
        let payload = (try? JSONEncoder().encode(claims)) ?? Data()
        let header = Data(#"{"alg":"none","typ":"at+jwt"}"#.utf8)
        return "\(Base64URL.encode(header)).\(Base64URL.encode(payload)).\(signature)"
    }
}

/// Base64 with the alphabet for URLs and no padding (RFC 4648 §5).
enum Base64URL {
    static func encode(_ data: Data) -> String {
        String(
            data.base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            }
        )
    }
}
