internal import FoundationEssentials
public import OAuth
public import VaultCrypto
public import VaultKit
public import VaultAccess

/// The JSON that token endpoints answer with.
public enum TokenBodies {
    private struct Grant: Encodable {
        let accessToken: String
        let tokenType = "Bearer"
        let refreshToken: String?
        let expiresIn: Double?
        let scope: String?

        enum CodingKeys: String, CodingKey {
            case scope
            case accessToken = "access_token"
            case tokenType = "token_type"
            case refreshToken = "refresh_token"
            case expiresIn = "expires_in"
        }
    }

    private struct Refusal: Encodable {
        let error: String
        let errorDescription: String?

        enum CodingKeys: String, CodingKey {
            case error
            case errorDescription = "error_description"
        }
    }

    /// The body of a grant (RFC 6749 §5.1); what is nil is left out.
    public static func grant(
        accessToken: String,
        refreshToken: String? = nil,
        expiresIn: Double? = 3600,
        scope: String? = nil
    ) -> Secret {
        json(
            Grant(
                accessToken: accessToken,
                refreshToken: refreshToken,
                expiresIn: expiresIn,
                scope: scope
            )
        )
    }

    /// The body of an error (RFC 6749 §5.2).
    public static func refusal(_ error: String, description: String? = nil) -> Secret {
        json(Refusal(error: error, errorDescription: description))
    }

    private static func json(_ body: some Encodable) -> Secret {
        do {
            return Secret(bytes: Array(try JSONEncoder().encode(body)))
        } catch {
            // Strings always encode; a number that is not finite does not.
            preconditionFailure("a token endpoint cannot answer with this: \(error)")
        }
    }
}

extension TokenResponse {
    /// An answer put together for a test.
    public static func testing(
        accessToken: String,
        refreshToken: String? = nil,
        lifetime: Double? = 3600,
        scope: Scope? = nil
    ) -> TokenResponse {
        TokenResponse(
            accessToken: Secret(accessToken),
            refreshToken: refreshToken.map { Secret($0) },
            lifetime: lifetime,
            scope: scope
        )
    }
}

extension AccountRegistration {
    /// A public client of the authorization server `as.example`.
    ///
    /// A `tokenEndpoint` that is no URL of one is a mistake in the test, and traps.
    public static func testing(
        _ name: AccountName,
        client: String = "client",
        tokenEndpoint: String = "https://as.example/token"
    ) -> AccountRegistration {
        AccountRegistration(
            name: name,
            client: Client(id: ClientID(rawValue: client)),
            tokenEndpoint: endpoint(tokenEndpoint)
        )
    }

    private static func endpoint(_ text: String) -> EndpointURL {
        do {
            return try EndpointURL(text)
        } catch {
            preconditionFailure("\"\(text)\" cannot be a token endpoint: \(error)")
        }
    }
}
