import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// Providers do not get in each other's way.
@Suite(.timeLimit(.minutes(2))) struct ProviderFairnessTests {
    /// Adds accounts of a provider whose tokens have all expired.
    private func add(_ count: Int, of host: String, to scene: Scene) async throws {
        for number in 1...count {
            let name = try #require(AccountName("\(host)-\(number)"))
            let endpoint = try EndpointURL("https://\(host).example/token")
            let registration = AccountRegistration(
                name: name,
                client: Client(id: ClientID(rawValue: host)),
                tokenEndpoint: endpoint
            )
            let tokens = TokenResponse.testing(
                accessToken: "\(name)-access-1",
                refreshToken: "\(name)-refresh-1",
                lifetime: 3600
            )
            _ = try await scene.vault.add(registration, tokens)
        }
    }

    @Test("server E2, cli I10: a provider that hangs keeps its own accounts waiting, and no others")
    func hanging() async throws {
        let hold = Hold()
        let served = Shared(0)
        let transport = ScriptedTransport { request in
            guard request.request.url.host == "fast.example" else {
                return .failure(.ambiguous(.timedOut)).held(by: hold)
            }
            served.update { $0 += 1 }
            let last = request.refreshToken?.reveal { $0 } ?? ""
            return .grant(accessToken: "access", refreshToken: last + "x")
        }
        try await withScene(transport) { scene in
            try await add(1000, of: "hanging", to: scene)
            try await add(1000, of: "fast", to: scene)
            scene.clock.advance(by: 3601)
            let scheduler = Task { try await scene.vault.runScheduler() }
            try await scene.clock.passingSleeps(within: 1) {
                while served.value < 1000 {
                    #expect(scene.vault.refresher.flightCount <= Scheduler.seats)
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            // The canary of the one that hangs, and nothing else.
            #expect(hold.arrivals == 1)
            scheduler.cancel()
            hold.release()
            _ = try? await scheduler.value
            while scene.vault.refresher.flightCount > 0 { await Task.yield() }
        }
    }
}
