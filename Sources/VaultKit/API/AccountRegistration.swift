internal import FoundationEssentials
public import OAuth
internal import Platform
internal import VaultCrypto
public import VaultStore

/// What a vault has to know of an account besides its tokens.
public struct AccountRegistration: Sendable, Hashable {
    /// The account's name.
    public var name: AccountName
    /// The client that the grant was given to; refreshing uses the same.
    public var client: Client
    /// Where tokens come from.
    public var tokenEndpoint: EndpointURL
    /// Where signing in begins, where known.
    public var authorizationEndpoint: EndpointURL?
    /// The authorization server, where known.
    public var issuer: String?
    /// Where its tokens are revoked (RFC 7009), where the server says; without it where its provider
    /// does, when that has the same token endpoint.
    public var revocationEndpoint: EndpointURL?
    /// How they are handed in there.
    package var revocationForm = ProviderRevocation.Form.standard
    /// Where its server tells who signed in.
    package var userinfoEndpoint: EndpointURL?
    /// Who signed in, where the server says.
    public var identity: Identity?
    /// The redirect URI that the client's registration fixes, where it does.
    public var redirectURI: String?
    /// Where the device flow begins, where its discovery does not say.
    package var deviceAuthorizationEndpoint: EndpointURL?
    /// How somebody signs in to it.
    package var signInFlow = SignInFlow.browser
    /// The scope asked for.
    public var requestedScope: Scope
    /// What its refreshes have of their own.
    public var refresh: RefreshOptions
    /// How its requests reach the authorization server.
    public var network = NetworkOptions()
    /// Parameters added to the authorization request when it is signed in anew; never a secret.
    public var authorizationParameters: [RequestParameter] = []
    /// The provider where it is of the person's own; sealed with the account, as its file may change.
    package var ownProvider: ProviderCatalogue.Entry?
    /// What the account is found by, at most 32; a registration without any leaves an account that it
    /// replaces those it has.
    public var tags: Set<AccountTag>
    /// When it is renewed in the background; nil for as before, and normally for a new account.
    public var renewal: RenewalPolicy?
    /// What its access tokens are obtained with.
    public var grantKind: GrantKind

