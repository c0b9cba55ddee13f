internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

extension AgentRoutes {
    func listAccounts(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let tags = try AccountTag.checked(request.query.filter { $0.name == "tag" }.map(\.value))
        let vault = try service.vault.session().vault
        let (intact, damaged) =
            try await tags.isEmpty ? vault.allAccounts() : vault.foundAccounts(tags)
        return try Self.json(
            AccountStatusListDocument(
                accounts: intact.map { AccountStatusDocument($0) },
                damaged: damaged
            )
        )
    }

    func addAccount(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let addition = try AccountAddition(request.body)
        let registration = try addition.registration()
        let answer = HTTPResponse(status: 200, body: addition.tokenResponse)
        guard
            case .granted(let granted) = registration.answerReader
                .read(answer, countingFrom: Date.now)
        else { throw VaultError(.invalidInput, facts: [.field: "token_response"]) }
        let account = try await service.vault.session().vault.add(registration, granted)
        return try Self.json(
            ChangeDocument(
                account: AccountDocument(account),
                generation: account.generation,
                renewable: granted.refreshToken != nil
            ),
            status: 201
        )
    }

    func removeAccount(_ name: AccountName) async throws -> HTTPServerResponse {
        try await service.vault.session().vault.remove(name)
        return Self.done
    }

    func token(
        of name: AccountName,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        let token = try await service.vault.session().vault.accessToken(
            for: name,
            scope: Self.scope(request),
            resource: request.query.first { $0.name == "resource" }?.value,
            minimumLifetime: try Self.minimumLifetime(request)
        )
        let document = token.value.reveal { value in
            TokenDocument(
                account: name.text,
                accessToken: value,
                tokenType: token.tokenType,
                expiresAt: token.expiry,
                generation: token.generation
            )
        }
        var response = try Self.json(document)
        if let warning = token.warning {
            response.headers.append((name: "Vault-Warning", value: warning.rawValue))
        }
        return response
    }

    func refresh(
        _ name: AccountName,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        let vault = try service.vault.session().vault
        let isForced = request.query.contains { $0 == (name: "force", value: "true") }
        let token = try await vault.refresh(name, isForced: isForced)
        let account = try await vault.account(name)
        return try Self.json(
            ChangeDocument(
                account: AccountDocument(account),
                generation: token.generation,
                renewable: true
            )
        )
    }

    func select(_ name: AccountName) async throws -> HTTPServerResponse {
        try await service.vault.session().vault.switchAccount(to: name)
        return Self.done
    }

    func changeTags(
        of name: AccountName,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        let change = try Self.decode(ChangeTagsDocument.self, request)
        let (added, removed) = (
            try AccountTag.checked(change.add), try AccountTag.checked(change.remove)
        )
        try await service.vault.session().vault.changeTags(of: name) { tags in
            tags.subtracting(removed).union(added)
        }
        return Self.done
    }

    /// The names of every `scope` there is.
    private static func scope(_ request: HTTPServerRequest) -> Scope? {
        let names = request.query.filter { $0.name == "scope" }.flatMap {
            Scope(parsing: $0.value).names
        }
        return names.isEmpty ? nil : Scope(names)
    }

    /// Seconds: what `vault token --min-valid` takes.
    private static let longestMinimumLifetime = Double(UInt32.max)

    private static func minimumLifetime(_ request: HTTPServerRequest) throws -> Double? {
        guard let text = request.query.first(where: { $0.name == "min-valid" })?.value else {
            return nil
        }
        guard let seconds = Double(text), (0...longestMinimumLifetime).contains(seconds) else {
            throw VaultError(.invalidInput, facts: [.field: "min-valid"])
        }
        return seconds
    }

    static func decode<Document: Decodable>(
        _ type: Document.Type,
        _ request: HTTPServerRequest
    ) throws -> Document {
        do {
            return try WireJSON.decode(type, from: request.body)
        } catch {
            // The decoder's own words may quote the body.
            throw VaultError(.invalidInput, facts: [.field: "body"])
        }
    }
}

extension AccountDocument {
    /// An account as it goes over the socket.
    init(_ account: Account) {
        self.init(
            name: account.name.text,
            current: account.isCurrent,
            state: account.state.rawValue,
            issuer: account.issuer,
            expiresAt: account.expiry,
            dueAt: account.due,
            tags: account.tags.map(\.text)
        )
    }
}

extension AccountStatusDocument {
    /// An account and how it is doing, as it goes over the socket.
    init(_ account: Account) {
        self.init(
            account: AccountDocument(account),
            detail: Detail(
                generation: account.generation,
                failureCount: account.failureCount,
                lastFailure: account.lastFailure,
                reason: account.reason,
                since: account.since,
                firstSentAt: account.firstSent,
                sentAgainAt: account.sentAgain
            )
        )
    }
}

extension EndpointURL {
    /// A URL out of a document, or an error that names the field.
    static func checked(_ text: String, field: String) throws -> EndpointURL {
        do {
            return try EndpointURL(text)
        } catch {
            throw VaultError(.invalidInput, facts: [.field: field, .reason: error.wireName])
        }
    }
}

extension EndpointURLError {
    /// The name in error documents.
    var wireName: String {
        switch self {
        case .notHTTP: "not_http"
        case .insecure: "insecure"
        case .hostMissing: "host_missing"
        case .hostNotASCII: "host_not_ascii"
        case .hostMalformed: "host_malformed"
        case .portMalformed: "port_malformed"
        case .userInfo: "user_info"
        case .fragment: "fragment"
        case .forbiddenCharacter: "forbidden_character"
        }
    }
}
