import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

@Suite struct RefreshConclusionTests {
    /// How a first claim ends for this answer.
    private func end(
        _ answer: RefreshAnswer,
        of account: StoredAccount = .fixture(age: 3601),
        attempt: Int = 1,
        firstBefore: Double = 0,
        client: ClientState = ClientState(),
        request: AccessTokenRequest? = nil,
        random: Double = 0
    ) -> Abandonment? {
        var planner = RefreshPlanner(account: account, client: client, urgency: .routine)
        planner.request = request
        let conclusion = planner.conclude(
            answer,
            to: .fixture(attempt: attempt, firstBefore: firstBefore),
            sent: .fixed,
            at: .fixed,
            random: random
        )
        guard case .abandon(let end, _) = conclusion else { return nil }
        return end
    }

    private func pause(_ end: Abandonment?) -> Double? {
        end?.health.due?.timeIntervalSince(Moment.fixed.wall)
    }

    private let unreachable = RefreshAnswer.failed(.notSent(.connectionFailed))
    private let timedOut = RefreshAnswer.failed(.ambiguous(.timedOut))

    @Test("the shortest back-off is a whole second, which is what the store can keep")
    func shortestBackoff() {
        #expect(pause(end(unreachable)) == 1)
        #expect(pause(end(unreachable, random: 0.8)) == 2)
    }

    @Test(
        "Retry-After holds between a second and an hour, for the account and its host",
        arguments: [(0.0, 1.0), (120, 120), (1e9, 3600)]
    )
    func retryAfter(asked: Double, expected: Double) {
        let found = end(.refusal(.throttled, status: 429, retryAfter: asked))
        #expect(pause(found) == expected)
        #expect(found.map { RefreshSchedule.pause($0.health, at: .fixed) } == expected)
        let until = Moment.fixed.wall.addingTimeInterval(expected)
        #expect(found?.effect == .throttled(until: until))
    }

    @Test(
        "the cap is five minutes while the token lives, half an hour after",
        arguments: [(3000.0, 300.0), (3601, 1800)]
    )
    func cap(age: Double, expected: Double) {
        let account = StoredAccount.fixture(age: age, failure: "unreachable", failureCount: 50)
        let found = end(unreachable, of: account, random: 1)
        #expect(pause(found) == expected)
        #expect(found?.health.failures?.count == 51)
    }

    @Test("a dead grant is probed a day later; refused the second time its rotation was lost")
    func deadGrant() {
        for (attempt, reason) in [(1, SignInNeeded.Reason.grantRefused), (2, .rotationLost)] {
            let found = end(.refusal(.grantRefused), attempt: attempt, firstBefore: 15)
            #expect(pause(found) == 86_400)
            #expect(found?.health.state == .signInNeeded)
            #expect(found?.signInNeeded?.reason == reason)
            #expect(found?.outcomeIsUnknown == false)
            #expect(found?.effect == .grantRefused(isEarlyRetry: attempt == 2))
            let sent = attempt == 1 ? nil : Moment.fixed.wall.addingTimeInterval(-15)
            #expect(found?.signInNeeded?.firstSent == sent)
        }
    }

    @Test(
        "a probe that is refused changes the time of the next, and there are none after four days"
    )
    func probes() {
        for (age, next) in [(1.0, 86_400.0 as Double?), (2.9, 86_400), (3.1, nil), (9, nil)] {
            var account = StoredAccount.fixture(age: 3601, signInNeeded: .rotationLost)
            let since = Moment.fixed.wall.addingTimeInterval(-age * 86_400)
            account.tokens.signInNeeded?.since = since
            for answer in [RefreshAnswer.refusal(.grantRefused), timedOut] {
                let found = end(answer, of: account)
                #expect(pause(found) == next)
                #expect(found?.signInNeeded == account.tokens.signInNeeded)
                #expect(found?.health.state == .signInNeeded)
            }
        }
    }

