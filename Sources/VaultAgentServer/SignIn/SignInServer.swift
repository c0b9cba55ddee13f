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
    /// The provider's entry where it is of the person's own, to be sealed with the account.
    let ownEntry: ProviderCatalogue.Entry?
    private let pinned: [EndpointURL]

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
            try Self.named($0, document, providers)
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
        let endpoints = [remembered?.tokenEndpoint, remembered?.authorizationEndpoint]
        pinned = endpoints.compactMap(\.self)
    }

    private static func named(
        _ name: String,
        _ document: BeginSignInDocument,
        _ providers: ProviderFolder?
    ) throws -> KnownProvider {
        let builtIn = ProviderCatalogue.builtIn[name].map { KnownProvider(name: name, entry: $0) }
        guard let known = try builtIn ?? providers?.provider(named: name) else {
            throw VaultError(
                .invalidInput,
                facts: [.field: "provider", .reason: "unknown", .found: name]
            )
        }
        let parameters = document.providerParameters ?? [:]
        // Where an issuer is told, the provider's own endpoints are not asked for.
        guard document.issuer == nil || !parameters.isEmpty else { return known }
        do {
            let entry = try known.entry.filled(parameters)
            return KnownProvider(name: name, entry: entry, file: known.file)
        } catch {
            throw VaultError(error, provider: name)
        }
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
    func document(_ metadata: AuthorizationServerMetadata) -> SignInServerDocument {
        let shown: [EndpointName] = [.authorization, .token, .deviceAuthorization]
        let new = metadata.endpoints.filter { shown.contains($0.key) && !pinned.contains($0.value) }
        return SignInServerDocument(
            provider: provider?.name,
            file: provider?.file,
            newEndpoints: Dictionary(
                uniqueKeysWithValues: new.map { ($0.key.rawValue, $0.value.string) }
            )
        )
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
        return AuthorizationServerMetadata(endpoints: endpoints, token: tokenEndpoint)
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

extension VaultError {
    /// What is wrong with what was told of a provider.
    init(_ error: ProviderParameterError, provider: String) {
        var facts: [Fact: String] = [.field: "provider_parameters", .wanted: provider]
        switch error {
        case .missing(let name): (facts[.reason], facts[.found]) = ("missing", name)
        case .unknown(let name): (facts[.reason], facts[.found]) = ("unknown", name)
        case .malformed(let name): (facts[.reason], facts[.found]) = ("malformed", name)
        case .foreignHost(let name, let host):
            (facts[.reason], facts[.found], facts[.host]) = ("foreign_host", name, host)
        }
        self.init(.invalidInput, facts: facts)
    }
}

extension SignInRequest {
    /// Whether the code is bound to this sign-in by a proof key.
    ///
    /// A client without a secret has nothing else; its provider has to take one.
    var takesProofKey: Bool {
        clientSecret == nil || server.provider?.entry.signIn.takesProofKey ?? true
    }
}
