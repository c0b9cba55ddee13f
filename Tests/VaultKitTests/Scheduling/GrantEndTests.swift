import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

@Suite(.timeLimit(.minutes(2))) struct GrantEndTests {
    private static let day = 86_400.0

    /// A server whose access tokens last 40 days, and that says of its refresh tokens what `told` does.
    private static func transport(
        _ clock: ManualClock,
        rotating isRotating: Bool = true,
        _ told: @escaping @Sendable (_ now: Date) -> Double?
    ) -> ScriptedTransport {
        ScriptedTransport { request in
            let next = (request.refreshToken?.reveal { $0 } ?? "") + "x"
            let parts = [
                #""access_token":"a","expires_in":864000"#,
                isRotating ? #""refresh_token":"\#(next)""# : nil,
                told(clock.now().wall).map { #""refresh_expires_in":\#(Int($0))"# },
            ]
            return .response(200, body: "{\(parts.compactMap { $0 }.joined(separator: ","))}")
        }
    }

    private func add(_ scene: Scene, provider: String? = nil, told: Double?) async throws {
        var registration = AccountRegistration.testing("work")
        registration.refresh.provider = provider
        let response = TokenResponse(
            accessToken: Secret("a"),
            refreshToken: Secret("r-\(scene.clock.now().uptime)"),
            lifetime: 10 * Self.day,
            refreshTokenLifetime: told
        )
        try await scene.vault.add(registration, response, replacing: .always)
    }

    /// The days, since the scene began, on which the end of the grant is told.
    private func told(
        _ scene: Scene,
        _ scheduler: inout Scheduler,
        days: Int
    ) async throws -> [Int] {
        let counter = Counter(scene.vault)
        _ = await counter.count()
        var told: [Int] = []
        for day in 1...days {
            await pass(scene, &scheduler, days: 0.99)
            for _ in 0..<(await counter.count()) { told.append(day) }
        }
        return told
    }

    /// Counts what is written down of ends, once each.
    private struct Counter {
        let vault: Vault
        let seen = Shared(0)

        init(_ vault: Vault) { self.vault = vault }

        func count() async -> Int {
            let rows = (try? vault.store.openAnother().activity(after: nil, limit: 10_000)) ?? []
            let all = rows.filter { $0.action == "grant_ending" }.count
            return seen.update { seen in
                defer { seen = all }
                return all - seen
            }
        }
    }

    @Test("server E10, cli D13: an absolute end is told of two weeks before, once")
    func absolute() async throws {
        let clock = ManualClock()
        try await withScene(Self.transport(clock) { _ in nil }, clock: clock) { scene in
            let events = scene.vault.events
            let end = clock.now().wall.addingTimeInterval(365 * Self.day)
            // LinkedIn: a year, however often it is used.
            try await add(scene, provider: "linkedin", told: nil)
            #expect(try await scene.vault.account("work").grantEnd == end)
            var scheduler = Scheduler(vault: scene.vault)
            await pass(scene, &scheduler, days: 350)
            #expect(try await scene.vault.account("work").grantEnd == end)
            let days = try await told(scene, &scheduler, days: 12)
            #expect(days.count == 1 && days[0] <= 2)
            let kinds = await everything(of: events, closing: scene.vault)
            #expect(kinds.filter { $0 == .grantEnds(end) }.count == 1)
        }
    }

    @Test("cli D13: a quarter of a short life before, and anew for each grant")
    func told() async throws {
        let clock = ManualClock()
        let end = Shared(clock.now().wall.addingTimeInterval(20 * Self.day))
        let transport = Self.transport(clock) { now in end.value.timeIntervalSince(now) }
        try await withScene(transport, clock: clock) { scene in
            try await add(scene, told: 20 * Self.day)
            var scheduler = Scheduler(vault: scene.vault)
            let first = try await told(scene, &scheduler, days: 19)
            #expect(first.count == 1 && (15...16).contains(first[0]))
            end.update { $0 = clock.now().wall.addingTimeInterval(20 * Self.day) }
            try await add(scene, told: 20 * Self.day)
            let second = try await told(scene, &scheduler, days: 19)
            #expect(second.count == 1 && (15...16).contains(second[0]))
        }
    }

    @Test(
        "cli D13: a full life with every refresh is nothing to tell of",
        arguments: [7.0, 20, 90]
    )
    func sliding(days: Double) async throws {
        let clock = ManualClock()
        let transport = Self.transport(clock) { _ in days * Self.day }
        try await withScene(transport, clock: clock) { scene in
            try await add(scene, told: days * Self.day)
            var scheduler = Scheduler(vault: scene.vault)
            #expect(try await told(scene, &scheduler, days: 120) == [])
            // The machine was off for long: first it is refreshed.
            scene.clock.advance(by: days * 0.9 * Self.day)
            #expect(try await told(scene, &scheduler, days: 20) == [])
            #expect(try await scene.vault.account("work").state == .active)
        }
    }

    @Test("cli D13: told by whichever process looks first, and by no other after it")
    func twoProcesses() async throws {
        let clock = ManualClock()
        try await withScene(Self.transport(clock, rotating: false) { _ in nil }, clock: clock) {
            scene in
            let other = try await scene.openAgain()
            try await add(scene, told: 7 * Self.day)
            scene.clock.advance(by: 6 * Self.day)
            var (first, second) = (Scheduler(vault: scene.vault), Scheduler(vault: other))
            let days = try await told(scene, &first, days: 1)
            #expect(days == [1])
            #expect(await Counter(other).count() == 1)
            _ = await second.dispatch()
            #expect(await Counter(other).count() == 1)
            await other.close()
        }
    }

    @Test("cli D13: very many ends are looked through, some in each round")
    func many() async throws {
        try await withScene { scene in
            for number in 0..<200 {
                let response = TokenResponse(
                    accessToken: Secret("a"),
                    refreshToken: Secret("r\(number)"),
                    lifetime: 400 * Self.day,
                    // The first half ends within two weeks, and is told of later.
                    refreshTokenLifetime: number < 100 ? 10 * Self.day : 60 * Self.day
                )
                let name = try #require(AccountName("a\(number)"))
                var registration = AccountRegistration.testing(name)
                registration.renewal = .manual
                try await scene.vault.add(registration, response)
            }
            let counter = Counter(scene.vault)
            var scheduler = Scheduler(vault: scene.vault)
            for _ in 0..<6 { _ = await scheduler.dispatch() }
            #expect(await counter.count() == 0)
        }
    }
}
