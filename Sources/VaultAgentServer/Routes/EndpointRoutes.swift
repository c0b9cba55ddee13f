internal import OAuth
internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

extension AgentRoutes {
    /// Compares an account's endpoints with what its server publishes now.
    func compareEndpoints(of name: AccountName) async throws -> HTTPServerResponse {
        try Self.json(await comparison(of: name).document)
    }

    /// Gives an account the endpoints that somebody has agreed to, if they are still those.
    func pinEndpoints(
        of name: AccountName,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        let members = try BodyMembers(request.body, known: ["endpoints"])
        let agreed = try members.required("endpoints", \.textMembers)
        let comparison = try await comparison(of: name)
        let found = comparison.changes.map { ($0.name.rawValue, $0.found.string) }
        guard agreed == Dictionary(uniqueKeysWithValues: found) else {
            throw VaultError(.busy, account: name, facts: [.reason: "endpoints_changed"])
        }
        guard !agreed.isEmpty else { return Self.done }
        try await service.vault.session().vault.pin(
            EndpointChange(of: name, from: comparison.pinned, to: comparison.changed)
        )
        return Self.done
    }

    private func comparison(of name: AccountName) async throws -> EndpointComparison {
        let session = try service.vault.session()
        guard let registration = try await session.vault.registration(of: name) else {
            throw VaultError(.noSuchAccount, account: name)
        }
        guard let issuer = registration.issuer, registration.grantKind != .static else {
            throw VaultError(
                .invalidInput,
                account: name,
                facts: [.field: "issuer", .reason: "no_issuer"]
            )
        }
        let pinned = try await session.vault.pinnedEndpoints(of: name)
        let request = try SignInRequest(
            BeginSignInDocument(
                name: name.text,
                issuer: nil,
                clientID: nil,
                clientSecret: nil,
                scope: [],
                redirectURI: nil
            ),
            for: name,
            remembered: registration
        )
        let found = try await session.signIns.discover(request)
        return EndpointComparison(issuer: issuer, pinned: pinned, found: found.endpoints)
    }
}

/// The endpoints of an account and those that its server publishes.
struct EndpointComparison: Sendable {
    let issuer: String
    let pinned: [EndpointName: EndpointURL]
    private let found: [EndpointName: EndpointURL]

    struct Change: Sendable {
        let name: EndpointName
        let pinned: EndpointURL
        let found: EndpointURL
    }

    init(
        issuer: String,
        pinned: [EndpointName: EndpointURL],
        found: [EndpointName: EndpointURL]
    ) {
        self.issuer = issuer
        self.pinned = pinned
        self.found = found
    }

    /// What differs; an endpoint that is no longer published may still be there.
    var changes: [Change] {
        pinned.compactMap { name, pinned in
            guard let found = found[name], found != pinned else { return nil }
            return Change(name: name, pinned: pinned, found: found)
        }
        .sorted { $0.name.rawValue < $1.name.rawValue }
    }

    /// The endpoints with all changes made.
    var changed: [EndpointName: EndpointURL] {
        pinned.merging(changes.map { ($0.name, $0.found) }) { $1 }
    }

    var document: EndpointsDocument {
        EndpointsDocument(
            issuer: issuer,
            changes: changes.map { change in
                EndpointsDocument.Change(
                    name: change.name.rawValue,
                    pinned: change.pinned.string,
                    found: change.found.string
                )
            }
        )
    }
}

extension JSONValue {
    /// An object of texts.
    var textMembers: [String: String]? {
        guard let members = object else { return nil }
        let texts = members.compactMapValues(\.text)
        return texts.count == members.count ? texts : nil
    }
}
