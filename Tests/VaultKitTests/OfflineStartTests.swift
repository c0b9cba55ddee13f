import OAuth
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// A machine that starts without a network.
@Suite(.timeLimit(.minutes(1))) struct OfflineStartTests {
    @Test("cli B17: a start without a network takes nothing away, and ends with the outage")
    func nothingIsTakenAway() async throws {
        let isOnline = Shared(false)
        let server = RotatingServer()
        let transport = ScriptedTransport { request in
            guard isOnline.value else { return .failure(.notSent(.nameNotResolved)) }
            let isMachine = request.refreshToken == nil
            return isMachine ? .grant(accessToken: "machine-2") : server.answer(to: request)
        }
        try await withScene(transport) { scene in
            try await scene.add()
            var machine = AccountRegistration.testing("machine")
            machine.grantKind = .clientCredentials
            try await scene.vault.add(machine, .testing(accessToken: "machine-1"))
            let key = AccountRegistration(staticToken: "key")
            try await scene.vault.add(key, .testing(accessToken: "key", lifetime: nil))
            scene.clock.advance(by: 7200)
            let names: [AccountName] = ["work", "machine", "key"]
            let before = try names.map { try scene.stored($0).tokens }
            try await run(scene, for: 12 * 3600)
            let after = try names.map { try scene.stored($0).tokens }
            #expect(after == before)
            for name in names.dropLast() {
                let error = await vaultError { try await scene.vault.accessToken(for: name) }
                #expect(error?.code == .unreachable)
                #expect(try await scene.vault.account(name).state == .backingOff)
            }
            #expect(try await scene.vault.accessToken(for: "key").text == "key")
            isOnline.update { $0 = true }
            #expect(try await scene.vault.refresh("work").text == "work-access-2")
            #expect(try await scene.vault.refresh("machine").text == "machine-2")
        }
    }
}
