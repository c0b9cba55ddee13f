import OAuth
import Platform
import Testing
import VaultTesting

@testable import VaultKit

/// What a process that runs for months does all the time takes no memory for good.
///
/// Each part is warmed up with a tenth of its work, and the bound is a few bytes for each time: what
/// is left behind once a time shows.
@Suite(.timeLimit(.minutes(2))) struct FlatMemoryTests {
    @Test("100,000 look-ups leave nothing in memory")
    func lookups() async throws {
        try await withScene { scene in
            for name in Self.names { try await scene.add(name, lifetime: nil) }
            try await expectFlat(times: 100_000) { number in
                // Now and then what is in memory is too old, and the file is read.
                if number % 50 == 0 { scene.clock.advance(by: 1) }
                _ = try await scene.vault.accessToken(for: Self.names[number % Self.names.count])
            }
        }
    }

    @Test("1,000 refreshes leave nothing in memory")
    func refreshes() async throws {
        let server = RotatingServer()
        try await withScene(clock: ManualClock()) { scene in
            // Not the scripted transport, which keeps all that was sent.
            let vault = try await scene.openAgain(transport: Forgetful(server: server))
            try await scene.addExpired()
            try await expectFlat(times: 1000) { _ in
                scene.clock.advance(by: 3601)
                _ = try await vault.accessToken(for: "work")
            }
            await vault.close()
        }
    }

    @Test("opening and closing a vault 100 times leaves nothing in memory")
    func opens() async throws {
        try await withScene { scene in
            try await scene.add()
            try await expectFlat(times: 100) { _ in
                let vault = try await scene.openAgain()
                _ = try await vault.accessToken(for: "work")
                await vault.close()
            }
        }
    }

    private static let names = (1...20).compactMap { AccountName("account-\($0)") }

    /// Bytes that are noise: pages of the heap come and go.
    private static let bound = ResidentMemory.isSanitized ? .infinity : 3e6

    private func expectFlat(times: Int, _ body: (Int) async throws -> Void) async throws {
        for number in 0..<times / 10 { try await body(number) }
        let before = ResidentMemory.now
        for number in 0..<times { try await body(number) }
        #expect(ResidentMemory.now - before < Self.bound)
    }
}

private struct Forgetful: HTTPTransport {
    let server: RotatingServer

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        try await ScriptedTransport { server.answer(to: $0) }.send(request)
    }
}
