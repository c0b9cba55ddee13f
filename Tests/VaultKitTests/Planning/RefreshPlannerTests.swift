import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore

@testable import VaultKit

@Suite struct RefreshPlannerTests {
    private let wall = Moment.fixed.wall

    private func begin(
        _ account: StoredAccount = .fixture(age: 3601),
        _ client: ClientState = ClientState(),
        _ urgency: RefreshPlanner.Urgency = .routine,
        random: Double = 0
    ) -> RefreshPlanner.Beginning {
        RefreshPlanner(account: account, client: client, urgency: urgency)
            .begin(at: .fixed, random: random)
    }

    private func refusal(_ beginning: RefreshPlanner.Beginning) -> VaultError.Code? {
        if case .refuse(let error, _) = beginning { error.code } else { nil }
    }

    private func turn(_ beginning: RefreshPlanner.Beginning) -> BreakerTurn? {
        if case .claim(let turn) = beginning { turn.breaker } else { nil }
    }

    private func breaker(
        nextIn wait: Double,
        lastTried: AccountID? = nil,
        _ reason: ClientState.Breaker.Reason = .clientRefused
    ) -> ClientState {
        var client = ClientState()
        client.breaker = ClientState.Breaker(
            reason: reason,
            since: wall,
            nextTry: wall.addingTimeInterval(wait),
            lastTried: lastTried
        )
        return client
    }

    @Test("a refused grant is asked for when its probe is due, and by who insists")
    func refusedGrant() {
        struct Row {
            let reason: SignInNeeded.Reason
            let age: Double
            let dueIn: Double?
            let isProbed: Bool
        }
        let day = 86_400.0
        let rows = [
            Row(reason: .grantRefused, age: day, dueIn: -1, isProbed: true),
            Row(reason: .grantRefused, age: day, dueIn: 1, isProbed: false),
            Row(reason: .grantRefused, age: day, dueIn: nil, isProbed: false),
            Row(reason: .grantRefused, age: 5 * day, dueIn: -1, isProbed: false),
            // The due time of before it was refused.
            Row(reason: .grantRefused, age: 5, dueIn: -10, isProbed: false),
            Row(reason: .staleCopy, age: day, dueIn: -1, isProbed: false),
            Row(reason: .interactionRequired, age: day, dueIn: -1, isProbed: true),
        ]
        for row in rows {
            var account = StoredAccount.fixture(
                age: 90_000,
                signInNeeded: row.reason,
                dueIn: row.dueIn
            )
            account.tokens.signInNeeded?.since = wall.addingTimeInterval(-row.age)
            let expected: VaultError.Code? = row.isProbed ? nil : .signInNeeded
            #expect(refusal(begin(account)) == expected, "\(row)")
            #expect(refusal(begin(account, ClientState(), .asked)) == expected, "\(row)")
            #expect(refusal(begin(account, ClientState(), .forced)) == nil, "\(row)")
        }
    }

    @Test("without a refresh token nobody's word helps")
    func noRefreshToken() {
        let account = StoredAccount.fixture(refreshToken: nil)
        #expect(refusal(begin(account, ClientState(), .forced)) == .signInNeeded)
    }

    @Test("a host that wants peace gets it from every account of the client, whoever asks")
    func throttled() {
        var client = ClientState()
        client.pausedUntil = wall.addingTimeInterval(100)
        for urgency in [RefreshPlanner.Urgency.routine, .asked, .forced] {
            guard case .refuse(let error, let health) = begin(.fixture(age: 3601), client, urgency)
            else {
                Issue.record("it was sent")
                continue
            }
            #expect(error.code == .throttled && error.retryAfter == 100)
            #expect(health?.state == .backingOff)
            #expect(health?.due == wall.addingTimeInterval(100))
        }
        // No server asks for that much; the clock was set back.
        client.pausedUntil = wall.addingTimeInterval(3602)
        #expect(refusal(begin(.fixture(age: 3601), client)) == nil)
        client.pausedUntil = wall
        #expect(refusal(begin(.fixture(age: 3601), client)) == nil)
    }

    @Test("an open breaker lets one account try at a time, another one each time")
    func breakers() {
        let other = AccountID.random()
        let account = StoredAccount.fixture(age: 3601)
        #expect(refusal(begin(account, breaker(nextIn: 1))) == .clientRefused)
        #expect(refusal(begin(account, breaker(nextIn: 1, .massRefusal))) == .massRefusal)
        let due = breaker(nextIn: 0, lastTried: other)
        let expected = BreakerTurn(due: wall, next: wall.addingTimeInterval(300))
        #expect(turn(begin(account, due)) == expected)
        #expect(refusal(begin(account, breaker(nextIn: 0, lastTried: account.id))) != nil)
        #expect(turn(begin(account, breaker(nextIn: -300, lastTried: account.id))) != nil)
        // A person's word does not open it, insisting does.
        #expect(refusal(begin(account, breaker(nextIn: 1), .asked)) == .clientRefused)
        #expect(refusal(begin(account, breaker(nextIn: 1), .forced)) == nil)
        // The clock was set back since.
        #expect(turn(begin(account, breaker(nextIn: 9999))) != nil)
    }

    @Test("who is kept waiting comes again after the next try, spread over another five minutes")
    func spread() {
        for (random, wait) in [(0.0, 200.0), (1, 500)] {
            let begun = begin(.fixture(age: 3601), breaker(nextIn: 200), random: random)
            guard case .refuse(_, let health) = begun else {
                Issue.record("it was sent")
                continue
            }
            #expect(health?.due == wall.addingTimeInterval(wait))
            #expect(health?.failures?.count == 1 && health?.state == .clientRefused)
        }
    }

    @Test("each claim of a generation counts, and remembers the first")
    func intents() {
        var account = StoredAccount.fixture()
        func intent(startsOver: Bool = false) -> Intent {
            RefreshPlanner(account: account, client: ClientState(), urgency: .routine)
                .intent(refreshTokenHash: [1], startsOver: startsOver, at: .fixed)
        }
        #expect(intent().attempt == 1 && intent().first == .fixed)
        account.intent = .fixture(attempt: 2, firstBefore: 60)
        #expect(intent().attempt == 3 && intent().first == Moment.fixed.advanced(by: -60))
        #expect(intent(startsOver: true).attempt == 2)
        let fresh = intent()
        #expect(RefreshPlanner.maySend(fresh, at: .fixed.advanced(by: 9)))
        #expect(!RefreshPlanner.maySend(fresh, at: .fixed.advanced(by: 10)))
    }
}
