internal import OAuth
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// Where a sign-in goes, and what is known of who answers there.
struct SignInServer: Sendable {
    /// Where its endpoints come from.
    enum Source: Sendable {
        /// Its metadata, asked for now.
        case discovery(issuer: String)
        /// The provider's entry, or the account's seal.
        case known(AuthorizationServerMetadata)
    }

    let source: Source
    /// The provider, where somebody named one.
    let provider: KnownProvider?
    /// Whether it is the one that the account was signed in at before.
    let isRemembered: Bool
    /// Whether somebody says anew where it goes, or by which endpoints.
    let isNamed: Bool
    /// The provider's entry where it is of the person's own, to be sealed with the account.
    let ownEntry: ProviderCatalogue.Entry?
    private let pinned: [EndpointURL]
    /// What the account has of it, where it is the same.
    private let remembered: AccountRegistration?

    /// The server that a command names, else the one of the account's last sign-in.
    ///
    /// An issuer that is told stands above the provider's endpoints; the provider then says how its
    /// answers are read.
    init(
        _ document: BeginSignInDocument,
        remembered: AccountRegistration?,
        providers: ProviderFolder?
    ) throws {
        let named = try document.provider.map {
            // Where an issuer is told, the provider's own endpoints are not asked for.
            try Self.provider(named: $0, providers)
                .filled(document.providerParameters ?? [:], needsAll: document.issuer == nil)
        }
        if let issuer = document.issuer {
            source = .discovery(issuer: issuer)
            isRemembered = remembered?.issuer == issuer
            provider = named ?? (isRemembered ? remembered?.knownProvider : nil)
        } else if let named {
            source = try Self.source(of: named)
            provider = named
            isRemembered =
                source.isSame(as: remembered) && remembered?.refresh.provider == named.name
        } else if let remembered {
            source = try Self.source(of: remembered)
            provider = remembered.knownProvider
            isRemembered = true
        } else {
            throw VaultError(.invalidInput, facts: [.field: "issuer", .reason: "missing"])
        }
        if let named {
            ownEntry = named.file == nil ? nil : named.entry
        } else {
            ownEntry = provider == nil ? nil : remembered?.ownProvider
        }
        isNamed =
            document.issuer != nil || document.provider != nil
            || document.network?.clientCertificate != nil
        let endpoints = [
            remembered?.tokenEndpoint, remembered?.authorizationEndpoint,
            remembered?.deviceAuthorizationEndpoint, remembered?.revocationEndpoint,
        ]
        pinned = endpoints.compactMap(\.self)
        self.remembered = isRemembered ? remembered : nil
    }

    private static func provider(
        named name: String,
        _ providers: ProviderFolder?
    ) throws -> KnownProvider {
        let builtIn = ProviderCatalogue.builtIn[name].map { KnownProvider(name: name, entry: $0) }
        guard let known = try builtIn ?? providers?.provider(named: name) else {
            throw VaultError(
                .invalidInput,
                facts: [.field: "provider", .reason: "unknown", .found: name]
            )
        }
        return known
    }

    private static func source(of provider: KnownProvider) throws -> Source {
        if let metadata = provider.entry.metadata { return .known(metadata) }
        if let issuer = provider.entry.signIn.issuer { return .discovery(issuer: issuer.text) }
        throw VaultError(
            .invalidInput,
            facts: [.field: "provider", .reason: "no_sign_in", .found: provider.name]
        )
    }

    private static func source(of account: AccountRegistration) throws -> Source {
        if let issuer = account.issuer { return .discovery(issuer: issuer) }
        if let metadata = account.metadata { return .known(metadata) }
        // An account that was added: its provider says where it is signed in, when it is the same.
        if let metadata = account.provider?.metadata,
            metadata.tokenEndpoint == account.tokenEndpoint
        {
            return .known(metadata)
        }
        throw VaultError(.invalidInput, facts: [.field: "issuer", .reason: "missing"])
    }