    @Test("D24: a pair of a second sending that is refused met the first one, late")
    func lateDuplicate() {
        var account = StoredAccount.fixture(age: 3601)
        let wall = Moment.fixed.wall
        let sendings = LateDuplicate(
            firstSent: wall.addingTimeInterval(-3700),
            sentAgain: wall.addingTimeInterval(-3680)
        )
        account.tokens.lateDuplicate = sendings
        let needed = end(.refusal(.grantRefused), of: account)?.signInNeeded
        #expect(needed?.reason == .lateDuplicate)
        #expect(needed?.firstSent == sendings.firstSent)
        #expect(needed?.sentAgain == sendings.sentAgain)
    }

    @Test("a pair of a second sending remembers both, and so do those of the next ten minutes")
    func sendings() {
        var account = StoredAccount.fixture(age: 3601)
        for (attempt, later, isKept) in [(2, 0.0, true), (1, 599, true), (1, 601, false)] {
            let planner = RefreshPlanner(
                account: account,
                client: ClientState(),
                urgency: .routine
            )
            let pair = planner.pair(
                TokenResponse.testing(accessToken: "a", refreshToken: "new-\(later)"),
                for: .fixture(attempt: attempt, firstBefore: 20),
                sent: .fixed,
                at: Moment.fixed.advanced(by: later)
            )
            let first = Moment.fixed.wall.addingTimeInterval(-20)
            #expect(pair.tokens.lateDuplicate?.firstSent == (isKept ? first : nil))
            #expect(pair.effect == .granted(isRetry: attempt == 2))
            account.tokens = pair.tokens
        }
    }

    @Test("the same 4xx without a reason is a dead grant after three in ten minutes, token expired")
    func silentRefusal() {
        struct Row {
            let status: Int
            let age: Double
            let known: SilentRefusals?
            let isDead: Bool
            var counted: Int?
        }
        func known(_ count: Int, _ age: Double) -> SilentRefusals {
            SilentRefusals(
                status: 400,
                count: count,
                since: Moment.fixed.advanced(by: -age)
            )
        }
        let rows = [
            Row(status: 400, age: 3601, known: nil, isDead: false, counted: 1),
            Row(status: 400, age: 3601, known: known(2, 600), isDead: true),
            Row(status: 400, age: 3601, known: known(2, 599), isDead: false, counted: 3),
            Row(status: 400, age: 3601, known: known(1, 6000), isDead: false, counted: 2),
            Row(status: 400, age: 3000, known: known(9, 6000), isDead: false, counted: 10),
            Row(status: 403, age: 3601, known: known(2, 600), isDead: false, counted: 1),
            // What stands before a token endpoint answers with these.
            Row(status: 413, age: 3601, known: known(2, 600), isDead: false),
            Row(status: 500, age: 3601, known: known(2, 600), isDead: false),
            Row(status: 200, age: 3601, known: known(2, 600), isDead: false),
        ]
        for row in rows {
            var account = StoredAccount.fixture(age: row.age)
            account.tokens.silentRefusals = row.known
            let found = end(.refusal(.ambiguous(.malformed), status: row.status), of: account)
            let reason: SignInNeeded.Reason? = row.isDead ? .refusedWithoutReason : nil
            #expect(found?.signInNeeded?.reason == reason, "\(row)")
            #expect(found?.silentRefusals?.count == row.counted, "\(row)")
            #expect(found?.outcomeIsUnknown == !row.isDead, "\(row)")
        }
    }

    private let mail = AccessTokenRequest(scope: Scope(["mail"]), resource: nil)

    @Test("refusals without a reason of what is asked for beside it are none of the account's")
    func silentRefusalOfARequest() {
        var account = StoredAccount.fixture(age: 3601)
        let since = Moment.fixed.advanced(by: -600)
        account.tokens.silentRefusals = SilentRefusals(status: 400, count: 2, since: since)
        let found = end(.refusal(.ambiguous(.malformed)), of: account, request: mail)
        #expect(found?.signInNeeded == nil)
        #expect(found?.silentRefusals == account.tokens.silentRefusals)
        #expect(found?.outcomeIsUnknown == true)
    }

