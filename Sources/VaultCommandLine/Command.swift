internal import Platform
internal import VaultKit
internal import VaultStore

/// One word of the command line: reads what follows it, makes its call, says what happened.
protocol Command: Sendable {
    /// The word.
    static var name: String { get }
    /// One line for the list of commands.
    static var summary: String { get }
    /// The whole page of `vault help NAME`.
    static var help: String { get }

    init(_ arguments: inout ArgumentReader) throws
    func run(in context: CommandContext) throws
}

/// What a command works with.
struct CommandContext: Sendable {
    let location: VaultLocation
    let terminal: Terminal
    let clock: any VaultClock

    var agent: AgentCalls { AgentCalls(location: location, terminal: terminal) }

    /// The vault's file, opened and unlocked with its key file.
    func openVault() throws -> VaultFile {
        let file = try VaultFile(location)
        try file.unlock(with: .keyFile)
        return file
    }

    /// The account to use, from a vault opened for reading it alone.
    func readAccount(_ named: AccountName?) throws -> StoredAccount {
        try VaultFile.read(location) { file in
            try file.unlock(with: .keyFile)
            return try account(named, in: file)
        }
    }

    /// The account to use: the one named, else `VAULT_ACCOUNT`, else the current one.
    ///
    /// A name that is wrong is never passed over for the next in line.
    func account(_ named: AccountName?, in file: VaultFile) throws -> StoredAccount {
        if let name = try namedAccount(named) { return try file.account(named: name) }
        guard let current = try file.selectedAccount(), let account = try file.account(current)
        else {
            throw VaultError.noAccountChosen(isEmpty: try file.hints(after: nil, limit: 1).isEmpty)
        }
        return account
    }

    /// The account that is named: here, else by `VAULT_ACCOUNT`.
    func namedAccount(_ named: AccountName?) throws -> AccountName? {
        if let named { return named }
        if let text = Environment["VAULT_ACCOUNT"] {
            guard let name = AccountName(text) else {
                throw UsageError.malformed(
                    "the variable VAULT_ACCOUNT",
                    value: text,
                    wanted: "a name"
                )
            }
            return name
        }
        return nil
    }
}

extension ArgumentReader {
    /// An account's name, which every command wants alike.
    mutating func accountName() throws(UsageError) -> AccountName {
        guard let name = try optionalAccountName() else { throw .missing("the account's NAME") }
        return name
    }

    mutating func optionalAccountName() throws(UsageError) -> AccountName? {
        guard let word = try optionalWord() else { return nil }
        guard let name = AccountName(word) else {
            throw .malformed(
                "the name",
                value: word,
                wanted: "a letter or digit and up to 127 letters, digits and ._@+-"
            )
        }
        return name
    }
}

extension VaultError {
    /// That no account is chosen; of a vault that has none, what makes the first is worth more words.
    static func noAccountChosen(isEmpty: Bool) -> VaultError {
        VaultError(.noAccountChosen, facts: isEmpty ? [.reason: "no_accounts"] : [:])
    }
}
