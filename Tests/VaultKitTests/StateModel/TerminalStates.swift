/// How an account can end, for each scenario: as a table, with the shortest way to each end.
struct TerminalStates {
    private struct Way {
        let scenario: String
        let troubles: Int
        let faults: Int
        let steps: [String]
    }

    private var rows: [(scenario: String, faults: [End: Int])] = []
    private var ways: [End: Way] = [:]
    private var moves: Set<String> = []

    mutating func add(_ explorer: Explorer) {
        let scenario = explorer.scenario.testDescription
        rows.append((scenario, explorer.ends.mapValues { explorer.states[$0].value.faults }))
        // Of those where every kind of fault can be.
        if explorer.scenario.profile == .graceOnce { moves.formUnion(explorer.moves) }
        for (end, index) in explorer.ends {
            let state = explorer.states[index].value
            guard ways[end].map({ $0.troubles > state.troubles }) ?? true else { continue }
            ways[end] = Way(
                scenario: scenario,
                troubles: state.troubles,
                faults: state.faults,
                steps: explorer.trace(to: index)
            )
        }
    }

    var text: String {
        let ends = ways.keys.sorted()
        return ([Self.heading] + legend(ends) + [""] + table(ends) + ends.flatMap(way) + everything)
            .joined(separator: "\n") + "\n"
    }

    private static let heading = """
        How an account ends, for good or until its next refresh, for each kind of server and what
        the account was told of it. The numbers are the fewest faults that lead there; a dot says
        that nothing does: two processes, their network, disk and people were tried in every order,
        with two faults at most. `VAULT_RECORD_SNAPSHOTS=1 make test-unit` writes this file anew.

        """

    private func legend(_ ends: [End]) -> [String] {
        zip(Self.letters, ends).map { letter, end in
            "  \(letter)  \(end)\(end.isLast ? "" : " (until its next refresh)")"
        }
    }

    private static let letters = "abcdefghijklmnopqrstuvwxyz"

    private func table(_ ends: [End]) -> [String] {
        let width = rows.map(\.scenario.count).max() ?? 0
        let heads = zip(Self.letters, ends).map { "  \($0.0)" }.joined()
        return [String(repeating: " ", count: width) + heads]
            + rows.map { row in
                row.scenario.padded(to: width)
                    + ends.map { end in "  " + (row.faults[end].map { "\($0)" } ?? ".") }.joined()
            }
    }

    private var everything: [String] {
        ["", "Everything that happened on the way:"] + moves.sorted().map { "    \($0)" }
    }

    private func way(to end: End) -> [String] {
        guard let way = ways[end] else { return [] }
        let faults = way.faults == 1 ? "1 fault" : "\(way.faults) faults"
        return ["", "\(end): after \(faults) (\(way.scenario))"] + way.steps.map { "    \($0)" }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
