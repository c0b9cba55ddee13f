import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultStore

@testable import VaultKit

/// What is done about a refresh token whose answer was lost, for each kind of server.
@Suite struct LostAnswerTests {
    private struct Case: CustomTestStringConvertible {
        let rotation: RefreshTokenRotation
        var attempt = 1
        /// Seconds since it was first sent.
        var firstBefore = 0.0
        /// Seconds since the access token, which lives for an hour, was obtained.
        var age = 3000.0
        /// Seconds until the retry.
        let wait: Double?

        var testDescription: String { "\(rotation), try \(attempt), age \(Int(age))" }
    }

    private func planner(_ row: Case, hasIntent: Bool = false) -> RefreshPlanner {
        var account = StoredAccount.fixture(age: row.age)
        account.settings.refresh.rotation = row.rotation
        if hasIntent {
            account.intent = .fixture(attempt: row.attempt, firstBefore: row.firstBefore)
        }
        return RefreshPlanner(account: account, client: ClientState(), urgency: .routine)
    }

    // 540 s: the access token has 600 left, and 60 are promised to whoever asks.
    @Test(
        "B2, B3, D7: nothing came back",
        arguments: [
            Case(rotation: .none, wait: 2), Case(rotation: .overlap, attempt: 5, wait: 2),
            Case(rotation: .grace(seconds: 30), firstBefore: 5, wait: 2),
            Case(rotation: .grace(seconds: 6), firstBefore: 3, wait: 1),
            Case(rotation: .grace(seconds: 30), firstBefore: 29, wait: 540),
            Case(rotation: .unknown, wait: 12), Case(rotation: .unknown, attempt: 2, wait: 540),
            Case(rotation: .unknown, attempt: 2, age: 3601, wait: 12),
            Case(rotation: .strict, wait: 540), Case(rotation: .strict, age: 3545, wait: 12),
        ]
    )
    private func nothingCameBack(row: Case) {
        #expect(wait(row, after: .failed(.ambiguous(.timedOut))) == row.wait)
    }

    @Test(
        "D21: a server that answers did not take the refresh token for a used one",
        arguments: [
            Case(rotation: .unknown, attempt: 9, wait: 12),
            Case(rotation: .grace(seconds: 30), firstBefore: 5, wait: 2),
            Case(rotation: .strict, wait: 540),
        ]
    )
    private func answered(row: Case) {
        #expect(wait(row, after: .refusal(.ambiguous(.transient), status: 503)) == row.wait)
    }

    private func wait(_ row: Case, after answer: RefreshAnswer) -> Double? {
        let conclusion = planner(row).conclude(
            answer,
            to: .fixture(attempt: row.attempt, firstBefore: row.firstBefore),
            sent: .fixed,
            at: .fixed,
            random: 1
        )
        guard case .abandon(let end, _) = conclusion else { return nil }
        #expect(end.outcomeIsUnknown && end.health.state == .outcomeUnknown)
        return end.health.due?.timeIntervalSince(Moment.fixed.wall)
    }

    @Test(
        "B1: what a process that died has left behind",
        arguments: [
            Case(rotation: .none, attempt: 9, wait: nil), Case(rotation: .overlap, wait: nil),
            Case(rotation: .grace(seconds: 30), firstBefore: 29, wait: nil),
            Case(rotation: .grace(seconds: 30), firstBefore: 31, wait: 540),
            Case(rotation: .unknown, wait: nil), Case(rotation: .unknown, attempt: 2, wait: 540),
            Case(rotation: .unknown, attempt: 2, age: 3541, wait: nil),
            Case(rotation: .strict, wait: 540), Case(rotation: .strict, age: 3541, wait: nil),
        ]
    )
    private func leftBehind(row: Case) {
        #expect(planner(row, hasIntent: true).waitForLostAnswer(at: .fixed) == row.wait)
        let begun = planner(row, hasIntent: true).begin(at: .fixed, random: 0)
        switch begun {
        case .claim: #expect(row.wait == nil)
        case .wait: Issue.record("no requests are limited here")
        case .refuse(let error, let health):
            #expect(error.code == .outcomeUnknown && health?.state == .outcomeUnknown)
            #expect(health?.due?.timeIntervalSince(Moment.fixed.wall) == row.wait)
        }
    }

    @Test("a person's word passes over the wait")
    func asked() {
        let row = Case(rotation: .strict, wait: nil)
        let asked = RefreshPlanner(
            account: planner(row, hasIntent: true).account,
            client: ClientState(),
            urgency: .asked
        )
        #expect(asked.waitForLostAnswer(at: .fixed) == nil)
    }

    @Test("a retry that was planned is due when it was planned for, however far off that is")
    func planned() {
        // The access token lives for eight hours, and seven of them are left.
        let lastChance = 25_140.0
        let rows: [(RefreshTokenRotation, dueIn: Double, wait: Double?)] = [
            (.unknown, -1, nil), (.unknown, 4000, 4000), (.unknown, 99_999, lastChance),
            (.strict, -1, lastChance), (.grace(seconds: 5), -1, lastChance),
            (.none, 99_999, nil),
        ]
        for (rotation, dueIn, wait) in rows {
            var account = StoredAccount.fixture(
                lifetime: 8 * 3600,
                age: 3600,
                failure: "outcome_unknown",
                failureCount: 3,
                failedBefore: 0,
                dueIn: dueIn
            )
            account.settings.refresh.rotation = rotation
            account.intent = .fixture(attempt: 3, firstBefore: 60)
            let planner = RefreshPlanner(
                account: account,
                client: ClientState(),
                urgency: .routine
            )
            #expect(planner.waitForLostAnswer(at: .fixed) == wait, "\(rotation), \(dueIn)")
        }
    }

    @Test("what is told outweighs what was learned, and only strictness is learned from others")
    func learned() {
        struct Row {
            var told: RefreshTokenRotation?
            var timesKept = 0
            var retries = ClientState.Retries()
            let found: RefreshTokenRotation
        }
        let refused = ClientState.Retries(granted: 1, refused: 3)
        let rows = [
            Row(found: .unknown), Row(told: .unknown, found: .unknown),
            Row(told: .overlap, timesKept: 3, retries: refused, found: .overlap),
            Row(timesKept: 3, retries: refused, found: .none), Row(timesKept: 2, found: .unknown),
            Row(retries: refused, found: .strict),
            Row(told: .unknown, retries: refused, found: .strict),
            Row(retries: ClientState.Retries(granted: 0, refused: 2), found: .unknown),
            Row(retries: ClientState.Retries(granted: 2, refused: 4), found: .unknown),
        ]
        for row in rows {
            var account = StoredAccount.fixture()
            account.settings.refresh.rotation = row.told
            account.tokens.timesKept = row.timesKept
            var client = ClientState()
            client.retries = row.retries
            let planner = RefreshPlanner(account: account, client: client, urgency: .routine)
            #expect(planner.rotation == row.found, "\(row)")
        }
    }
}
