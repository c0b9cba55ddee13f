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
        "server E6, faults F-39: stepped between refreshes, nothing is renewed at once or served too long",
        arguments: [-7200.0, 7200, -31_536_000, 315_360_000]
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

    @Test(
        "server E7: a clock that is always wrong makes no loop, and no token look bad",
        arguments: [-600.0, 600],
        [60.0, 300]
    )
    func alwaysWrong(offset: Double, lifetime: Double) async throws {
        let clock = ManualClock()
        // As the server sees it; a vault that went by such a time would take the token for expired,
        // or for good ten minutes too long.
        @Sendable func ofServer() -> Int { Int(clock.now().wall.timeIntervalSince1970 - offset) }
        let transport = ScriptedTransport { request in
            let claims = Data("{\"iat\":\(ofServer()),\"exp\":\(ofServer() + Int(lifetime))}".utf8)
                .base64EncodedString().replacing("=", with: "")
            let last = request.refreshToken?.reveal { $0 } ?? ""
            return .grant(
                accessToken: "e30.\(claims).x",
                refreshToken: last + "x",
                expiresIn: lifetime
            )
        }
        try await withScene(transport, clock: clock) { scene in
            try await scene.add(lifetime: lifetime)
            try await run(scene, for: 3600)
            // Not more often than after two fifths of a life.
            #expect(
                (Int(3600 / lifetime)...Int(3600 / (0.4 * lifetime)) + 1)
                    .contains(transport.requestCount)
            )
            let token = try await scene.vault.accessToken(for: "work")
            let left = token.expiry?.timeIntervalSince(clock.now().wall) ?? 0
            #expect(left > 0 && left <= lifetime)
        }
    }
}
