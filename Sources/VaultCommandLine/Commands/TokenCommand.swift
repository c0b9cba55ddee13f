internal import FoundationEssentials
internal import OAuth
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct TokenCommand: Command {
    static let name = "token"
    static let summary = "Print an access token that is valid now"
    static let help = """
        vault token [NAME] [--scope S]... [--resource URI]
                    [--min-valid SECONDS] [--json]

        Prints the access token of an account: NAME, else VAULT_ACCOUNT, else the
        current account. A token that is good enough comes straight from the file;
        otherwise the agent refreshes it first, and is started for that if it does not
        run.

          --scope S             A token for this part of what was granted at sign-in;
                                repeat it for several. Kept beside the account's own
                                token, and renewed when it is asked for.
          --resource URI        A token for this resource server (RFC 8707).
          --min-valid SECONDS   The token has to be valid for this long. Unless told it
                                is 60 seconds, or a quarter of its life if that is less.
          --json                {"schemaVersion":1,"account","accessToken","tokenType",
                                "expiresAt","generation","grantedScope","warning"}

        """

    private let account: AccountName?
    private let request: AccessTokenRequest?
    private let minimumLifetime: Double?
    private let isJSON: Bool

    init(_ arguments: inout ArgumentReader) throws {
        let scope = try arguments.options("--scope")
        let resource = try arguments.option("--resource")
        let minimum = try arguments.option("--min-valid")
        isJSON = try arguments.flag("--json")
        account = try arguments.optionalAccountName()
        try arguments.finish()
        request = try Self.request(scope, resource)
        minimumLifetime = try minimum.map { text throws(UsageError) in
            guard let seconds = UInt32(text) else {
                throw .malformed("--min-valid", value: text, wanted: "a number of seconds")
            }
            return Double(seconds)
        }
    }

    private static func request(
        _ scope: [String],
        _ resource: String?
    ) throws(UsageError) -> AccessTokenRequest? {
        let names = scope.flatMap { Scope(parsing: $0).names }
        guard !scope.isEmpty || resource != nil else { return nil }
        let request = AccessTokenRequest(scope: Scope(names), resource: resource)
        switch request?.flaw {
        case nil where !scope.isEmpty && names.isEmpty, "scope":
            throw .malformed("--scope", value: scope.joined(separator: " "), wanted: "a scope")
        case nil: return request
        default:
            throw .malformed("--resource", value: resource ?? "", wanted: "an absolute URI")
        }
    }

    /// What is good in the file needs no thread, no socket and no agent.
    func run(in context: CommandContext) throws {
        let stored: StoredAccount
        do {
            stored = try context.readAccount(account)
        } catch StoreError.locked(let reason) {
            return try askUnlockedAgent(reason, context)
        }
        var lookup = TokenLookup(
            minimumLifetime: minimumLifetime,
            newerThan: nil,
            now: context.clock.now()
        )
        lookup.request = request
        switch lookup.decide(stored) {
        case .fail(let error): throw error
        case .refresh: try askAgent(stored.name, context)
        case .serve(let token):
            try print(token, context.terminal)
            warn(token.warning, stored.name, context.terminal)
        }
    }

    private func askAgent(_ name: AccountName, _ context: CommandContext) throws {
        try show(context.agent.call("GET", target(name)), name, context)
    }

    /// What no key file opens here, an agent may have open.
    private func askUnlockedAgent(
        _ reason: StoreError.LockReason,
        _ context: CommandContext
    ) throws {
        guard let name = try context.namedAccount(account) ?? currentAccount(reason, context),
            let answer = try context.agent.callUnlocked("GET", target(name))
        else { throw StoreError.locked(reason) }
        try show(answer, name, context)
    }

    private func currentAccount(
        _ reason: StoreError.LockReason,
        _ context: CommandContext
    ) throws -> AccountName? {
        let list = try context.agent.callUnlocked(
            "GET",
            "/v1/accounts",
            as: AccountListDocument.self
        )
        guard let list else { throw StoreError.locked(reason) }
        guard let current = list.accounts.first(where: { $0.current == true }) else {
            throw VaultError.noAccountChosen(isEmpty: list.accounts.isEmpty)
        }
        return AccountName(current.name)
    }

    private func target(_ name: AccountName) -> String {
        var fields = request?.scope.map { [("scope", $0.text)] } ?? []
        if let resource = request?.resource { fields.append(("resource", resource)) }
        if let minimumLifetime { fields.append(("min-valid", "\(Int(minimumLifetime))")) }
        let query = fields.map { "\($0.0)=\(FormEncoding.encode($0.1))" }.joined(separator: "&")
        return "/v1/accounts/\(name)/token" + (query.isEmpty ? "" : "?\(query)")
    }

    private func show(
        _ answer: AgentConnection.Answer,
        _ name: AccountName,
        _ context: CommandContext
    ) throws {
        guard let document = try? WireJSON.decode(TokenDocument.self, from: answer.body) else {
            throw AgentConnection.Failure.malformedAnswer
        }
        if isJSON {
            try context.terminal.data(json: document)
        } else {
            try context.terminal.data(document.accessToken + "\n")
        }
        let warning = document.warning.flatMap { AccessToken.Warning(rawValue: $0) }
        warn(warning, name, context.terminal)
    }

    private func print(_ token: AccessToken, _ terminal: Terminal) throws {
        guard !isJSON else { return try terminal.data(json: TokenDocument(token)) }
        try token.value.reveal { try terminal.data($0 + "\n") }
    }

    private func warn(
        _ warning: AccessToken.Warning?,
        _ name: AccountName,
        _ terminal: Terminal
    ) {
        switch warning {
        case nil: break
        case .signInNeeded:
            terminal.warning("account \(name) needs a new sign-in; this token is its last")
            terminal.hint("vault login \(name)")
        case .verifyBeforeUse:
            terminal.warning("account \(name) came back from an old copy and is not refreshed")
            terminal.hint("vault refresh \(name) tries, vault login \(name) signs in anew")
        case .paused:
            terminal.warning("account \(name) was moved to another vault; this token is its last")
            terminal.hint("vault login \(name) signs in here anew, or import it back")
        case .refreshFailing:
            terminal.warning("account \(name) cannot be refreshed at the moment")
            terminal.hint("vault status \(name)")
        case .notSaved:
            terminal.warning("account \(name): a newer token could not be saved yet")
            terminal.hint("make room on the disk; the agent keeps the token and tries again")
        }
    }
}