    /// A registration from its parts.
    public init(
        name: AccountName,
        client: Client,
        tokenEndpoint: EndpointURL,
        authorizationEndpoint: EndpointURL? = nil,
        issuer: String? = nil,
        redirectURI: String? = nil,
        requestedScope: Scope = Scope([]),
        refresh: RefreshOptions = RefreshOptions(),
        tags: Set<AccountTag> = [],
        renewal: RenewalPolicy? = nil,
        grantKind: GrantKind = .refreshToken
    ) {
        self.name = name
        self.client = client
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

    /// The registration of a token that is never renewed, as an API key or a personal access token.
    ///
    /// Nothing is ever sent for it, so it has neither a client nor a token endpoint.
    ///
    /// - Parameters:
    ///   - name: The account's name.
    ///   - issuer: Whose token it is, for showing.
    ///   - tags: What the account is found by, at most 32.
    public init(staticToken name: AccountName, issuer: String? = nil, tags: Set<AccountTag> = []) {
        self.init(
            name: name,
            client: Client(id: ClientID(rawValue: "")),
            tokenEndpoint: Self.nowhere,
            issuer: issuer,
            tags: tags,
            grantKind: .static
        )
    }

    /// Names of `.invalid` never resolve (RFC 2606 §2).
    private static let nowhere = EndpointURL(unchecked: "https://static.invalid/")

    /// What an account was signed in with; its tags and its policy are no part of that.
    init(_ settings: AccountSettings) {
        self.init(
            name: settings.name,
            client: settings.client,
            tokenEndpoint: settings.tokenEndpoint,
            authorizationEndpoint: settings.authorizationEndpoint,
            issuer: settings.issuer,
            redirectURI: settings.redirectURI,
            requestedScope: settings.requestedScope,
            refresh: settings.refresh,
            grantKind: settings.grantKind
        )
        network = settings.network
        authorizationParameters = settings.authorizationParameters
        revocationEndpoint = settings.revocationEndpoint
        revocationForm = settings.revocationForm
        userinfoEndpoint = settings.userinfoEndpoint
        ownProvider = settings.ownProvider
        deviceAuthorizationEndpoint = settings.deviceAuthorizationEndpoint
        signInFlow = settings.signInFlow
    }

    /// The provider's entry: that of the person's own, else the catalogue's, where it has one.
    ///
    /// What the entry says is sealed with the account when it is stored: a later catalogue moves no
    /// account to another endpoint.
    package var provider: ProviderCatalogue.Entry? {
        ownProvider ?? refresh.provider.flatMap { ProviderCatalogue.builtIn[$0] }
    }

    /// Refuses what no account can be refreshed with, or found by.
    ///
    /// - Throws: `invalid_input` with the field: `provider` for one that is not in the catalogue,
    ///   `rotation` for a grace period that is none, `refresh_parameters` for a name that the protocol
    ///   itself or a secret has, `authorization_parameters` likewise, `tags` for too many.
    package func check() throws(VaultError) {
        if refresh.provider != nil, provider == nil { throw invalid("provider") }
        // It is stored as text.
        if let rotation = refresh.rotation, RefreshTokenRotation("\(rotation)") != rotation {
            throw invalid("rotation")
        }
        guard refresh.parameters.allSatisfy({ RequestParameter.mayBeNamed($0.name) }) else {
            throw invalid("refresh_parameters")
        }
        guard authorizationParameters.allSatisfy({ RequestParameter.mayBeAsked($0.name) }) else {
            throw invalid("authorization_parameters")
        }
        guard tags.count <= AccountTag.limit else { throw .tooManyTags(name) }
    }

    private func invalid(_ field: String) -> VaultError {
        VaultError(.invalidInput, account: name, facts: [.field: field])
    }

    /// Reads answers of the account's token endpoint.
    package var answerReader: TokenResponseReader {
        TokenResponseReader(
            grantType: grantKind == .clientCredentials ? .clientCredentials : .refreshToken,
            quirks: provider?.quirks ?? ProviderQuirks()
        )
    }

    /// Whether the account of a grant can be renewed.
    package func isRenewable(after response: TokenResponse) -> Bool {
        settings.isRenewable(with: response.refreshToken)
    }

    /// The request that brings the first token of the client's own credentials, as each later one does.
    package var clientCredentialsRequest: HTTPRequest { settings.refreshRequest(nil) }

    /// What is sealed of it.
    private var settings: AccountSettings {
        var settings = AccountSettings(
            name: name,
            client: client,
            tokenEndpoint: tokenEndpoint,
            authorizationEndpoint: authorizationEndpoint,
            issuer: issuer,
            redirectURI: redirectURI,
            requestedScope: requestedScope,
            refresh: completeRefresh,
            tags: tags,
            renewal: renewal ?? .normal,
            grantKind: grantKind
        )
        settings.network = network
        settings.authorizationParameters = authorizationParameters
        (settings.revocationEndpoint, settings.revocationForm) = revocation(by: provider)
        settings.userinfoEndpoint = userinfoEndpoint
        settings.identity = identity
        settings.ownProvider = ownProvider
        settings.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        settings.signInFlow = signInFlow
        return settings
    }

    /// What its refreshes have; what the provider's entry says of refresh tokens is nothing to those who
    /// have none.
    private var completeRefresh: RefreshOptions {
        guard grantKind == .refreshToken else { return refresh }
        return provider?.complete(refresh, tokenEndpoint: tokenEndpoint) ?? refresh
    }

    /// The account to store for a grant, as the pair of some generation.
    func newAccount(
        _ response: TokenResponse,
        id: AccountID?,
        generation: UInt64,
        sent: Moment,
        now: Moment
    ) -> NewAccount {
        let settings = settings
        let refreshToken = settings.kept(response.refreshToken)
        let token = StoredAccessToken(
            value: response.accessToken,
            tokenType: response.tokenType,
            obtained: sent,
            lifetime: response.lifetime,
            grantedScope: response.scope
        )
        let grant = refreshToken.map { _ in
            GrantTimes(signedIn: sent.wall, lifetime: response.refreshTokenLifetime)
        }
        let id = id ?? .random()
        let plan = RenewalPlan(settings, grant: grant, account: id)
        let delay = plan.delay(of: token, refreshIn: response.refreshIn, generation: generation)
        let expiry = token.expiry(at: now)
        // Where nothing is sent, what is due is writing down that it came to its end.
        let due =
            settings.isRenewable(with: refreshToken)
            ? delay.map { sent.wall.addingTimeInterval($0) } : expiry
        return NewAccount(
            id: id,
            settings: settings,
            tokens: TokenSet(
                refreshToken: refreshToken,
                accessTokens: [token],
                grant: grant
            ),
            health: StoredAccount.Health(
                state: grantKind == .static ? .static : .active,
                due: due,
                since: now.wall
            ),
            expiry: expiry
        )
    }
}
