import FoundationEssentials
import Platform
import Testing

/// Every order in which two processes, the network, the server, the disk and a person can act on one
/// account.
///
/// The model has the order of the steps of `RefreshOperation`, the contract of the store, the kernel
/// lock and the server. What a step decides is decided by the shipping planner, reader and look-up.
@Suite struct StateModelTests {
    /// Below this something has made the explorer blind.
    private static let fewestStates = 450_000

    @Test("server A7, D24, swift SF-04: no login is lost that could be kept, and none in silence")
    func everyOrder() throws {
        var (states, transitions) = (0, 0)
        var table = TerminalStates()
        for scenario in Scenario.all {
            let explorer = Explorer(scenario)
            states += explorer.states.count
            transitions += explorer.transitionCount
            table.add(explorer)
            for (flaw, index) in explorer.flaws {
                let trace = explorer.trace(to: index).joined(separator: "\n")
                Issue.record("\(scenario.testDescription): \(flaw.rawValue)\n\(trace)")
            }
        }
        print(table.text)
        print("\(states) states, \(transitions) transitions")
        #expect(states >= Self.fewestStates)
        try check(table.text)
    }

    @Test("without a fault every account ends healthy", arguments: Scenario.all)
    func withoutFaults(scenario: Scenario) {
        var scenario = scenario
        scenario.events = 0
        let explorer = Explorer(scenario)
        #expect(explorer.flaws.isEmpty)
        #expect(Set(explorer.ends.keys) == [.healthy])
    }

    /// Compares with the file, or writes it when VAULT_RECORD_SNAPSHOTS is set.
    private func check(_ text: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "terminal-states.txt")
        if Environment["VAULT_RECORD_SNAPSHOTS"] != nil {
            try Data(text.utf8).write(to: file)
        }
        #expect(text == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
