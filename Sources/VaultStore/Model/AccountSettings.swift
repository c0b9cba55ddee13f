package import OAuth
package import VaultAccess
package import VaultCrypto

/// What an account is, as opposed to the tokens it has: sealed as one record.
package struct AccountSettings: Sendable, Hashable {
    package var name: AccountName
    /// The registration that obtained the grant; refreshing always uses this one.
    package var client: Client
    /// Another secret of the client's, which takes the place of its secret when that is refused.
    package var otherSecret: Secret?
    package var tokenEndpoint: EndpointURL
    package var authorizationEndpoint: EndpointURL?
    package var issuer: String?
    /// Where its tokens are revoked, where the server says.
    package var revocationEndpoint: EndpointURL?
    /// How they are handed in there.
    package var revocationForm = ProviderRevocation.Form.standard
    /// Where its server tells who signed in.
    package var userinfoEndpoint: EndpointURL?
    /// Who signed in, where the server says.
    package var identity: Identity?
    /// Where the device flow begins, where its discovery does not say.
    package var deviceAuthorizationEndpoint: EndpointURL?
    /// How somebody signs in to it.
    package var signInFlow = SignInFlow.browser
    /// The redirect URI that the client's registration fixes, where it does.
    package var redirectURI: String?
    /// The scope asked for.
    package var requestedScope: Scope
    /// What its refreshes have of their own.
    package var refresh: RefreshOptions
    /// How its requests reach the authorization server.
    package var network = NetworkOptions()
    /// Parameters added to its authorization requests.
    package var authorizationParameters: [RequestParameter] = []
    /// The provider where it is of the person's own, as its file said at the sign-in.
    package var ownProvider: ProviderCatalogue.Entry?
    /// What it is found by.
    package var tags: Set<AccountTag>
    /// When it is renewed in the background.
    package var renewal: RenewalPolicy
    /// What its access tokens are obtained with.
    package var grantKind: GrantKind

    package init(
        name: AccountName,
        client: Client,
        otherSecret: Secret? = nil,
        tokenEndpoint: EndpointURL,
        authorizationEndpoint: EndpointURL? = nil,
        issuer: String? = nil,
        redirectURI: String? = nil,
        requestedScope: Scope = Scope([]),
        refresh: RefreshOptions = RefreshOptions(),
        tags: Set<AccountTag> = [],
        renewal: RenewalPolicy = .normal,
        grantKind: GrantKind = .refreshToken
    ) {
        self.name = name
        self.client = client
        self.otherSecret = otherSecret
        self.tokenEndpoint = tokenEndpoint
        self.authorizationEndpoint = authorizationEndpoint
        self.issuer = issuer
        self.redirectURI = redirectURI
        self.requestedScope = requestedScope
        self.refresh = refresh
        self.tags = tags
        self.renewal = renewal
        self.grantKind = grantKind
    }
}

extension AccountSettings {
    /// The same with the client's other secret, where it has another one.
    package var withOtherSecret: AccountSettings? {
        guard let otherSecret, otherSecret != client.secret else { return nil }
        var settings = self
        settings.otherSecret = client.secret
        settings.client = Client(
            id: client.id,
            secret: otherSecret,
            authentication: client.authentication
        )
        return settings
    }

    /// The secret to keep beside a new one; nil when there is none, or none but that.
    ///
    /// Giving a client the secret that it has already leaves the one before it in its place.
    package func secretBefore(_ new: Secret) -> Secret? {
        let old = client.secret == new ? otherSecret : client.secret
        return old == new ? nil : old
    }

    /// Where its refreshes go.
    package var refreshEndpoint: EndpointURL { refresh.endpoint ?? tokenEndpoint }
}
