import FoundationEssentials
import OAuth
import Testing
import VaultTesting

@testable import VaultKit

/// What decides on a token's life: the vault's clock, and no other.
@Suite(.timeLimit(.minutes(1))) struct ClockSourceTests {
    @Test("TI-02: lookups and the scheduler go by one clock, however wrong the machine's is")
    func oneClock() async throws {
        let clock = ManualClock(wall: Date(timeIntervalSince1970: 4_000_000_000))
        let server = RotatingServer()
        try await withScene(server.transport(), clock: clock) { scene in
            try await scene.add()
            let due = try #require(try await scene.vault.account("work").due)
            let lead = due.timeIntervalSince(clock.now().wall)
            try await run(scene, for: lead - 31)
            #expect(server.requestCount == 0)
            // Not due for the scheduler, and good for whoever asks.
            #expect(try await scene.vault.accessToken(for: "work").generation == 1)
            try await run(scene, for: 62)
            #expect(server.requestCount == 1)
            #expect(try await scene.vault.accessToken(for: "work").generation == 2)
            #expect(server.requestCount == 1)
        }
    }

    @Test(
        "TI-03: when a token says it was issued never keeps it from being used",
        arguments: [-300.0, -1, 0, 1, 300, 1e9]
    )
    func issuedAt(offset: Double) async throws {
        let clock = ManualClock()
        let now = clock.now().wall.timeIntervalSince1970 + 3601
        let claims = #"{"iat":\#(Int(now + offset)),"exp":\#(Int(now) + 3600)}"#
        let token = "\(encoded(#"{"alg":"none"}"#)).\(encoded(claims)).x"
        let transport = ScriptedTransport(.grant(accessToken: token, expiresIn: nil))
        try await withScene(transport, clock: clock) { scene in
            try await scene.addExpired()
            let served = try await scene.vault.accessToken(for: "work")
            #expect(served.text == token)
            #expect(served.warning == nil)
            let left = try #require(served.expiry).timeIntervalSince(clock.now().wall)
            #expect(abs(left - 3600) <= 1)
            #expect(try await scene.vault.accessToken(for: "work").text == token)
            #expect(transport.requestCount == 1)
        }
    }

    private func encoded(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
