import FoundationEssentials
import Testing
import VaultCrypto

@testable import VaultStore

/// What authorizes a change of keys, and which slot it is about, are looked at when it is made.
@Suite struct KeySlotAuthorizationTests {
    @Test func anAuthorizationEndsWithItsSlot() async throws {
        try await withTemporaryVault { vault in
            let first = try vault.open()
            let other = try vault.open()
            let byFile = Unlock.keyFileAt(path: vault.keyFile)
            let key = try #require(
                try first.addKeySlot(.recoveryKey, authorizedBy: byFile, now: Fixture.now)
                    .recoveryKey
            )
            try other.unlock(with: .recoveryKey(key))
            try other.writeKeys { _ in }
            try first.removeKeySlot(2, authorizedBy: byFile)
            #expect(throws: StoreError.locked(.keysReplaced)) { try other.writeKeys { _ in } }
        }
    }

    @Test func anAuthorizationEndsWhenItsSlotIsChanged() async throws {
        try await withTemporaryVault { vault in
            let first = try vault.open()
            let other = try vault.open()
            _ = try first.changeKeySlot(
                1,
                to: .keyFile(path: vault.secondKeyFile),
                authorizedBy: .keyFileAt(path: vault.keyFile),
                now: Fixture.now
            )
            #expect(throws: StoreError.locked(.keysReplaced)) { try other.writeKeys { _ in } }
        }
    }

    @Test func aRotationStopsWhenItsAuthorizationEnds() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let byFile = Unlock.keyFileAt(path: vault.keyFile)
            let added = try file.addKeySlot(.recoveryKey, authorizedBy: byFile, now: Fixture.now)
            let key = Unlock.recoveryKey(try #require(added.recoveryKey))
            #expect(throws: StoreError.locked(.keysReplaced)) {
                try file.rotateKeys(authorizedBy: key, now: Fixture.now) { progress in
                    guard progress.moved == 0, try file.keySlots().count == 2 else { return }
                    try vault.open().removeKeySlot(2, authorizedBy: byFile)
                }
            }
            let rotation = try vault.open().rotateKeys(authorizedBy: byFile, now: Fixture.now)
            #expect(rotation.isResumed && rotation.epoch == 2)
        }
    }

    /// The number of a slot that was the last is taken again.
    @Test func theSlotThatWasSeenIsTheOneThatGoes() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let byFile = Unlock.keyFileAt(path: vault.keyFile)
            _ = try file.addKeySlot(.recoveryKey, authorizedBy: byFile, now: Fixture.now)
            let seen = try #require(try file.keySlots().last)
            let other = try vault.open()
            try other.removeKeySlot(2, authorizedBy: byFile)
            let new = try other.addKeySlot(.recoveryKey, authorizedBy: byFile, now: Fixture.now)
            #expect(new.number == 2)
            #expect(throws: StoreError.superseded) {
                try file.removeKeySlot(2, seen: seen, authorizedBy: byFile)
            }
            #expect(throws: StoreError.superseded) {
                try file.changeKeySlot(
                    2,
                    seen: seen,
                    to: .recoveryKey,
                    authorizedBy: byFile,
                    now: Fixture.now
                )
            }
            let key = try #require(new.recoveryKey)
            #expect(file.opens(with: .recoveryKey(key)))
            try file.removeKeySlot(2, authorizedBy: byFile)
        }
    }

    /// A key is shown before it is in force: what was shown opens nothing until then.
    @Test func aRecoveryKeyIsKnownBeforeItIsInForce() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let key = NewKeySlot.makeRecoveryKey()
            #expect(throws: StoreError.locked(.noRecoverySlot)) {
                try file.unlock(with: .recoveryKey(key))
            }
            let added = try file.addKeySlot(
                .shownRecoveryKey(key),
                authorizedBy: .keyFileAt(path: vault.keyFile),
                now: Fixture.now
            )
            #expect(added.recoveryKey == key)
            #expect(try file.unlock(with: .recoveryKey(key)) == 2)
        }
    }

    @Test func aRecoveryKeyThatWasNoneIsRefused() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            #expect(throws: StoreError.locked(.recoveryKeyMalformed)) {
                try file.addKeySlot(
                    .shownRecoveryKey(Secret("0000-0000")),
                    authorizedBy: .keyFileAt(path: vault.keyFile),
                    now: Fixture.now
                )
            }
            #expect(try file.keySlots().count == 1)
        }
    }
}
