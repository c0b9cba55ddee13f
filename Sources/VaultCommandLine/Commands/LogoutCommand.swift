internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct LogoutCommand: Command {
    static let name = "logout"
    static let summary = "Sign out of an account at its server"
    static let help = """
        vault logout NAME [--keep] [--force]

        Has the authorization server revoke the account's tokens, and erases the
        account. A refresh that is under way is waited for, and revoked too.

          --keep   Keep the account without its tokens: vault login NAME needs no
                   options then
          --force  Let go of the account although its tokens could not be revoked

        Where the server cannot be reached, does not revoke the tokens or has no known
        place for that, the account stays as it is, or with --force goes; the exit code
        is 1 either way. Several providers sign out every account of one person and
        client at once: those that share both are named. vault remove NAME erases an
        account and asks no server.

        """

    private let account: AccountName
    private let isKept: Bool
    private let isForced: Bool

    init(_ arguments: inout ArgumentReader) throws {
        isKept = try arguments.flag("--keep")
        isForced = try arguments.flag("--force")
        account = try arguments.accountName()
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        let signOut = try context.agent.call(
            "POST",
            "/v1/accounts/\(account)/logout?keep=\(isKept)&force=\(isForced)",
            as: SignOutDocument.self
        )
        let terminal = context.terminal
        for name in signOut.sharing {
            terminal.warning(
                "account \(Printable.escaped(name)) is of the same person and client: "
                    + "it may be signed out too"
            )
        }
        let end = signOut.kept ? "kept without its tokens" : "erased"
        guard let failure = signOut.failure.map({ VaultError($0) }) else {
            return terminal.words("signed out: account \(account) is \(end)")
        }
        throw UnrevokedGrant(account: account, end: end, failure: failure)
    }
}

/// An account that is gone from here, and whose grant may live on.
struct UnrevokedGrant: Error {
    let account: AccountName
    let end: String
    let failure: VaultError

    var words: String {
        "account '\(account)' is \(end), and its grant may live on: "
            + VaultErrorWords.unrevoked(failure.facts)
    }
}
