import FoundationEssentials
import OAuth
import Testing
import VaultTesting

@testable import VaultKit

/// One vault on two machines: nobody knows of the other.
@Suite(.timeLimit(.minutes(1))) struct CloneTests {
    @Test("faults F-72: a clone that comes too late sends once, says so, and stops")
    func reuseIsNoLoop() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.addExpired()
            let folder = scene.home.location.directory + "-clone"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try FileManager.default.copyItem(atPath: scene.home.location.directory, toPath: folder)
            let clone = try await Vault.open(
                VaultLocation(directory: folder),
                unlock: .keyFileAt(path: scene.home.keyFile),
                transport: scene.transport,
                clock: scene.clock
            )
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-2")
            let sent = server.requestCount
            for _ in 1...5 {
                let error = await vaultError { try await clone.accessToken(for: "work") }
                #expect(error?.code == .signInNeeded)
                scene.clock.advance(by: 3600)
            }
            #expect(server.requestCount == sent + 1)
            #expect(server.reuseCount == 1)
            await clone.close()
        }
    }
}
