import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// What is stored is read at one moment and judged at another, and between the two another process
/// may have stored a token.
@Suite(.timeLimit(.minutes(1))) struct ReadBeforeTimeTests {
    /// A clock that moves on a little each time somebody looks at it.
    private struct TickingClock: VaultClock {
        let clock: ManualClock

        func now() -> Moment {
            defer { clock.advance(by: 0.01) }
            return clock.now()
        }

        func sleep(seconds: Double) async throws {
            try await clock.sleep(seconds: seconds)
        }
    }

    @Test("server A2: a token that another process stored a moment ago is not renewed once more")
    func tokenOfAMomentAgo() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            let late = ManualClock()
            // Where the other process stands already when this one looks at its clock first.
            late.advance(by: 3601 - 0.005)
            let reader = try await scene.home.open(
                transport: UnreachableTransport(),
                clock: TickingClock(clock: late)
            )
            _ = try await scene.vault.accessToken(for: "work")
            #expect(try await reader.accessToken(for: "work").text == "work-access-2")
            #expect(server.requestCount == 1)
        }
    }
}
