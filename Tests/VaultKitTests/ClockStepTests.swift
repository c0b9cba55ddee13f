import FoundationEssentials
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// Somebody sets the wall clock two hours forward or back: within one boot nothing comes of it.
@Suite(.timeLimit(.minutes(1))) struct ClockStepTests {
    @Test(
        "server E6: stepped while a refresh is in flight, its token is good for its real life",
        arguments: [-7200.0, 7200]
    )
    func midFlight(step: Double) async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.add()
            let refresh = Task { try await scene.vault.refresh("work") }
            try await hold.waitForArrivals()
            scene.clock.stepWall(by: step)
            scene.clock.advance(by: 10)
            hold.release()
            let token = try await refresh.value
            // It counts from the sending, on the wall as it stands now.
            #expect(token.expiry == scene.clock.now().wall.addingTimeInterval(3590))
            scene.clock.advance(by: 3520)
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-2")
            #expect(server.requestCount == 1)
            scene.clock.advance(by: 69)
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-3")
            #expect(server.requestCount == 2 && server.reuseCount == 0)
        }
    }

    @Test(
        "server E6: stepped between refreshes, nothing is renewed at once and nothing served too long",
        arguments: [-7200.0, 7200]
    )
    func betweenRefreshes(step: Double) async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            let names = (1...40).compactMap { AccountName("account\($0)") }
            for name in names { try await scene.add(name) }
            let scheduler = Task { try await scene.vault.runScheduler() }
            try await scene.clock.waitForSleeper(within: 30.1)
            scene.clock.stepWall(by: step)
            // Twelve minutes, of the twenty-four before which nothing is ever due.
            for _ in 1...24 {
                try await scene.clock.waitForSleeper(within: 30.1)
                scene.clock.advanceToNextWake(within: 30.1)
                await Task.yield()
            }
            scheduler.cancel()
            _ = try? await scheduler.value
            for name in names {
                #expect(try await scene.vault.accessToken(for: name).generation == 1)
            }
            #expect(server.requestCount == 0)
            scene.clock.advance(by: 3600)
            for name in names {
                #expect(try await scene.vault.accessToken(for: name).generation == 2)
            }
            #expect(server.requestCount == names.count && server.reuseCount == 0)
        }
    }
}
