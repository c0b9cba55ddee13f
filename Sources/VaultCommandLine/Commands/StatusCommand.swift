internal import FoundationEssentials
internal import Platform
internal import VaultAgentClient
internal import VaultKit
internal import VaultStore

struct StatusCommand: Command {
    static let name = "status"
    static let summary = "Show how accounts and agent are doing"
    static let help = """
        vault status [NAME] [--all | --watch | --check | --json]

        Shows the state of every account, or of one: how much of its token's life is
        left, when it is refreshed next, what went wrong last and what to do about it.
        Nothing is sent to any server.

          --all    Also the accounts that are fine, where there are more than 50
          --watch  Show it again every second, until Ctrl-C
          --check  Print the problems alone, and exit with what they come to:
                   4 an account needs a sign-in, else
                   5 the vault is locked, else
                   6 an account fails for the moment, waits for its client, or has a
                     lost answer or a token that is not saved
                   An account that was moved away is no problem.
          --json   One object: schemaVersion, locked, agent, accounts, damaged

        A damaged account is named, and the exit code is 8 then.

        Into a pipe it writes plain text of any width. NO_COLOR takes the colours away,
        CLICOLOR_FORCE=1 gives them to a pipe too.

        """

    private enum Form {
        case text, everything, watch, check, json
    }

    private let account: AccountName?
    private let form: Form

    init(_ arguments: inout ArgumentReader) throws {
        let forms: [(String, Form)] = [
            ("--all", .everything), ("--watch", .watch), ("--check", .check), ("--json", .json),
        ]
        let given = try forms.filter { try arguments.flag($0.0) }
        account = try arguments.optionalAccountName()
        try arguments.finish()
        // Which of two is meant nobody can know.
        guard given.count <= 1 else { throw UsageError.strayWord(given[1].0) }
        form = given.first?.1 ?? .text
        if form == .watch, !Descriptor.isTerminal(1) {
            throw UsageError.missing("a terminal for --watch (vault status --json for programs)")
        }
    }

    func run(in context: CommandContext) throws {
        guard form != .watch else { try watch(in: context) }
        let (snapshot, overview) = try self.snapshot(in: context, warns: form != .check)
        switch form {
        case .json:
            let document = StatusDocument(
                locked: snapshot.isLocked,
                agent: snapshot.agent ?? AgentDocument(running: false, pid: nil, version: nil),
                accounts: snapshot.accounts,
                damaged: snapshot.damaged
            )
            try context.terminal.data(json: document)
        case .check:
            let check = StatusCheck(snapshot: snapshot)
            try context.terminal.data(lines: check.lines)
            try overview.reportDamage(context.terminal)
            if let problems = check.problems { throw problems }
        case .text, .everything, .watch:
            let view = StatusView(
                snapshot: snapshot,
                style: .of(1),
                showsAll: form == .everything
            )
            try context.terminal.data(lines: view.text)
        }
        try overview.reportDamage(context.terminal)
    }

    /// Everything there is to show; warnings of what it is worth go to the terminal.
    private func snapshot(
        in context: CommandContext,
        warns: Bool
    ) throws -> (StatusSnapshot, AccountOverview) {
        let overview = try AccountOverview.read(account, warns: warns, in: context)
        let agent = try context.agent.status()
        let unsaved = Set(agent?.unsaved ?? [])
        if warns {
            for name in unsaved.sorted() {
                context.terminal.warning(
                    "account \(name) was refreshed, and the new token could not be saved yet"
                )
            }
        }
        let ends = try VaultFile.read(context.location) { try $0.grantEnds(of: account) }
        let accounts = overview.accounts.map { entry in
            // The file cannot say this of them: it is what does not take their pair.
            var account = entry.account
            if unsaved.contains(account.account.name) { account = account.unsaved }
            // What the seal says is better than the hint that is there without a key.
            account.grantEndsAt = account.grantEndsAt ?? ends[account.account.name]
            return account
        }
        let snapshot = StatusSnapshot(
            agent: agent,
            accounts: accounts,
            damaged: overview.damaged,
            isLocked: overview.isLocked,
            isOfOne: account != nil,
            now: context.clock.now().wall
        )
        return (snapshot, overview)
    }

    // MARK: - Again and again

    private func watch(in context: CommandContext) throws -> Never {
        try LiveScreen.show(on: 1) {
            let begin = Uptime.seconds()
            let (snapshot, _) = try self.snapshot(in: context, warns: false)
            let lines = StatusView(snapshot: snapshot, style: .of(1)).screen
            // Looking at very many accounts is not all that the machine does.
            let pause = min(max(1, 10 * (Uptime.seconds() - begin)), 600)
            return (lines, pause)
        }
    }
}

extension AgentDocument {
    /// A running agent in words.
    func words(_ now: Date) -> String {
        var text = "running (pid \(pid ?? 0), version \(version ?? "?"))"
        if locked == true { text += ", locked" }
        if let locksAt { text += ", locks itself \(TimeText.distance(to: locksAt, from: now))" }
        return text
    }
}

extension Terminal {
    /// Writes lines of data in one piece.
    func data(lines: [String]) throws {
        try data(lines.map { $0 + "\n" }.joined())
    }
}

extension AccountStatusDocument {
    /// The account, with a pair that is only in the agent's memory.
    fileprivate var unsaved: AccountStatusDocument {
        with(
            state: AccountState.notSaved.rawValue,
            reason: VaultError.Code.notSaved.rawValue
        )
    }
}
