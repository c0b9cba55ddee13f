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
    /// Whether nothing vouches for any of it.
    let isLocked: Bool

    /// Reads every account, or the one of this name.
    static func read(_ name: AccountName? = nil, in context: CommandContext) throws -> Self {
        let file = try VaultFile(context.location)
        do {
            try file.unlock(with: .keyFile)
            return Self(accounts: try entries(name, in: file, context), isLocked: false)
        } catch let error as StoreError {
            guard case .locked = error else { throw error }
            if let all = try context.agent.callUnlocked(
                "GET",
                "/v1/accounts",
                as: AccountStatusListDocument.self
            ) {
                return try Self(all.accounts, only: name, isLocked: false)
            }
            let overview = try Self(hints(in: file), only: name, isLocked: true)
            let report = ErrorReport(error)
            context.terminal.warning(report.line)
            context.terminal.warning("what is shown is not verified")
            if let hint = report.hint { context.terminal.hint(hint) }
            return overview
        }
    }

    private init(accounts: [Entry], isLocked: Bool) {
        self.accounts = accounts
        self.isLocked = isLocked
    }

    private init(
        _ all: [AccountStatusDocument],
        only name: AccountName?,
        isLocked: Bool
    ) throws {
        let chosen = name.map { name in all.filter { $0.account.name == name.text } } ?? all
        if let name, chosen.isEmpty { throw VaultError(.noSuchAccount, account: name) }
        accounts = chosen.map { Entry(account: $0, server: $0.account.issuer) }
        self.isLocked = isLocked
    }

    private static func entries(
        _ name: AccountName?,
        in file: VaultFile,
        _ context: CommandContext
    ) throws -> [Entry] {
        let now = context.clock.now()
        let accounts: [Account]
        if let name {
            let stored = try file.account(named: name)
            let isCurrent = try file.selectedAccount() == stored.id
            accounts = [Account(stored, isCurrent: isCurrent, now: now)]
        } else {
            accounts = try AccountListing.all(in: file, now: now)
        }
        return accounts.map { account in
            Entry(
                account: AccountStatusDocument(account),
                server: account.issuer ?? account.tokenEndpoint.string
            )
        }
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
                dueAt: hint.due
            ),
            generation: nil,
            failureCount: nil,
            lastFailure: nil
        )
    }
}
