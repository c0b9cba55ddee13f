internal import VaultAgentClient

/// What `vault status --check` found, after each of it was shown.
struct StatusProblems: Error {
    let words: String
    let exitCode: ExitCode
}

/// The problems among the accounts, for scripts.
struct StatusCheck: Sendable {
    let snapshot: StatusSnapshot

    /// What a person has to do comes first; a vault that is locked says little of what else there is.
    private static let precedence: [ExitCode] = [.signInNeeded, .locked, .temporary]

    private var wanting: [AccountLine] {
        snapshot.lines.filter { $0.standing.exitCode != .ok }
    }

    /// A line for each problem.
    var lines: [String] {
        let locked = snapshot.isLocked ? ["the vault is locked: vault unlock"] : []
        return locked
            + wanting.map { line in
                let trouble = line.status.detail == nil ? nil : line.trouble(.plain)
                let why = trouble.map { " (\($0))" } ?? ""
                let advice = line.advice.map { ": \($0)" } ?? ""
                return "\(line.name): \(line.state)\(why)\(advice)"
            }
    }

    /// All of it in one; nil when all is well.
    var problems: StatusProblems? {
        let wanting = wanting
        let codes = wanting.map(\.standing.exitCode) + (snapshot.isLocked ? [.locked] : [])
        guard let code = Self.precedence.first(where: codes.contains) else { return nil }
        let counts = Dictionary(grouping: wanting, by: \.standing).mapValues(\.count)
        let words = AccountStanding.allCases.reversed().compactMap { standing in
            counts[standing].map(standing.count)
        }
        let accounts = words.isEmpty ? [] : ["accounts: " + words.joined(separator: ", ")]
        let locked = snapshot.isLocked ? ["the vault is locked"] : []
        return StatusProblems(words: (locked + accounts).joined(separator: "; "), exitCode: code)
    }
}
