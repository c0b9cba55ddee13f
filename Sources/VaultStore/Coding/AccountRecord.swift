internal import OAuth
internal import VaultCrypto

/// The JSON of an account record.
///
/// The names are part of the file format.
struct AccountRecord: Codable {
    let name: String
    let clientID: String
    let clientSecret: String?
    let clientAuthentication: ClientAuthentication
    let tokenEndpoint: String
    let authorizationEndpoint: String?
    let issuer: String?
    let redirectURI: String?
    let scope: [String]?

    enum CodingKeys: String, CodingKey {
        case name, issuer, scope
        case clientID = "client_id"
        case clientSecret = "client_secret"
        case clientAuthentication = "client_authentication"
        case tokenEndpoint = "token_endpoint"
        case authorizationEndpoint = "authorization_endpoint"
        case redirectURI = "redirect_uri"
    }

    init(_ settings: AccountSettings) {
        name = settings.name.text
        clientID = settings.client.id.rawValue
        clientSecret = settings.client.secret?.reveal { $0 }
        clientAuthentication = settings.client.authentication
        tokenEndpoint = settings.tokenEndpoint.string
        authorizationEndpoint = settings.authorizationEndpoint?.string
        issuer = settings.issuer
        redirectURI = settings.redirectURI
        scope = settings.requestedScope.isEmpty ? nil : settings.requestedScope.names
    }

    /// The settings; endpoints were checked before they were sealed.
    func settings() throws(SealingError) -> AccountSettings {
        guard let name = AccountName(name) else { throw SealingError() }
        return AccountSettings(
            name: name,
            client: Client(
                id: ClientID(rawValue: clientID),
                secret: clientSecret.map { Secret($0) },
                authentication: clientAuthentication
            ),
            tokenEndpoint: EndpointURL(unchecked: tokenEndpoint),
            authorizationEndpoint: authorizationEndpoint.map { EndpointURL(unchecked: $0) },
            issuer: issuer,
            redirectURI: redirectURI,
            requestedScope: Scope(scope ?? [])
        )
    }
}
