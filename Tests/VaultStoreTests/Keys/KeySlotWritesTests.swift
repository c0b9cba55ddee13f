import FoundationEssentials
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

@Suite struct KeySlotWritesTests {
    @Test func everyKindOfSlotIsAWayIn() async throws {
        try await withTemporaryVault { vault in
            let added = try vault.addOneOfEachKind()
            #expect(added.map(\.number) == [2, 3, 4])
            let recoveryKey = try #require(added[2].recoveryKey)
            let keyFile = try #require(added[1].keyFile)
            let ways: [(Unlock, UInt16)] = [
                (.passphrase(vault.passphrase), 2), (.keyFileAt(path: keyFile), 3),
                (.recoveryKey(recoveryKey), 4), (.keyFileAt(path: vault.keyFile), 1),
                (.keyFile, 1), (.key(Secret(bytes: bytes(of: keyFile))), 3),
            ]
            for (unlock, number) in ways {
                let file = try VaultFile(vault.location)
                #expect(try file.unlock(with: unlock) == number)
                #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
            }
        }
    }

    @Test func slotsAreDescribedWithoutAKey() async throws {
        try await withTemporaryVault { vault in
            let added = try vault.addOneOfEachKind()
            let slots = try VaultFile(vault.location).keySlots()
            #expect(slots.map(\.number) == [1, 2, 3, 4])
            #expect(slots.map(\.kind) == [.keyFile, .passphrase, .keyFile, .recoveryKey])
            #expect(slots.map(\.keyFile) == [vault.keyFile, nil, added[1].keyFile, nil])
            #expect(slots.map(\.cost) == [.none, .cheap, .none, .none])
            #expect(slots.map(\.changed) == [Date?](repeating: Fixture.now, count: 4))
        }
    }

