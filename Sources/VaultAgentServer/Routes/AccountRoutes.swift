internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultHTTPServer
internal import VaultKit
internal import VaultStore

extension AgentRoutes {
    func listAccounts(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let tags = try Self.tags(request.query.filter { $0.name == "tag" }.map(\.value))
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

    func showAccount(_ name: AccountName) async throws -> HTTPServerResponse {
        let account = try await service.vault.session().vault.account(name)
        return try Self.json(OneAccountDocument(account: AccountStatusDocument(account)))
    }

    func currentAccount() async throws -> HTTPServerResponse {
        let name = try await service.vault.session().vault.currentAccount()
        return try Self.json(CurrentAccountDocument(account: name?.text))
    }

    func addAccount(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        let addition = try AccountAddition(request.body)
        let registration = try addition.registration(
            service.configuration.defaults,
            providers: ProviderFolder(service.vault.location)
        )
        let answer = HTTPResponse(status: 200, body: addition.tokenResponse)
        guard
            case .granted(let granted) = registration.answerReader
                .read(answer, countingFrom: Date.now)
        else { throw VaultError(.invalidInput, facts: [.field: "token_response"]) }
        let account = try await service.vault.session().vault.add(
            registration,
            granted,
            replacing: try addition.policy()
        )
        return try Self.json(
            ChangeDocument(
                account: AccountDocument(account),
                generation: account.generation,
                renewable: account.isRenewable(granted)
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
        do {
            let token = try await service.vault.session().vault.accessToken(
                for: name,
                scope: Self.scope(request),
                resource: request.query.first { $0.name == "resource" }?.value,
                minimumLifetime: try Self.seconds("min-valid", request),
                newerThan: try Self.generation(request),
                deadline: try Self.seconds("deadline", request) ?? Self.deadline
            )
            service.metrics.noteToken(nil)
            return try Self.json(TokenDocument(token))
        } catch {
            service.metrics.noteToken(VaultError(error))
            throw error
        }
    }

    func refresh(
        _ name: AccountName,
        _ request: HTTPServerRequest
    ) async throws -> HTTPServerResponse {
        let wantsToken = try Self.choice("answer", of: ["token", "change"], request) == "token"
        let vault = try service.vault.session().vault
        let token = try await vault.refresh(
            name,
            isForced: try Self.choice("force", of: ["true", "false"], request) == "true",
            deadline: try Self.seconds("deadline", request) ?? Self.deadline
        )
        // Whoever only wants it refreshed does not get to see it.
        guard !wantsToken else { return try Self.json(TokenDocument(token)) }
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
        let change = try BodyMembers(request.body, known: ["add", "remove"])
        let (added, removed) = (try Self.tags("add", change), try Self.tags("remove", change))
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
    private static let longestTime = Double(UInt32.max)
    /// Seconds that a token is waited for unless told.
    private static let deadline = 60.0

    /// The seconds in a field; nil where it is left out.
    static func seconds(_ field: String, _ request: HTTPServerRequest) throws -> Double? {
        guard let text = request.query.first(where: { $0.name == field })?.value else {
            return nil
        }
        guard let seconds = Double(text), (0...longestTime).contains(seconds) else {
            throw VaultError(.invalidInput, facts: [.field: field])
        }
        return seconds
    }

    /// The word in a field, one of those that there are; nil where it is left out.
    static func choice(
        _ field: String,
        of words: [String],
        _ request: HTTPServerRequest
    ) throws -> String? {
        guard let text = request.query.first(where: { $0.name == field })?.value else {
            return nil
        }
        guard words.contains(text) else {
            throw VaultError(.invalidInput, facts: [.field: field])
        }
        return text
    }

    /// The generation that was rejected; nil where none was.
    private static func generation(_ request: HTTPServerRequest) throws -> UInt64? {
        let field = "newer-than"
        guard let text = request.query.first(where: { $0.name == field })?.value else {
            return nil
        }
        guard let generation = UInt64(text) else {
            throw VaultError(.invalidInput, facts: [.field: field])
        }
        return generation
    }

    private static func tags(_ field: String, _ change: BodyMembers) throws -> Set<AccountTag> {
        guard let texts = try change.texts(field) else {
            throw VaultError(.invalidInput, facts: [.field: field])
        }
        return try tags(texts)
    }

    /// No account has more than so many.
    private static func tags(_ texts: [String]) throws -> Set<AccountTag> {
        guard texts.count <= AccountTag.limit else {
            let most = "at most \(AccountTag.limit)"
            throw VaultError(.invalidInput, facts: [.field: "tags", .wanted: most])
        }
        return try AccountTag.checked(texts)
    }
}

extension Account {
    /// Whether it can be renewed after what it was given.
    fileprivate func isRenewable(_ granted: TokenResponse) -> Bool {
        switch grantKind {
        case .refreshToken: granted.refreshToken != nil
        case .clientCredentials: true
        case .static: false
        }
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
