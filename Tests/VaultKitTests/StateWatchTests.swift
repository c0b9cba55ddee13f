import FoundationEssentials
import Platform
import Testing
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// Every change of an account's state is told by every process, once and in order.
@Suite(.timeLimit(.minutes(1))) struct StateWatchTests {
    private func restore(_ path: String, _ scene: Scene) throws {
        let copy = try VaultCopy(path, beside: scene.home.location)
        try copy.file.unlock(with: .keyFileAt(path: scene.home.keyFile))
        let report = try copy.restore(into: scene.home.location, now: scene.clock.now().wall)
        #expect(report.accounts.map(\.state) == [.verifyBeforeUse])
    }

    @Test("what changes with and after a restore is told here and elsewhere")
    func restored() async throws {
        try await withScene { scene in
            try await scene.add()
            let other = try await scene.openAgain()
            let path = scene.home.location.directory + "-copy"
            let file = try VaultFile(scene.home.location)
            try file.unlock(with: .keyFileAt(path: scene.home.keyFile))
            try file.backup(to: path)
            try await scene.signInAgain()
            for state in [AccountState.backingOff, .active, .backingOff, .active] {
                try await scene.setState(state)
                scene.vault.states.tell()
                other.states.tell()
            }
            let streams = [scene.vault.events, other.events]
            // Both have told of more changes than the copy knows.
            try restore(path, scene)
            for vault in [scene.vault, other] { vault.states.tell() }
            try await scene.setState(.active)
            for vault in [scene.vault, other, other] { vault.states.tell() }
            for (vault, events) in zip([scene.vault, other], streams) {
                #expect(
                    await everything(of: events, closing: vault)
                        == [.stateChanged(.verifyBeforeUse), .stateChanged(.active)]
                )
            }
        }
    }

    @Test("a number that nobody gave out is no news, and hides none")
    func editedNumber() async throws {
        try await withScene { scene in
            try await scene.add()
            let events = scene.vault.events
            try Saboteur(scene.home.location).setStateChange(.max)
            for _ in 1...3 { scene.vault.states.tell() }
            try await scene.setState(.backingOff)
            for _ in 1...3 { scene.vault.states.tell() }
            #expect(
                await everything(of: events, closing: scene.vault) == [.stateChanged(.backingOff)]
            )
        }
    }

    @Test("many who tell at once tell each change once and in its order")
    func crowd() async throws {
        try await withScene { scene in
            let names = (10...29).compactMap { AccountName("account-\($0)") }
            for name in names { try await scene.add(name) }
            let events = scene.vault.events
            let watch = scene.vault.states
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...4 {
                    group.addTask {
                        for _ in 1...50 {
                            watch.tell()
                            await Task.yield()
                        }
                    }
                }
                for name in names { try await scene.setState(.backingOff, of: name) }
                try await group.waitForAll()
            }
            watch.tell()
            await scene.vault.close()
            var told: [AccountName] = []
            for await event in events { if let account = event.account { told.append(account) } }
            #expect(told == names)
        }
    }
}