    @Test func anOpenVaultStillAsksForASecret() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.addOneOfEachKind()
            let file = try vault.open()
            let before = try Editor(vault).slots()
            let wrong = StoreError.locked(.passphraseWrong)
            let unlock = Unlock.passphrase(Secret("some other passphrase"))
            #expect(throws: wrong) {
                try file.addKeySlot(.recoveryKey, authorizedBy: unlock, now: Fixture.now)
            }
            #expect(throws: wrong) { try file.removeKeySlot(1, authorizedBy: unlock) }
            #expect(throws: wrong) {
                try file.changeKeySlot(4, to: .recoveryKey, authorizedBy: unlock, now: Fixture.now)
            }
            #expect(throws: wrong) { try file.rotateKeys(authorizedBy: unlock, now: Fixture.now) }
            #expect(throws: wrong) {
                try file.rekey(authorizedBy: unlock, slots: [:], dropping: [], now: Fixture.now)
            }
            #expect(try Editor(vault).slots() == before)
            #expect(try file.account(named: "work").generation == 1)
        }
    }

    @Test func aRemovedSlotOpensNothingAndItsNumberIsNotTakenAgain() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.addOneOfEachKind()
            let file = try VaultFile(vault.location)
            let unlock = Unlock.passphrase(vault.passphrase)
            #expect(throws: StoreError.noSuchKeySlot(9)) {
                try file.removeKeySlot(9, authorizedBy: unlock)
            }
            try file.removeKeySlot(3, authorizedBy: unlock)
            #expect(try file.removeKeySlot(2, authorizedBy: unlock).kind == .passphrase)
            #expect(throws: StoreError.locked(.noPassphraseSlot)) { try file.unlock(with: unlock) }
            let added = try file.addKeySlot(
                .passphrase(vault.passphrase, .cheap),
                authorizedBy: .keyFile,
                now: Fixture.now
            )
            #expect(added.number == 5)
            #expect(try file.unlock(with: unlock) == 5)
        }
    }

    @Test func theLastSlotStays() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            #expect(throws: StoreError.lastKeySlot) {
                try file.removeKeySlot(1, authorizedBy: .keyFile)
            }
            #expect(throws: StoreError.lastKeySlot) {
                try file.rekey(authorizedBy: .keyFile, slots: [:], dropping: [1], now: Fixture.now)
            }
            _ = try vault.open()
        }
    }

    @Test func aChangedSlotOpensWithItsNewSecretAlone() async throws {
        try await withTemporaryVault { vault in
            let old = try vault.addOneOfEachKind()
            let file = try VaultFile(vault.location)
            let next = Secret("another passphrase")
            for (number, new) in [
                (2, NewKeySlot.passphrase(next, .cheap)),
                (3, .keyFile(path: vault.folder + "/third.key")), (4, .recoveryKey),
            ] {
                let changed = try file.changeKeySlot(
                    UInt16(number),
                    to: new,
                    authorizedBy: .keyFileAt(path: vault.keyFile),
                    now: Fixture.now.addingTimeInterval(60)
                )
                #expect(changed.number == number)
                if let text = changed.recoveryKey {
                    #expect(try file.unlock(with: .recoveryKey(text)) == 4)
                }
            }
            #expect(try file.unlock(with: .passphrase(next)) == 2)
            #expect(try file.unlock(with: .keyFileAt(path: vault.folder + "/third.key")) == 3)
            #expect(try file.keySlots().map(\.number) == [1, 2, 3, 4])
            #expect(try file.keySlots()[1].changed == Fixture.now.addingTimeInterval(60))
            #expect(throws: StoreError.locked(.passphraseWrong)) {
                try file.unlock(with: .passphrase(vault.passphrase))
            }
            #expect(throws: StoreError.locked(.recoveryKeyWrong)) {
                try file.unlock(with: .recoveryKey(old[2].recoveryKey ?? Secret("")))
            }
            let keyFile = old[1].keyFile ?? ""
            #expect(throws: StoreError.locked(.keyFileWrong(path: keyFile))) {
                try file.unlock(with: .keyFileAt(path: keyFile))
            }
        }
    }

    @Test func aSlotKeepsItsKind() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            #expect(throws: StoreError.keySlotKind(number: 1, .keyFile)) {
                try file.changeKeySlot(
                    1,
                    to: .recoveryKey,
                    authorizedBy: .keyFile,
                    now: Fixture.now
                )
            }
            #expect(throws: StoreError.noSuchKeySlot(2)) {
                try file.changeKeySlot(
                    2,
                    to: .recoveryKey,
                    authorizedBy: .keyFile,
                    now: Fixture.now
                )
            }
        }
    }

    @Test func twoSlotsNeverShareAKeyFile() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let before = bytes(of: vault.keyFile)
            let taken = StoreError.keyFileInUse(path: vault.keyFile)
            #expect(throws: taken) {
                try file.addKeySlot(
                    .keyFile(path: vault.keyFile),
                    authorizedBy: .keyFile,
                    now: Fixture.now
                )
            }
            #expect(throws: taken) {
                try file.changeKeySlot(
                    1,
                    to: .keyFile(path: vault.keyFile),
                    authorizedBy: .keyFile,
                    now: Fixture.now
                )
            }
            #expect(bytes(of: vault.keyFile) == before)
        }
    }

    @Test func nothingOfARemovedOrChangedSlotIsLeft() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.addOneOfEachKind()
            let file = try vault.open()
            let slots = try Editor(vault).slots()
            #expect(slots.count == 4)
            let content = { bytes(of: vault.database) + bytes(of: vault.journal) }
            for part in slots.flatMap({ $0 }) { #expect(content().contains(sequence: part)) }
            try file.removeKeySlot(3, authorizedBy: .keyFile)
            for part in slots[2] { #expect(!content().contains(sequence: part)) }
            _ = try file.changeKeySlot(
                2,
                to: .passphrase(Secret("another passphrase"), .cheap),
                authorizedBy: .keyFile,
                now: Fixture.now
            )
            for part in slots[1] { #expect(!content().contains(sequence: part)) }
            for part in slots[0] { #expect(content().contains(sequence: part)) }
            #expect(try file.connection.pragma("journal_size_limit") == "-1")
        }
    }

    @Test func aSlotNumberAtTheEndLeavesRoomInTheMiddle() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let rows = try KeySlots.all(in: file.connection)
            let ofNumber = { (number: UInt16) in
                KeySlots.Row(
                    slot: KeySlot(
                        number: number,
                        kind: .keyFile,
                        cost: .none,
                        salt: [],
                        commitment: [],
                        nonce: [],
                        wrappedRootKey: []
                    ),
                    keyFile: nil,
                    changed: nil
                )
            }
            #expect(try KeySlots.nextNumber(after: []) == 1)
            #expect(try KeySlots.nextNumber(after: rows) == 2)
            #expect(try KeySlots.nextNumber(after: rows + [ofNumber(65_534)]) == 65_535)
            #expect(try KeySlots.nextNumber(after: rows + [ofNumber(65_535)]) == 2)
        }
    }
}
