import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultSQLite
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// Whoever hangs or must wait takes nothing from the others.
@Suite(.timeLimit(.minutes(2))) struct SchedulerFairnessTests {
    private func add(_ text: String, of host: String = "as", _ scene: Scene) async throws {
        let name = try #require(AccountName(text))
        let registration = AccountRegistration(
            name: name,
            client: Client(id: ClientID(rawValue: host)),
            tokenEndpoint: try EndpointURL("https://\(host).example/token")
        )
        let tokens = TokenResponse.testing(
            accessToken: "\(name)-access-1",
            refreshToken: "\(name)-refresh-1",
            lifetime: 3600
        )
        _ = try await scene.vault.add(registration, tokens)
    }

    @Test("a refresh that takes long is at work once, however often it is seen")
    func slow() async throws {
        let hold = Hold()
        let server = RotatingServer(lifetime: 7200)
        let transport = ScriptedTransport { request in
            let token = request.refreshToken?.reveal { $0 } ?? ""
            let answer = server.answer(to: request)
            return token.hasPrefix("slow") ? answer.held(by: hold) : answer
        }
        try await withScene(transport) { scene in
            for number in 1...5 { try await add("quick\(number)", scene) }
            scene.clock.advance(by: 1)
            try await add("slow", scene)
            scene.clock.advance(by: 3601)
            let scheduler = Task { try await scene.vault.runScheduler() }
            try await scene.clock.passingSleeps(within: 1) { try await hold.waitForArrivals() }
            let end = scene.clock.now().advanced(by: 25)
            while end.seconds(since: scene.clock.now()) > 0 {
                try await scene.clock.waitForSleeper(within: 30.1)
                scene.clock.advanceToNextWake(within: 30.1)
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(scene.vault.lateness.counts.steps.reduce(0, +) == 6)
            scheduler.cancel()
            hold.release()
            _ = try? await scheduler.value
            while scene.vault.refresher.flightCount > 0 { await Task.yield() }
        }
    }

    @Test("a client that must wait hides no other, however many of its accounts are due")
    func blocked() async throws {
        let server = RotatingServer(lifetime: 7200)
        let transport = ScriptedTransport { request in
            guard request.request.url.host == "alone.example" else {
                return .response(429, headers: [("Retry-After", "600")])
            }
            return server.answer(to: request)
        }
        try await withScene(transport) { scene in
            for number in 1...2 * Scheduler.seats + 50 {
                try await add("many\(number)", of: "many", scene)
            }
            scene.clock.advance(by: 1000)
            try await add("alone", of: "alone", scene)
            // Due after all the others.
            scene.clock.advance(by: 3601)
            try await run(scene, for: 12)
            #expect(server.requestCount == 1)
        }
    }

    @Test("accounts of an older vault are known by their clients soon after a scheduler begins")
    func olderVault() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            for number in 1...300 {
                try await add("account\(number)", of: "as\(number % 3)", scene)
            }
            let file = try VaultFile(scene.home.location)
            try file.connection.execute("UPDATE account SET client_hash = NULL")
            try await run(scene, for: 2)
            #expect(try scene.vault.store.clients(after: [], limit: 10).count == 3)
            let hints = try scene.vault.store.due(before: .distantFuture, limit: 1000)
            #expect(hints.count == 300 && hints.allSatisfy { $0.client != nil })
        }
    }
}
