internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

/// The accounts of the vault as far as they can be seen from here: from the file, else from an
/// agent that is unlocked, else what the file says without a key.
struct AccountOverview: Sendable {
    /// An account, and what it is signed in at.
    struct Entry: Sendable {
        let account: AccountStatusDocument
        let server: String?
    }

    let accounts: [Entry]
    /// The names of those whose records do not open.
    let damaged: [String]
    /// Whether nothing vouches for any of it.
    let isLocked: Bool

    /// Reads every account, or the one of this name, or those that have all of some tags.
    static func read(
        _ name: AccountName? = nil,
        tagged tags: Set<AccountTag> = [],
        warns: Bool = true,
        in context: CommandContext
    ) throws -> Self {
        let file = try VaultFile(context.location)
        do {
            try file.unlock(with: .keyFile)
            return try Self(name, tagged: tags, in: file, context)
        } catch let error as StoreError {
            guard case .locked = error else { throw error }
            if let all = try context.agent.callUnlocked(
                "GET",
                "/v1/accounts" + TagArguments.query(tags),
                as: AccountStatusListDocument.self
            ) {
                return try Self(all.accounts, all.damaged, only: name, isLocked: false)
            }
            // No tag is readable without a key.
            guard tags.isEmpty else { throw error }
            let overview = try Self(hints(in: file), [], only: name, isLocked: true)
            guard warns else { return overview }
            let report = ErrorReport(error)
            context.terminal.warning(report.line)
            context.terminal.warning("what is shown is not verified")
            if let hint = report.hint { context.terminal.hint(hint) }
            return overview
        }
    }

    private init(
        _ all: [AccountStatusDocument],
        _ damaged: [String],
        only name: AccountName?,
        isLocked: Bool
    ) throws {
        let chosen = name.map { name in all.filter { $0.account.name == name.text } } ?? all
        if let name, damaged.contains(name.text) { throw StoreError.tampered(.account(name.text)) }
        if let name, chosen.isEmpty { throw VaultError(.noSuchAccount, account: name) }
        accounts = chosen.map { Entry(account: $0, server: $0.account.issuer) }
        self.damaged = name == nil ? damaged : []
        self.isLocked = isLocked
    }

    private init(
        _ name: AccountName?,
        tagged tags: Set<AccountTag>,
        in file: VaultFile,
        _ context: CommandContext
    ) throws {
        let now = context.clock.now()
        var accounts: [Account] = []
        var damaged: [String] = []
        if let name {
            let stored = try file.account(named: name)
            let isCurrent = try file.selectedAccount() == stored.id
            let refreshes = LiveRefreshes(at: file.location)
            accounts = [
                Account(
                    stored,
                    isCurrent: isCurrent,
                    now: now,
                    refreshes: refreshes,
                    client: try? file.clientState(of: stored.settings)
                )
            ]
        } else {
            (accounts, damaged) = try AccountListing.all(in: file, tagged: tags, now: now)
        }
        self.accounts = accounts.map { account in
            Entry(
                account: AccountStatusDocument(account),
                // A token that is never renewed has no server of its own.
                server: account.issuer
                    ?? (account.grantKind == .static ? "none" : account.tokenEndpoint.string)
            )
        }
        self.damaged = damaged
        isLocked = false
    }

    /// Names what is damaged, once the rest was shown, and fails for it.
    func reportDamage(_ terminal: Terminal) throws {
        try Self.report(damaged: damaged, terminal)
    }

    /// The same of names that came otherwise.
    static func report(damaged: [String], _ terminal: Terminal) throws {
        guard !damaged.isEmpty else { return }
        for name in damaged { terminal.warning("account '\(name)' is damaged: it does not open") }
        throw VaultError(
            .tampered,
            facts: [.found: Plural.text(damaged.count, "account")]
        )
    }

    private static func hints(in file: VaultFile) throws -> [AccountStatusDocument] {
        var hints: [AccountHint] = []
        while true {
            let page = try file.hints(after: hints.last?.name, limit: 256)
            hints += page
            if page.count < 256 { return hints.map { AccountStatusDocument($0) } }
        }
    }
}

extension AccountStatusDocument {
    /// What a row says without being opened; the rest is unknown.
    fileprivate init(_ hint: AccountHint) {
        self.init(
            account: AccountDocument(
                name: hint.name,
                current: nil,
                state: hint.state.rawValue,
                issuer: nil,
                expiresAt: hint.expiry,
                dueAt: hint.due,
                tags: nil
            ),
            detail: nil
        )
    }
}
