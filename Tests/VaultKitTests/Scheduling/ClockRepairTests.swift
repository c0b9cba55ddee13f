import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultStore
import VaultTesting

@testable import VaultKit

/// The wall clock was set: of some hundred accounts nobody is refreshed for that, and nobody forgotten.
@Suite(.timeLimit(.minutes(2))) struct ClockRepairTests {
    /// More than are thought over in one round.
    private static let count = 260
    /// Seconds in which a first refresh of an hour's token is due: two may have passed, and whole ones
    /// are stored, rounded up.
    private static let planned = 1438.0...3241

    private func withAccounts(
        _ server: RotatingServer = RotatingServer(),
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await withScene(server.transport()) { scene in
            for number in 1...Self.count {
                try await scene.add(#require(AccountName("account\(number)")))
            }
            try await body(scene)
        }
    }

    /// Seconds from now until each account is due.
    private func delays(_ scene: Scene) throws -> [Double] {
        let now = scene.clock.now().wall
        return try scene.vault.store.accounts(after: nil, limit: Self.count).compactMap {
            $0.health.due?.timeIntervalSince(now)
        }
    }

    /// Looks until nothing is left to do, or so many times.
    private func repair(_ scene: Scene, rounds: Int = 100) async throws {
        var clocks = ClockRepair(at: scene.clock.now())
        for _ in 1...rounds {
            _ = try await clocks.look(at: scene.clock.now(), scene.vault.store)
            if clocks.rest(for: 30) == 30 { return }
            scene.clock.advance(by: Scheduler.shortestPause)
        }
    }

    @Test("F-39, E6: set back while nobody ran, and thought over by one who is killed in between")
    func setBack() async throws {
        try await withAccounts { scene in
            // The clocks are noted.
            try await repair(scene)
            scene.clock.stepWall(by: -7200)
            for _ in 1...3 { try await repair(scene, rounds: 2) }
            try await repair(scene)
            let delays = try delays(scene)
            #expect(delays.count == Self.count)
            #expect(delays.allSatisfy(Self.planned.contains), "\(delays.sorted())")
            // Nothing is left to be thought over.
            try await repair(scene)
            #expect(try self.delays(scene).allSatisfy(Self.planned.contains))
        }
    }

    @Test("F-39: a year back after a reboot: all are due soon, and none is put off again and again")
    func aYearBack() async throws {
        try await withAccounts { scene in
            try await repair(scene)
            scene.clock.reboot()
            scene.clock.stepWall(by: -365 * 86_400)
            for _ in 1...3 { try await repair(scene, rounds: 2) }
            scene.clock.advance(by: 31)
            try await repair(scene)
            let delays = try delays(scene)
            #expect(delays.count == Self.count)
            // Whole seconds are stored, rounded up.
            let soon = delays.filter { $0 <= RefreshSchedule.newness + 1 }
            #expect(soon.count == Self.count, "\(delays.sorted())")
            // Those that were thought over first came due meanwhile.
            #expect(delays.filter { $0 <= 0 }.count >= 250)
        }
    }

    @Test(
        "F-39, E6: set while a scheduler runs, there and back: nobody is refreshed for it, all are in time",
        arguments: [[7200.0], [-7200, 7200], [-600, -600, -600]]
    )
    func steps(_ steps: [Double]) async throws {
        let server = RotatingServer(lifetime: 36_000)
        try await withAccounts(server) { scene in
            let start = scene.clock.now()
            for step in steps {
                try await run(scene, for: 35)
                scene.clock.stepWall(by: step)
            }
            try await run(scene, for: 700)
            #expect(server.requestCount == 0)
            // Ten minutes too early at most, where it was set there and back.
            try await run(scene, for: 3300 - scene.clock.now().seconds(since: start))
            #expect(server.requestCount == Self.count)
            #expect(server.reuseCount == 0)
        }
    }

    @Test(
        "F-39: ten years ahead after a boot, then set right: one refresh each, and nobody put off"
    )
    func tenYearsAhead() async throws {
        let server = RotatingServer(lifetime: 3600)
        try await withAccounts(server) { scene in
            try await repair(scene)
            scene.clock.reboot()
            scene.clock.stepWall(by: 3650 * 86_400)
            // Nothing tells a machine that was off for ten years from a clock that is wrong.
            try await run(scene, for: 120)
            #expect(server.requestCount == Self.count)
            scene.clock.stepWall(by: -3650 * 86_400)
            try await run(scene, for: 1200)
            #expect(server.requestCount == Self.count)
            try await run(scene, for: 2340)
            #expect(server.requestCount == 2 * Self.count)
            #expect(server.reuseCount == 0)
        }
    }
}
