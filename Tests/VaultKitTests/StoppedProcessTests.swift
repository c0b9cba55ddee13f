import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// A process that is stopped between its claim and its request, for longer than a claim is good.
@Suite(.timeLimit(.minutes(1))) struct StoppedProcessTests {
    /// Stops the process for 11 seconds at each of its first claims.
    private func stops(_ count: Int, _ clock: ManualClock) -> FaultPoints {
        let left = Shared(count)
        return FaultPoints { place in
            guard place == .claimed else { return }
            let stops = left.update { left in
                left -= 1
                return left >= 0
            }
            if stops { clock.advance(by: 11) }
        }
    }

    @Test("an old claim is not sent on: the refresh starts over and sends once", arguments: [1, 2])
    func startsOver(count: Int) async throws {
        let clock = ManualClock()
        let server = RotatingServer()
        try await withScene(server.transport(), clock: clock, faults: stops(count, clock)) {
            scene in
            try await scene.addExpired()
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-2")
            #expect(server.requestCount == 1)
        }
    }

    @Test("a machine that stops all the time is told busy, and nothing is sent")
    func alwaysStopped() async throws {
        let clock = ManualClock()
        try await withScene(clock: clock, faults: stops(.max, clock)) { scene in
            try await scene.addExpired()
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == .busy)
            #expect(try scene.stored().tokens.signInNeeded == nil)
            #expect(try scene.stored().intent == nil)
        }
    }

    @Test("a claim that was not sent is no attempt: a refusal after it is a refusal of the grant")
    func unsentClaimIsNoAttempt() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.refusal("invalid_grant"))
        try await withScene(transport, clock: clock, faults: stops(1, clock)) { scene in
            try await scene.addExpired()
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(try scene.stored().tokens.signInNeeded?.reason == .grantRefused)
        }
    }

    @Test("D8: not sent after such a claim leaves no intent behind")
    func unsentClaimLeavesNothing() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.failure(.notSent(.connectionFailed)))
        try await withScene(transport, clock: clock, faults: stops(1, clock)) { scene in
            try await scene.addExpired()
            _ = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(try scene.stored().intent == nil)
        }
    }

    @Test("cli A20: signed in again while stopped, the newer pair is used and nothing is sent")
    func signedInWhileStopped() async throws {
        let clock = ManualClock()
        let hold = Hold()
        let faults = FaultPoints { place in
            guard place == .claimed else { return }
            try? await hold.pass()
            clock.advance(by: 11)
        }
        try await withScene(clock: clock, faults: faults) { scene in
            try await scene.addExpired()
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            try await scene.signInAgain()
            hold.release()
            #expect(try await caller.value.text == "new-access")
        }
    }
}
