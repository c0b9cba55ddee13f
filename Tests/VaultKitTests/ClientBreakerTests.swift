import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// What happens to the accounts of one client when it is the client, its host or its server that is
/// wrong.
@Suite(.timeLimit(.minutes(2))) struct ClientBreakerTests {
    private func name(_ number: Int) throws -> AccountName {
        try #require(AccountName("account\(number)"))
    }

    /// Adds accounts whose access tokens expired a second ago.
    private func add(_ count: Int, to scene: Scene) async throws {
        for number in 1...count { try await scene.add(try name(number)) }
        scene.clock.advance(by: 3601)
    }

    private func states(_ scene: Scene) async throws -> [AccountState: Int] {
        Dictionary(grouping: try await scene.vault.accounts(), by: \.state).mapValues(\.count)
    }

    private let granted: @Sendable (SentRequest) -> ScriptedAnswer = { request in
        let token = request.refreshToken?.reveal { $0 } ?? ""
        return .grant(accessToken: "access of \(token)", refreshToken: "after " + token)
    }

    @Test("a wrong client secret for an hour, 1,000 accounts: no account is flagged")
    func wrongSecret() async throws {
        let isMended = Shared(false)
        let transport = ScriptedTransport { request in
            isMended.value ? granted(request) : .refusal("invalid_client", status: 401)
        }
        try await withScene(transport) { scene in
            try await add(1000, to: scene)
            try await run(scene, for: 300)
            // As many as were under way when the third was refused.
            let atOnce = transport.requestCount
            #expect(atOnce <= 8)
            try await run(scene, for: 3600)
            #expect((10...12).contains(transport.requestCount - atOnce))
            #expect(try await states(scene) == [.clientRefused: 1000])
            // Asking does not cost more.
            for number in 1...50 {
                let error = await vaultError {
                    try await scene.vault.accessToken(for: try name(number))
                }
                #expect(error?.code == .clientRefused)
            }
            #expect(transport.requestCount - atOnce <= 13)
            isMended.update { $0 = true }
            let mended = try await scene.vault.setSecret(
                of: ClientID(rawValue: "client"),
                to: Secret("new secret")
            )
            #expect(mended.count == 1000)
            let before = transport.requestCount
            try await run(scene, for: 120)
            #expect(try await states(scene) == [.active: 1000])
            #expect(transport.requestCount - before == 1000)
        }
    }

    @Test("three accounts refused open the breaker, one success closes it")
    func opensAndCloses() async throws {
        let answer = Shared(ScriptedAnswer.refusal("invalid_client", status: 401))
        let transport = ScriptedTransport { _ in answer.value }
        try await withScene(transport) { scene in
            try await add(5, to: scene)
            for number in 1...5 {
                _ = await vaultError { try await scene.vault.accessToken(for: try name(number)) }
            }
            #expect(transport.requestCount == 3)
            let client = try scene.vault.store.clientState(of: scene.stored(name(4)))
            #expect(client.breaker?.reason == .clientRefused)
            // The one that tried last lets another go first.
            scene.clock.advance(by: 300)
            let third = await vaultError { try await scene.vault.refresh(try name(3)) }
            #expect(third?.code == .clientRefused && transport.requestCount == 3)
            answer.update { $0 = .grant(accessToken: "a", refreshToken: "r") }
            #expect(try await scene.vault.refresh(try name(4)).text == "a")
            #expect(try scene.vault.store.clientState(of: scene.stored(name(4))).breaker == nil)
        }
    }

    @Test("two processes take one try of an open breaker")
    func oneTry() async throws {
        let transport = ScriptedTransport { _ in .refusal("invalid_client", status: 401) }
        try await withScene(transport) { scene in
            try await add(6, to: scene)
            for number in 1...3 {
                _ = await vaultError { try await scene.vault.accessToken(for: try name(number)) }
            }
            scene.clock.advance(by: 301)
            let other = try await scene.openAgain()
            async let first = vaultError { try await scene.vault.refresh(try name(4)) }
            async let second = vaultError { try await other.refresh(try name(5)) }
            let codes = await [first?.code, second?.code]
            #expect(codes == [.clientRefused, .clientRefused])
            #expect(transport.requestCount == 4)
        }
    }

    @Test("one account's invalid_scope stops no other")
    func invalidScope() async throws {
        let transport = ScriptedTransport { request in
            let isFirst = request.refreshToken == Secret("account1-refresh-1")
            return isFirst ? .refusal("invalid_scope") : granted(request)
        }
        try await withScene(transport) { scene in
            try await add(6, to: scene)
            try await run(scene, for: 3600)
            #expect(try await states(scene) == [.backingOff: 1, .active: 5])
            #expect(try await scene.vault.account(name(1)).reason == "request_refused")
        }
    }

    @Test("C12: a host that asks for peace gets it from all accounts of the client")
    func throttled() async throws {
        let start = Shared<Moment?>(nil)
        let clock = ManualClock()
        let times = Shared<[Double]>([])
        let transport = ScriptedTransport { request in
            let now = clock.now()
            let first = start.update { start -> Moment in
                start = start ?? now
                return start ?? now
            }
            times.update { $0.append(now.seconds(since: first)) }
            return times.value.count == 1
                ? .response(429, headers: [(name: "Retry-After", value: "120")]) : granted(request)
        }
        try await withScene(transport, clock: clock) { scene in
            try await add(4, to: scene)
            for number in 1...4 {
                let error = await vaultError {
                    try await scene.vault.refresh(try name(number))
                }
                #expect(error?.code == .throttled)
            }
            #expect(transport.requestCount == 1)
            try await run(scene, for: 400)
            #expect(times.value.count == 5 && times.value.dropFirst().allSatisfy { $0 >= 120 })
            #expect(try await states(scene) == [.active: 4])
        }
    }

    @Test("D13: so many refusals at once are not believed, and nobody has to sign in again")
    func massRefusal() async throws {
        let isMended = Shared(false)
        let transport = ScriptedTransport { request in
            isMended.value ? granted(request) : .refusal("invalid_grant")
        }
        try await withScene(transport) { scene in
            try await add(50, to: scene)
            let events = scene.vault.events
            for number in 1...50 {
                let error = await vaultError {
                    try await scene.vault.accessToken(for: try name(number))
                }
                #expect(error?.code == (number < 20 ? .signInNeeded : .massRefusal))
            }
            #expect(transport.requestCount == 20)
            #expect(try await states(scene) == [.backingOff: 50])
            #expect(try await scene.vault.account(name(7)).reason == "mass_refusal")
            try await run(scene, for: 3600)
            #expect((10...12).contains(transport.requestCount - 20))
            #expect(try await states(scene)[.signInNeeded] == nil)
            isMended.update { $0 = true }
            try await run(scene, for: 1200)
            #expect(try await states(scene) == [.active: 50])
            let kinds = await everything(of: events, closing: scene.vault)
            #expect(kinds.count { $0 == .signInNeeded } == 19)
            #expect(kinds.count { $0 == .stateChanged(.active) } == 50)
        }
    }

    @Test("D13: so many refusals in a row are not believed, however many accounts there are")
    func manyInARow() async throws {
        let transport = ScriptedTransport { _ in .refusal("invalid_grant") }
        try await withScene(transport) { scene in
            try await add(100, to: scene)
            for number in 1...30 {
                _ = await vaultError { try await scene.vault.accessToken(for: try name(number)) }
                scene.clock.advance(by: 4)
            }
            #expect(transport.requestCount == 20)
            // Those that nobody asked for wait too.
            #expect(try await states(scene) == [.backingOff: 100])
        }
    }

    @Test("D13, D15: a probe of a grant that is refused already is no news, also in a doubt")
    func probeDuringDoubt() async throws {
        let transport = ScriptedTransport { _ in .refusal("invalid_grant") }
        try await withScene(transport) { scene in
            try await scene.addExpired("early")
            _ = await vaultError { try await scene.vault.accessToken(for: "early") }
            scene.clock.advance(by: 86_400 * 1.2)
            try await add(25, to: scene)
            for number in 1...25 {
                _ = await vaultError { try await scene.vault.accessToken(for: try name(number)) }
            }
            #expect(try await states(scene) == [.signInNeeded: 1, .backingOff: 25])
            _ = await vaultError { try await scene.vault.accessToken(for: "early") }
            scene.clock.advance(by: 301)
            _ = await vaultError { try await scene.vault.accessToken(for: "early") }
            #expect(try scene.stored("early").tokens.signInNeeded != nil)
            #expect(try await scene.vault.account("early").state == .signInNeeded)
        }
    }

    @Test("D13: a few refusals, or few of many, are believed", arguments: [(19, 19), (25, 100)])
    func believed(refused: Int, accounts: Int) async throws {
        let transport = ScriptedTransport { request in
            let token = request.refreshToken?.reveal { $0 } ?? ""
            let number = Int(token.dropFirst("account".count).prefix { $0 != "-" }) ?? 0
            // Of the hundred every fourth is refused, and others are granted between.
            return accounts == refused || number % 4 == 0
                ? .refusal("invalid_grant") : granted(request)
        }
        try await withScene(transport) { scene in
            try await add(accounts, to: scene)
            for number in 1...accounts {
                _ = await vaultError { try await scene.vault.accessToken(for: try name(number)) }
            }
            #expect(try await states(scene)[.signInNeeded] == refused)
        }
    }

    @Test("D13: refusals that come slowly are believed")
    func slowly() async throws {
        let transport = ScriptedTransport { _ in .refusal("invalid_grant") }
        try await withScene(transport) { scene in
            try await add(25, to: scene)
            for number in 1...25 {
                _ = await vaultError { try await scene.vault.accessToken(for: try name(number)) }
                scene.clock.advance(by: 20)
            }
            #expect(try await states(scene) == [.signInNeeded: 25])
        }
    }

    @Test("D15: a refused grant is asked for once a day, four days long, and may live again")
    func dailyProbe() async throws {
        let isMended = Shared(false)
        let transport = ScriptedTransport { request in
            isMended.value ? granted(request) : .refusal("invalid_grant")
        }
        try await withScene(transport) { scene in
            try await scene.addExpired()
            try await run(scene, for: 86_400)
            #expect(transport.requestCount == 1)
            try await run(scene, for: 6 * 86_400)
            #expect(transport.requestCount == 4)
            #expect(try scene.stored().health.due == nil)
            isMended.update { $0 = true }
            try await run(scene, for: 86_400)
            #expect(transport.requestCount == 4)
        }
        isMended.update { $0 = false }
        let again = ScriptedTransport { request in
            isMended.value ? granted(request) : .refusal("invalid_grant")
        }
        try await withScene(again) { scene in
            try await scene.addExpired()
            try await run(scene, for: 3600)
            isMended.update { $0 = true }
            try await run(scene, for: 86_400 * 1.2)
            #expect(try await states(scene) == [.active: 1])
            #expect(try scene.stored().tokens.signInNeeded == nil)
        }
    }

    @Test(
        "ER-12: the same bare refusal for ten minutes and more is a dead grant, and a guess before"
    )
    func silentRefusal() async throws {
        let transport = ScriptedTransport { _ in .response(400) }
        try await withScene(transport) { scene in
            try await scene.add()
            // Not while the access token lives; `run` may end half a minute later.
            try await run(scene, for: 3560)
            #expect(try await states(scene) == [.outcomeUnknown: 1])
            // Whatever the account's first refresh was, its next one is not further away.
            try await run(scene, for: RefreshSchedule.longestPause + 600)
            let account = try await scene.vault.account("work")
            #expect(account.state == .signInNeeded && account.reason == "refused_without_reason")
            #expect(try scene.stored().refreshText == "work-refresh-1")
        }
    }
}
