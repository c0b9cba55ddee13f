internal import OAuth
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// What a request to add an account holds (`AddAccountDocument`).
///
/// Read without Foundation's decoder, which would leave the tokens in text that nobody wipes.
struct AccountAddition {
    let tokenResponse: Secret
    private let members: BodyMembers

    private static let known: Set = [
        "name", "tokenEndpoint", "clientID", "clientSecret", "clientAuthentication", "issuer",
        "scope", "tokenResponse", "refresh", "tags", "renewal", "grant", "replace", "network",
        "authorizationParameters", "providerParameters", "revocationEndpoint",
    ]

    init(_ body: [UInt8]) throws {
        members = try BodyMembers(body, known: Self.known)
        tokenResponse = try members.required("tokenResponse", \.secret)
    }

    /// Whether an account of the name may be replaced.
    func policy() throws -> ReplacementPolicy {
        try members.optional("replace", \.bool) ?? false ? .always : .never
    }

    /// The account's settings, once each of them is what it should be; what nobody told is as in the
    /// defaults, and a provider may be one of the person's own.
    func registration(
        _ defaults: AccountDefaults,
        providers: ProviderFolder
    ) throws -> AccountRegistration {
        let kind = try kind()
        var registration = kind == .static ? try ofStaticToken() : try ofClient(defaults)
        try takeProvider(&registration, providers)
        registration.grantKind = kind
        try registration.check()
        return registration
    }

    private func kind() throws -> GrantKind {
        guard let text = try members.optional("grant", \.text) else { return .refreshToken }
        guard let kind = GrantKind(rawValue: text) else {
            throw VaultError(.invalidInput, facts: [.field: "grant"])
        }
        return kind
    }

    /// Refuses what belongs to a client, of which a token that is never renewed has none.
    private func ofStaticToken() throws -> AccountRegistration {
        let ofClients = ["tokenEndpoint", "clientID", "clientSecret", "clientAuthentication"]
        for member in ofClients + ["revocationEndpoint"] {
            guard try members.optional(member, \.text) == nil else {
                throw VaultError(.invalidInput, facts: [.field: member, .reason: "static"])
            }
        }
        guard let name = AccountName(try members.required("name", \.text)) else {
            throw VaultError(.invalidInput, facts: [.field: "name"])
        }
        let issuer = try members.optional("issuer", \.text)
        if let issuer { _ = try EndpointURL.checked(issuer, field: "issuer") }
        return AccountRegistration(
            staticToken: name,
            issuer: issuer,
            tags: try AccountTag.checked(members.texts("tags") ?? [])
        )
    }

    private func ofClient(_ defaults: AccountDefaults) throws -> AccountRegistration {
        let name = try members.required("name", \.text)
        let endpoint = try members.required("tokenEndpoint", \.text)
        let client = try members.required("clientID", \.text)
        let method = try members.required("clientAuthentication", \.text)
        let secret = try members.optional("clientSecret", \.secret)
        let issuer = try members.optional("issuer", \.text)
        guard let scope = try members.texts("scope") else {
            throw VaultError(.invalidInput, facts: [.field: "scope"])
        }
        guard let name = AccountName(name) else {
            throw VaultError(.invalidInput, facts: [.field: "name"])
        }
        guard let authentication = ClientAuthentication(rawValue: method) else {
            throw VaultError(.invalidInput, facts: [.field: "client_authentication"])
        }
        guard !client.isEmpty else {
            throw VaultError(.invalidInput, facts: [.field: "client_id"])
        }
        guard (authentication == .none) == (secret?.isEmpty ?? true) else {
            throw VaultError(.invalidInput, facts: [.field: "client_secret"])
        }
        if let issuer { _ = try EndpointURL.checked(issuer, field: "issuer") }
        var registration = AccountRegistration(
            name: name,
            client: Client(
                id: ClientID(rawValue: client),
                secret: secret,
                authentication: authentication
            ),
            tokenEndpoint: try EndpointURL.checked(endpoint, field: "token_endpoint"),
            issuer: issuer,
            requestedScope: Scope(scope),
            refresh: try RefreshAddition.options(members),
            tags: try AccountTag.checked(members.texts("tags") ?? []),
            renewal: try members.optional("renewal", \.text).map { try .checked($0) }
        )
        registration.revocationEndpoint =
            try members.optional("revocationEndpoint", \.text).map {
                try .checked($0, field: "revocation_endpoint")
            }
        registration.network =
            try NetworkAddition.document(members)?.options(before: defaults.network)
            ?? defaults.network
        registration.authorizationParameters =
            try NetworkAddition.parameters("authorizationParameters", members)
            ?? defaults.authorizationParameters
        if registration.refresh.parameters.isEmpty {
            registration.refresh.parameters = defaults.refreshParameters
        }
        return registration
    }

    /// Takes what the provider's entry says; of one of the person's own all of it is sealed.
    private func takeProvider(
        _ registration: inout AccountRegistration,
        _ providers: ProviderFolder
    ) throws {
        let parameters = try members.optional("providerParameters", \.textMembers)
        guard let name = registration.refresh.provider else {
            guard parameters == nil else {
                throw VaultError(.invalidInput, facts: [.field: "provider"])
            }
            return
        }
        // One that nobody knows is refused with the rest.
        guard let known = try providers.provider(named: name) else { return }
        let provider = try known.filled(parameters ?? [:], needsAll: false)
        if provider.file != nil { registration.ownProvider = provider.entry }
        registration.takeEndpoints(of: provider.entry)
    }
}
