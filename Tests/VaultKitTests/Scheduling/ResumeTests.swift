import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// The machine was asleep, and its network comes back later than it does.
@Suite(.timeLimit(.minutes(1))) struct ResumeTests {
    /// A server behind a network that is up from a time on.
    private final class Network: HTTPTransport {
        let clock: ManualClock
        let server = RotatingServer(lifetime: 7200)
        let upAt = Shared<Moment?>(nil)
        /// When requests came, in seconds since the network was up, and how many were at work then.
        let arrivals = Shared<[(time: Double, atWork: Int)]>([])
        private let atWork = Shared(0)

        init(clock: ManualClock) {
            self.clock = clock
        }

        private var upFor: Double? { upAt.value.map { clock.now().seconds(since: $0) } }

        func canReach(_ url: EndpointURL, through _: NetworkOptions) async -> Bool {
            upFor.map { $0 >= 0 } ?? true
        }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            guard await canReach(request.url, through: request.network) else {
                throw .notSent(.nameNotResolved)
            }
            let count = atWork.update {
                $0 += 1; return $0
            }
            if let upFor { arrivals.update { $0.append((upFor, count)) } }
            // Time enough for others to come too.
            for _ in 1...100 { await Task.yield() }
            atWork.update { $0 -= 1 }
            return try await server.transport().send(request)
        }
    }

    @Test(
        "server E4, E5, cli D05, D06, TI-05: after a suspend a canary goes first, once there is a network",
        arguments: [(600.0, 0.0), (600, 60), (36_000, 0), (36_000, 60), (36_000, 1000)]
    )
    func resume(asleep: Double, offline: Double) async throws {
        let clock = ManualClock()
        let network = Network(clock: clock)
        try await TemporaryVault.use(isVolatile: true) { home in
            let vault = try await home.open(transport: network, clock: clock)
            for number in 1...100 {
                let name = try #require(AccountName("account\(number)"))
                let tokens = TokenResponse.testing(
                    accessToken: "\(name)-access-1",
                    refreshToken: "\(name)-refresh-1",
                    lifetime: number == 1 ? 1000 : 3600
                )
                _ = try await vault.add(.testing(name), tokens)
            }
            let scheduler = Task { try await vault.runScheduler() }
            // The first one is refreshed in time, so that the host is known.
            try await pass(1400, by: 20, clock, vault)
            #expect(network.server.requestCount == 1)
            network.upAt.update { $0 = clock.now().advanced(by: max(asleep, 2000) + offline) }
            clock.advance(by: max(asleep, 2000))
            let step = offline > 100 ? 5 : 0.5
            try await pass(offline + 10 + offline / 20, by: step, clock, vault)
            #expect(network.server.requestCount == 100 + (asleep > 3600 ? 1 : 0))
            let arrivals = network.arrivals.value
            // Two seconds, or a twentieth of a long time offline.
            #expect(arrivals.first.map { $0.time <= max(2, offline / 20 + step) } ?? false)
            // Alone, and never more at once than there were answers before.
            for (number, arrival) in arrivals.enumerated() {
                #expect(arrival.atWork <= number + 1)
            }
            #expect(arrivals.dropFirst(1).first?.atWork ?? 2 <= 2)
            // No try was counted against anybody.
            for account in try await vault.accounts() {
                #expect(account.failureCount == 0, "\(account)")
            }
            scheduler.cancel()
            _ = try? await scheduler.value
            await vault.close()
        }
    }

    /// Lets so many seconds pass, some at a time: what is at work meanwhile comes to its end first.
    private func pass(
        _ seconds: Double,
        by step: Double = 0.5,
        _ clock: ManualClock,
        _ vault: Vault
    ) async throws {
        let end = clock.now().advanced(by: seconds)
        while end.seconds(since: clock.now()) > 0 {
            var looks = 0
            while looks < 3 {
                try await Task.sleep(for: .milliseconds(1))
                // Whoever is about to run does so first, however busy the machine is.
                for _ in 1...50 { await Task.yield() }
                // Whoever was woken by the clock sleeps on it again once it is done.
                let rests =
                    clock.sleeperCount > 0 && vault.schedulerWakeup.isAwaited
                    && vault.refresher.flightCount == 0
                looks = rests ? looks + 1 : 0
            }
            clock.advance(by: step)
        }
    }
}
