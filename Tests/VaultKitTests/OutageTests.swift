import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// A server that says 503 for ten minutes to everybody, and then is well.
@Suite(.timeLimit(.minutes(1))) struct OutageTests {
    private static let accounts = 20
    private static let outage = 600.0
    /// Of that many seconds the tokens live on when the outage begins: the shortest lead of theirs.
    private static let life = 900.0

    /// What came to the server: when, for which account.
    private struct Arrival: Sendable {
        let account: String
        let time: Double
    }

    @Test("server D21: retries are spread over the whole back-off, and all is well afterwards")
    func retriesAreSpread() async throws {
        let arrivals = try await arrivals()
        let delays = Self.delays(arrivals)
        #expect(delays.count > 30)
        // Kolmogorov and Smirnov: one honest run in ten thousand is further off than this.
        #expect(Self.distance(ofUniform: delays) < 2.23 / Double(delays.count).squareRoot())
        #expect(Self.busiestSecond(arrivals, after: 30) <= 6)
    }

    /// Lets everybody's refresh fall due at one moment, as after a suspend, into the outage.
    private func arrivals() async throws -> [Arrival] {
        let clock = ManualClock()
        let begin = Shared<Moment?>(nil)
        let arrivals = Shared<[Arrival]>([])
        let server = RotatingServer(lifetime: 7200)
        let transport = ScriptedTransport { request in
            let time = begin.value.map { clock.now().seconds(since: $0) } ?? 0
            let token = request.refreshToken?.reveal { $0 } ?? ""
            arrivals.update {
                $0.append(Arrival(account: String(token.prefix { $0 != "-" }), time: time))
            }
            return time < Self.outage ? .response(503) : server.answer(to: request)
        }
        try await withScene(transport, clock: clock) { scene in
            let events = scene.vault.events
            for number in 1...Self.accounts { try await add("account\(number)", scene) }
            clock.advance(by: 7200 - Self.life)
            begin.update { $0 = clock.now() }
            try await run(scene, for: Self.life - 1)
            for account in try await scene.vault.accounts() {
                #expect(account.generation == 2 && account.state == .active, "\(account)")
            }
            #expect(server.reuseCount == 0)
            let told = await everything(of: events, closing: scene.vault)
            #expect(!told.contains(.signInNeeded))
        }
        return arrivals.value
    }

    /// An account whose server lets a refresh token be sent again: its back-off is all that waits.
    private func add(_ text: String, _ scene: Scene) async throws {
        let name = try #require(AccountName(text))
        var registration = AccountRegistration.testing(name)
        registration.refresh.rotation = .overlap
        let tokens = TokenResponse.testing(
            accessToken: "\(name)-access-1",
            refreshToken: "\(name)-refresh-1",
            lifetime: 7200
        )
        _ = try await scene.vault.add(registration, tokens)
    }

    /// Runs the scheduler and lets so many seconds pass, from one due time to the next.
    private func run(_ scene: Scene, for seconds: Double) async throws {
        let scheduler = Task { try await scene.vault.runScheduler() }
        let end = scene.clock.now().advanced(by: seconds)
        while end.seconds(since: scene.clock.now()) > 0 {
            try await scene.clock.waitForSleeper(within: 30.1)
            while scene.vault.refresher.flightCount > 0 { await Task.yield() }
            let due = try scene.vault.store.nextDue() ?? .distantFuture
            let wait = due.timeIntervalSince(scene.clock.now().wall)
            scene.clock.advance(by: min(max(wait, 1), 30))
            await Task.yield()
        }
        scheduler.cancel()
        _ = try? await scheduler.value
        while scene.vault.refresher.flightCount > 0 { await Task.yield() }
    }

    // MARK: - Numbers

    /// How long each retry waited, as a share of the most it might have: from the sixth on, where
    /// the whole seconds of the store do not show.
    private static func delays(_ arrivals: [Arrival]) -> [Double] {
        Dictionary(grouping: arrivals, by: \.account).values.flatMap { arrivals -> [Double] in
            let times = arrivals.map(\.time)
            return zip(times, times.dropFirst()).enumerated().compactMap { index, pair in
                var bound = 2.0
                for _ in 0..<index { bound = min(bound * 2, 300) }
                return bound < 64 ? nil : min((pair.1 - pair.0) / bound, 1)
            }
        }
    }

    /// The largest distance between what was found and an even spread from 0 to 1.
    private static func distance(ofUniform shares: [Double]) -> Double {
        let count = Double(shares.count)
        return shares.sorted().enumerated().map { index, share in
            max(abs(share - Double(index) / count), abs(share - Double(index + 1) / count))
        }.max() ?? 1
    }

    private static func busiestSecond(_ arrivals: [Arrival], after begin: Double) -> Int {
        let late = arrivals.filter { $0.time >= begin && $0.time < outage }
        return Dictionary(grouping: late) { Int($0.time) }.values.map(\.count).max() ?? 0
    }
}
