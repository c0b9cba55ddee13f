import Testing
import VaultTesting

@testable import VaultKit

/// The crowd that `make bench` measures: here only that it is one request, and what it may cost at
/// the most on a machine that others share.
@Suite(.timeLimit(.minutes(2))) struct CrowdTests {
    private static let callers = 10_000

    @Test("ten thousand callers on an expired account cause one request, and cost little memory")
    func crowd() async throws {
        let server = RotatingServer()
        let hold = Hold()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let before = ResidentMemory.now
            let callers = (0..<Self.callers).map { _ in
                Task { try await scene.vault.accessToken(for: "work") }
            }
            try await scene.vault.waitForWaiters(Self.callers)
            // One timer for all, however many deadlines.
            #expect(scene.clock.sleeperCount <= 1)
            #expect(ResidentMemory.now - before < Self.bound)
            hold.release()
            var generations: Set<UInt64> = []
            for caller in callers { generations.insert(try await caller.value.generation) }
            #expect(generations == [2])
            #expect(server.requestCount == 1)
        }
    }

    /// A debug build's frames are larger than those that count.
    private static let bound = ResidentMemory.isSanitized ? .infinity : 128e6
}
