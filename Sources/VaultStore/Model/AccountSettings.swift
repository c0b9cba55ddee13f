package import OAuth

/// What an account is, as opposed to the tokens it has: sealed as one record.
package struct AccountSettings: Sendable, Hashable {
    package var name: AccountName
    /// The registration that obtained the grant; refreshing always uses this one.
    package var client: Client
    package var tokenEndpoint: EndpointURL
    package var authorizationEndpoint: EndpointURL?
    package var issuer: String?
    /// The redirect URI that the client's registration fixes, where it does.
    package var redirectURI: String?
    /// The scope asked for.
    package var requestedScope: Scope
    /// What its refreshes have of their own.
    package var refresh: RefreshOptions

    package init(
        name: AccountName,
        client: Client,
        tokenEndpoint: EndpointURL,
        authorizationEndpoint: EndpointURL? = nil,
        issuer: String? = nil,
        redirectURI: String? = nil,
        requestedScope: Scope = Scope([]),
        refresh: RefreshOptions = RefreshOptions()
    ) {
        self.name = name
        self.client = client
        self.tokenEndpoint = tokenEndpoint
        self.authorizationEndpoint = authorizationEndpoint
        self.issuer = issuer
        self.redirectURI = redirectURI
        self.requestedScope = requestedScope
        self.refresh = refresh
    }
}

extension AccountSettings {
    /// Where its refreshes go.
    package var refreshEndpoint: EndpointURL { refresh.endpoint ?? tokenEndpoint }
}