    @Test("a request refused like a dead grant leaves it to the account's own refresh, at once")
    func refusedRequest() {
        var account = StoredAccount.fixture(age: 100, dueIn: 2000)
        let due = Moment.fixed.wall
        let first = end(.refusal(.grantRefused), of: account, request: mail)
        #expect(first?.health == StoredAccount.Health(state: .active, due: due))
        #expect(first?.outcomeIsUnknown == false)
        #expect(first?.signInNeeded == nil && first?.effect == nil)
        // What was unknown before is unknown still, and is no reason to wait.
        account.intent = .fixture(firstBefore: 15)
        let answer = RefreshAnswer.refusal(.grantRefused)
        let second = end(answer, of: account, attempt: 2, firstBefore: 15, request: mail)
        #expect(second?.outcomeIsUnknown == true)
        #expect(second?.signInNeeded == nil && second?.effect == nil)
        account.intent = .fixture(attempt: 2, firstBefore: 15)
        if let second { account.health = second.health }
        #expect(RefreshSchedule.isDue(account, at: .fixed))
        let own = RefreshPlanner(account: account, client: ClientState(), urgency: .routine)
        guard case .claim = own.begin(at: .fixed, random: 0) else {
            Issue.record("the account's own refresh waits")
            return
        }
    }

    @Test("a refusal with a reason nobody knows is none without one")
    func unknownReason() {
        var account = StoredAccount.fixture(age: 3601)
        let since = Moment.fixed.advanced(by: -6000)
        account.tokens.silentRefusals = SilentRefusals(status: 400, count: 8, since: since)
        let answer = RefreshAnswer.refusal(.ambiguous(.malformed), code: "brand_new_code")
        let found = end(answer, of: account)
        #expect(found?.signInNeeded == nil && found?.silentRefusals == nil)
        // Nor is a page made for people.
        let page = end(.refusal(.ambiguous(.malformed), isPage: true), of: account)
        #expect(page?.signInNeeded == nil && page?.silentRefusals == nil)
    }

    @Test("ten minutes are not those of a wall clock that was set")
    func steppedClock() {
        var account = StoredAccount.fixture(age: 3601)
        let since = Moment(
            wall: Moment.fixed.wall.addingTimeInterval(-7200),
            bootID: Moment.fixed.bootID,
            uptime: Moment.fixed.uptime - 5
        )
        account.tokens.silentRefusals = SilentRefusals(status: 400, count: 8, since: since)
        #expect(end(.refusal(.ambiguous(.malformed)), of: account)?.signInNeeded == nil)
    }

    @Test("an asked retry that is not sent leaves a strict server's grace to the last chance")
    func lateAfterAll() {
        var account = StoredAccount.fixture(lifetime: 8 * 3600, age: 3600)
        account.settings.refresh.rotation = .strict
        for answer in [unreachable, .refusal(.throttled, status: 429)] {
            #expect(pause(end(answer, of: account, attempt: 2)) == 25_140)
        }
        account.settings.refresh.rotation = nil
        #expect(pause(end(unreachable, of: account, attempt: 2)) == 11)
    }

    @Test("a probe that is refused says nothing new of the client")
    func probeHasNoEffect() {
        let account = StoredAccount.fixture(age: 90_000, signInNeeded: .grantRefused)
        #expect(end(.refusal(.grantRefused), of: account)?.effect == nil)
    }
}

extension RefreshAnswer {
    static func refusal(
        _ class: AnswerClass,
        status: Int = 400,
        code: String? = nil,
        retryAfter: Double? = nil,
        isPage: Bool = false
    ) -> RefreshAnswer {
        .answered(
            .refused(
                TokenEndpointError(
                    class: `class`,
                    code: code,
                    retryAfter: retryAfter,
                    status: status,
                    isPage: isPage
                )
            )
        )
    }
}

extension Intent {
    /// A claim of this moment, the first try of which was some seconds before.
    static func fixture(attempt: Int = 1, firstBefore: Double = 0) -> Intent {
        Intent(
            refreshTokenHash: [7],
            claimed: .fixed,
            attempt: attempt,
            first: Moment.fixed.advanced(by: -firstBefore)
        )
    }
}
