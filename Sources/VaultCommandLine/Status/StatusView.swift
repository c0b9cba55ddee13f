internal import FoundationEssentials
internal import VaultAgentClient

/// Everything that `vault status` shows, as of one moment.
struct StatusSnapshot: Sendable {
    /// Nil when none runs.
    var agent: AgentDocument?
    var accounts: [AccountStatusDocument]
    /// The names of those whose records do not open.
    var damaged: [String] = []
    /// Whether nothing vouches for any of it.
    var isLocked = false
    /// Whether it is about the one account that was named.
    var isOfOne = false
    var now: Date

    var lines: [AccountLine] {
        accounts.map { AccountLine(status: $0, isLocked: isLocked, now: now) }
    }
}

/// What a person is shown of it: a pure function of what there is, and of where it goes.
struct StatusView: Sendable {
    /// Accounts of which all are shown, unless so asked.
    static let many = 50
    private static let listed = 8

    let snapshot: StatusSnapshot
    let style: TextStyle
    var showsAll = false
    /// Accounts of which those that are well are shown too.
    var many = StatusView.many

    private var lines: [AccountLine] { snapshot.lines }

    /// The lines; those of the table fit the width.
    var text: [String] {
        let lines = lines
        let shown = shown(lines)
        return head + StatusTable(lines: shown, style: style).text + summary(lines, shown)
            + advice(lines) + lapses(lines)
    }

    /// Of very many accounts on a terminal those that are well are only counted.
    private func shown(_ lines: [AccountLine]) -> [AccountLine] {
        guard !showsAll, style.isTerminal, lines.count > many else { return lines }
        return lines.filter { $0.standing != .fine || $0.isGrantEndNear }
    }

    private var head: [String] {
        let agent = snapshot.agent
        let words = agent.map { $0.words(snapshot.now) } ?? "not running"
        // Said of what holds keys for long: the agent.
        let memory = agent?.memoryLocked == false ? ["memory: not locked"] : []
        return ["agent: \(words)"] + memory
    }

    // MARK: - Below the table

    private func summary(_ lines: [AccountLine], _ shown: [AccountLine]) -> [String] {
        guard !snapshot.isOfOne, !lines.isEmpty else { return [] }
        let counts = Dictionary(grouping: lines, by: \.standing).mapValues(\.count)
        let words = AccountStanding.allCases.compactMap { standing in
            counts[standing].map { style.painted(standing.count($0), standing.ink) }
        }
        let total = Plural.text(lines.count, "account")
        let hidden = lines.count - shown.count
        let hint = hidden == 0 ? "" : " (vault status --all shows them all)"
        return ["\(total): \(words.joined(separator: ", "))\(hint)"]
    }

    /// What to do next, for a few accounts: the worst first.
    private func advice(_ lines: [AccountLine]) -> [String] {
        let wanting = lines.filter { $0.standing != .fine }
            .sorted { $0.standing.rawValue > $1.standing.rawValue }
        let words = wanting.compactMap { line in
            line.advice.map { "\(line.name) (\(line.state)): \($0)" }
        }
        return Self.few(words + lines.compactMap(\.grantWarning)).map { "  \($0)" }
    }

    /// What stays locked is not renewed: the accounts whose tokens end first.
    private func lapses(_ lines: [AccountLine]) -> [String] {
        guard snapshot.isLocked else { return [] }
        let renewed = lines.filter { $0.status.account.dueAt != nil }
        let ending = renewed.compactMap { line in
            line.status.account.expiresAt.map { (line, $0) }
        }
        let words = ending.sorted { $0.1 < $1.1 }.map { line, end in
            end > snapshot.now
                ? "\(line.name) lapses \(line.expires) unless the vault is unlocked"
                : "\(line.name) lapsed \(line.expires): vault unlock has it renewed"
        }
        return Self.few(words)
    }

    private static func few(_ lines: [String]) -> [String] {
        let more = lines.count - listed
        return more > 0 ? lines.prefix(listed) + ["and \(more) more"] : lines
    }
}

extension StatusView {
    /// The lines of a screen that is shown again and again: none is too long for it, and none too
    /// many.
    var screen: [String] {
        let locked = snapshot.isLocked ? ["the vault is locked: what is shown is not verified"] : []
        let damaged = snapshot.damaged.map { name in
            "account '\(Printable.escaped(name))' is damaged: it does not open"
        }
        let whole = text + locked + damaged
        guard let height = style.height, whole.count > height else { return whole }
        // What somebody has to do something about is not to be what has no room.
        var short = self
        short.many = 0
        let all = short.text + locked + damaged
        guard all.count > height else { return all }
        let more = all.count - max(height - 1, 0)
        return Array(all.prefix(max(height - 1, 0))) + ["and \(Plural.text(more, "more line"))"]
    }
}