    /// What is shown of it: an endpoint that the account has already is nothing new.
    func document(
        _ metadata: AuthorizationServerMetadata,
        flow: SignInFlow
    ) -> SignInServerDocument {
        let page: EndpointName = flow == .device ? .deviceAuthorization : .authorization
        let shown: [EndpointName] = [page, .token, .revocation]
        let new = metadata.endpoints.filter { shown.contains($0.key) && !pinned.contains($0.value) }
        return SignInServerDocument(
            provider: provider?.name,
            file: provider?.file,
            newEndpoints: Dictionary(
                uniqueKeysWithValues: new.map { ($0.key.rawValue, $0.value.string) }
            )
        )
    }

    /// Adds to what the server publishes what is known otherwise of how it takes tokens back.
    ///
    /// The provider's entry tells before the metadata does, as long as both are of one server.
    func complete(_ metadata: inout AuthorizationServerMetadata) {
        let entry = provider?.entry
        let isEntrys =
            entry?.tokenEndpoint.map { $0 == metadata.tokenEndpoint }
            ?? (entry?.signIn.issuer?.text == issuer)
        if isEntrys, let told = entry?.signIn.revocation, let endpoint = told.endpoint.url {
            metadata.revocationEndpoint = endpoint
            metadata.revocationForm = told.form
        } else if let remembered, remembered.revocationForm != .standard {
            metadata.revocationEndpoint = remembered.revocationEndpoint
            metadata.revocationForm = remembered.revocationForm
        }
        metadata.userinfoEndpoint = metadata.userinfoEndpoint ?? remembered?.userinfoEndpoint
    }

    /// Refuses endpoints that are others than the account's, unless somebody says anew where it goes:
    /// no credentials go where nobody agreed to.
    func refuseMoved(_ metadata: AuthorizationServerMetadata) throws(VaultError) {
        guard !isNamed, let remembered, remembered.grantKind != .static else { return }
        let bound: [(name: EndpointName, old: EndpointURL?, new: EndpointURL?)] = [
            (.token, remembered.tokenEndpoint, metadata.tokenEndpoint),
            (.authorization, remembered.authorizationEndpoint, metadata.authorizationEndpoint),
        ]
        for (name, old, new) in bound {
            guard let old, let new, old != new else { continue }
            throw VaultError(
                .signInFailed,
                account: remembered.name,
                facts: [.reason: "endpoint_moved", .field: name.rawValue, .found: new.string]
            )
        }
    }

    /// Where the device flow begins by the provider's entry; what is discovered is not told here.
    var deviceAuthorizationEndpoint: EndpointURL? {
        guard case .known = source else { return nil }
        return provider?.entry.signIn.deviceAuthorizationEndpoint?.url
    }

    /// The issuer to remember, and to ask for changes of the endpoints.
    var issuer: String? {
        switch source {
        case .discovery(let issuer): issuer
        case .known: provider?.entry.signIn.issuer?.text
        }
    }
}

extension SignInServer.Source {
    /// Whether an account was signed in at the same place before.
    fileprivate func isSame(as account: AccountRegistration?) -> Bool {
        switch self {
        case .discovery(let issuer): account?.issuer == issuer
        case .known(let metadata): account?.tokenEndpoint == metadata.tokenEndpoint
        }
    }
}

extension AccountRegistration {
    /// The provider that the account was signed in at.
    fileprivate var knownProvider: KnownProvider? {
        guard let name = refresh.provider, let provider else { return nil }
        return KnownProvider(name: name, entry: provider)
    }

    /// What discovery found when the account was signed in.
    fileprivate var metadata: AuthorizationServerMetadata? {
        var endpoints: [EndpointName: EndpointURL] = [:]
        endpoints[.authorization] = authorizationEndpoint
        endpoints[.deviceAuthorization] = deviceAuthorizationEndpoint
        // The client's own credentials need no endpoint but the one for tokens.
        guard !endpoints.isEmpty || grantKind == .clientCredentials else { return nil }
        endpoints[.revocation] = revocationEndpoint
        endpoints[.userinfo] = userinfoEndpoint
        var metadata = AuthorizationServerMetadata(endpoints: endpoints, token: tokenEndpoint)
        metadata.revocationForm = revocationForm
        return metadata
    }
}

extension ClientAuthentication {
    /// The way of this name, or an error that names the field.
    static func checked(_ name: String) throws(VaultError) -> ClientAuthentication {
        guard let way = ClientAuthentication(rawValue: name) else {
            throw VaultError(.invalidInput, facts: [.field: "client_authentication"])
        }
        return way
    }
}
