import Testing

/// Each rule of the protocol is there for a reason: without it the explorer finds what it prevents.
@Suite struct RulesTests {
    /// A rule taken away, a server where that shows, and what is found.
    private struct Case: CustomTestStringConvertible {
        let rule: String
        let rules: Rules
        var profile = ModelServer.Profile.strict
        let flaw: Flaw

        var testDescription: String { rule }
    }

    @Test(arguments: [
        Case(rule: "R1: claim first", rules: .without(\.claimsFirst), flaw: .deadAndSilent),
        Case(rule: "R1: claim first", rules: .without(\.claimsFirst), flaw: .sentWithoutIntent),
        Case(rule: "R1: store first", rules: .without(\.storesFirst), flaw: .shownBeforeStored),
        Case(rule: "R2: the lock", rules: .without(\.locks), flaw: .lossWithoutFault),
        Case(rule: "R2: the lock", rules: .without(\.locks), flaw: .twoInFlight),
        Case(rule: "R2: reading again", rules: .without(\.rereads), flaw: .failsForNothing),
        Case(
            rule: "R2: compare and swap",
            rules: .without(\.comparesGenerations),
            flaw: .lossWithoutFault
        ),
        Case(
            rule: "R2: compare and swap",
            rules: .without(\.comparesGenerations),
            flaw: .falseAlarm
        ),
        Case(
            rule: "R3: outliving callers",
            rules: .without(\.outlivesCallers),
            flaw: .lossWithoutFault
        ),
        Case(rule: "R4: no waiting", rules: .without(\.servesGoodTokens), flaw: .readerKeptWaiting),
        Case(rule: "R5: sending once", rules: .without(\.sendsOnce), flaw: .sentWithoutIntent),
        Case(rule: "R5: sending once", rules: .without(\.sendsOnce), flaw: .wrongReason),
        Case(rule: "R5: no redirects", rules: .without(\.staysAtItsServer), flaw: .sentElsewhere),
    ])
    private func findsWhatARulePrevents(row: Case) throws {
        let scenario = Scenario(profile: row.profile, events: 1, rules: row.rules)
        let explorer = Explorer(scenario, until: row.flaw)
        let index = try #require(explorer.flaws[row.flaw])
        print("Without \(row.rule), \(row.flaw.rawValue):")
        for line in explorer.trace(to: index) { print("    \(line)") }
    }
}
