import FoundationEssentials
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

@Suite struct RekeyingTests {
    @Test func everythingIsUnderNewKeysAndSaysTheSame() async throws {
        try await withTemporaryVault { vault in
            let contents = try vault.fillWithEverything(more: 300)
            let editor = try Editor(vault)
            let old = try editor.boxes()
            let check = try editor.blob("SELECT root_check FROM vault")
            let file = try vault.open()
            let report = try file.rekey(
                authorizedBy: .keyFile,
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            #expect(report == Rekeying(slots: [1], dropped: [], moved: 305))
            let again = try vault.open()
            for file in [file, again] {
                let after = try VaultContents(file)
                #expect(after.accounts.map(\.tokens) == contents.accounts.map(\.tokens))
                #expect(after.accounts.map(\.settings) == contents.accounts.map(\.settings))
                #expect(after.accounts.map(\.health) == contents.accounts.map(\.health))
                #expect(after.selected == contents.selected)
                #expect(after.received == contents.received)
            }
            #expect(try editor.blob("SELECT root_check FROM vault") != check)
            let new = try editor.boxes()
            #expect(Set(new).isDisjoint(with: old))
            #expect(new.allSatisfy { Keyring.epoch(of: $0) == 2 })
            #expect(try again.keyring().version == 2)
        }
    }

    @Test func keyedHashesAreOfTheNewRoot() async throws {
        try await withTemporaryVault { vault in
            let contents = try vault.fillWithEverything()
            let file = try vault.open()
            let token = Secret("refresh-claimed")
            let old = try file.spentTokenHash(of: token)
            #expect(contents.intentHash(of: "claimed") == old)
            _ = try file.rekey(
                authorizedBy: .keyFile,
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            let hash = try file.spentTokenHash(of: token)
            #expect(hash != old)
            #expect(try VaultContents(file).intentHash(of: "claimed") == hash)
            #expect(try Editor(vault).box("refresh_token_hash", of: "claimed") == hash)
        }
    }

    @Test func whatWasSpentStaysSpent() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything()
            let editor = try Editor(vault)
            // The whole row of before, to be put back.
            try editor.run("CREATE TEMP TABLE kept AS SELECT * FROM account")
            let file = try vault.open()
            let spent = Fixture.account("again", grant: "refreshed")
            let held = Fixture.account("again", grant: "claimed")
            for round in 0..<10 {
                #expect(throws: StoreError.grantKnown(.stored(in: "claimed"))) {
                    try file.insert(held)
                }
                if round < 9 {
                    #expect(throws: StoreError.grantKnown(.spent), "round \(round)") {
                        try file.insert(spent)
                    }
                }
                _ = try file.rekey(
                    authorizedBy: .keyFile,
                    slots: [:],
                    dropping: [],
                    now: Fixture.now
                )
            }
        }
    }

    @Test func aSpentTokenInAnAccountIsSeenAfterNewKeys() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            // The row of before a refresh put back is a roll-back that opens.
            let editor = try Editor(vault)
            let box = try editor.box("tokens_box", of: "work")
            let hash = try editor.box("refresh_token_hash", of: "work")
            try file.refresh("work", to: "second")
            try editor.run("UPDATE account SET generation = 1")
            try editor.setBox("tokens_box", of: "work", to: box)
            try editor.setBox("refresh_token_hash", of: "work", to: hash)
            #expect(try file.account(named: "work").health.state == .verifyBeforeUse)
            _ = try file.rekey(
                authorizedBy: .keyFile,
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            #expect(try file.account(named: "work").health.state == .verifyBeforeUse)
            #expect(try vault.open().account(named: "work").health.state == .verifyBeforeUse)
        }
    }

    @Test func everySlotIsGivenReadableOrDropped() async throws {
        try await withTemporaryVault { vault in
            let added = try vault.addOneOfEachKind()
            let recoveryKey = try #require(added[2].recoveryKey)
            let file = try vault.open()
            let rekey = { (slots: [UInt16: Secret], dropped: Set<UInt16>) in
                try file.rekey(
                    authorizedBy: .keyFileAt(path: vault.keyFile),
                    slots: slots,
                    dropping: dropped,
                    now: Fixture.now
                )
            }
            let before = try Editor(vault).slots()
            #expect(throws: StoreError.keySlotsLeft([2, 4])) { try rekey([:], []) }
            #expect(throws: StoreError.keySlotsLeft([4])) { try rekey([2: vault.passphrase], []) }
            #expect(throws: StoreError.noSuchKeySlot(7)) { try rekey([:], [2, 4, 7]) }
            #expect(throws: StoreError.noSuchKeySlot(8)) { try rekey([8: recoveryKey], [2, 4]) }
            #expect(throws: StoreError.lastKeySlot) { try rekey([:], [1, 2, 3, 4]) }
            #expect(throws: StoreError.locked(.passphraseWrong)) {
                try rekey([2: Secret("not it"), 4: recoveryKey], [])
            }
            #expect(throws: StoreError.locked(.recoveryKeyMalformed)) {
                try rekey([2: vault.passphrase, 4: Secret("not it")], [])
            }
            #expect(try Editor(vault).slots() == before)
            let report = try rekey([2: vault.passphrase], [4])
            #expect(report == Rekeying(slots: [1, 2, 3], dropped: [4], moved: 1))
            let slots = try Editor(vault).slots()
            #expect(slots.count == 3)
            // The commitment is to the secret, which stays; what it opens is another root key.
            for part in 1...2 {
                #expect(Set(slots.map { $0[part] }).isDisjoint(with: before.map { $0[part] }))
            }
            #expect(slots[1][0] != before[1][0])
            for unlock in [
                Unlock.passphrase(vault.passphrase), .keyFileAt(path: vault.keyFile),
                .keyFileAt(path: vault.secondKeyFile),
            ] {
                let file = try VaultFile(vault.location)
                try file.unlock(with: unlock)
                #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
            }
            #expect(throws: StoreError.locked(.noRecoverySlot)) {
                try VaultFile(vault.location).unlock(with: .recoveryKey(recoveryKey))
            }
        }
    }

    @Test func aKeyFileThatIsNotThereIsAskedForOrGiven() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.addOneOfEachKind()
            let key = Secret(bytes: bytes(of: vault.secondKeyFile))
            try FileManager.default.removeItem(atPath: vault.secondKeyFile)
            let file = try VaultFile(vault.location)
            let unlock = Unlock.passphrase(vault.passphrase)
            #expect(throws: StoreError.keySlotsLeft([3])) {
                try file.rekey(authorizedBy: unlock, slots: [:], dropping: [4], now: Fixture.now)
            }
            let report = try file.rekey(
                authorizedBy: unlock,
                slots: [3: key],
                dropping: [4],
                now: Fixture.now
            )
            #expect(report.slots == [1, 2, 3])
            #expect(try file.unlock(with: .key(key)) == 3)
        }
    }

    @Test func aRecordThatDoesNotOpenStopsItAndNothingHasChanged() async throws {
        try await withTemporaryVault { vault in
            let contents = try vault.fillWithEverything()
            let editor = try Editor(vault)
            let box = try editor.box("tokens_box", of: "late")
            var broken = box
            broken[100] ^= 1
            try editor.setBox("tokens_box", of: "late", to: broken)
            let boxes = try editor.boxes()
            let file = try vault.open()
            #expect(throws: StoreError.tampered(.account("late"))) {
                try file.rekey(
                    authorizedBy: .keyFile,
                    slots: [:],
                    dropping: [],
                    now: Fixture.now
                )
            }
            #expect(try editor.boxes() == boxes)
            try editor.setBox("tokens_box", of: "late", to: box)
            #expect(try VaultContents(file) == contents)
            #expect(try VaultContents(vault.open()) == contents)
            #expect(try file.connection.pragma("journal_size_limit") == "-1")
        }
    }

    @Test func aTamperedSelectionIsNotVouchedForAnew() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything()
            try Editor(vault).run(
                "UPDATE vault SET selected_account = "
                    + "(SELECT account_id FROM account WHERE name = 'late')"
            )
            #expect(throws: StoreError.tampered(.selection)) {
                try vault.open().rekey(
                    authorizedBy: .keyFile,
                    slots: [:],
                    dropping: [],
                    now: Fixture.now
                )
            }
        }
    }

    @Test func aRotationThatWasCutShortEndsWithNewKeys() async throws {
        try await withTemporaryVault { vault in
            let contents = try vault.fillWithEverything()
            let file = try vault.open()
            _ = try file.beginRotation(now: Fixture.now)
            _ = try file.insert(Fixture.account("new"))
            _ = try file.rekey(
                authorizedBy: .keyFile,
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            let keyring = try vault.open().keyring()
            #expect(keyring.activeEpoch == 3 && !keyring.isRotating)
            #expect(try VaultContents(file).accounts.count == contents.accounts.count + 1)
        }
    }

    @Test func nothingOfTheOldKeysIsLeft() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything()
            let editor = try Editor(vault)
            var parts = try editor.slots().flatMap { $0.dropFirst() }
            parts.append(try editor.blob("SELECT root_check FROM vault"))
            parts.append(try editor.blob("SELECT selected_hash FROM vault"))
            parts += try editor.boxes().map { Array($0[40..<72]) }
            let content = { bytes(of: vault.database) + bytes(of: vault.journal) }
            let before = content()
            #expect(parts.allSatisfy { before.contains(sequence: $0) })
            _ = try vault.open().rekey(
                authorizedBy: .keyFile,
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            let after = content()
            #expect(parts.count { after.contains(sequence: $0) } == 0)
        }
    }

    /// What a secret once opened it opens for ever, in copies of that day.
    @Test func anOldCopyOpensWithTheOldSecretAlone() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.addOneOfEachKind()
            let copy = TemporaryVault(folder: vault.folder + "/copy")
            try FileSystem.makeDirectories(copy.location.directory)
            try FileManager.default.copyItem(atPath: vault.database, toPath: copy.database)
            let file = try vault.open()
            let next = Secret("another passphrase")
            _ = try file.changeKeySlot(
                2,
                to: .passphrase(next, .cheap),
                authorizedBy: .keyFile,
                now: Fixture.now
            )
            _ = try file.rekey(
                authorizedBy: .keyFile,
                slots: [2: next],
                dropping: [4],
                now: Fixture.now
            )
            let old = try VaultFile(copy.location)
            try old.unlock(with: .passphrase(vault.passphrase))
            #expect(try old.account(named: "work").tokens == Fixture.tokens("work"))
            #expect(throws: StoreError.locked(.passphraseWrong)) {
                try old.unlock(with: .passphrase(next))
            }
            #expect(throws: StoreError.locked(.passphraseWrong)) {
                try file.unlock(with: .passphrase(vault.passphrase))
            }
            try file.unlock(with: .passphrase(next))
        }
    }

    // MARK: - Others that are open

    @Test func whoOpenedWithAKeyFileGoesOnWithoutBeingAsked() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything()
            let store = try vault.openStore()
            let other = try vault.open()
            let claim = try await store.claim("full")
            _ = try vault.open().rekey(
                authorizedBy: .keyFile,
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            // A claim and a hash of before are still good.
            let pair = Fixture.pair("full-2", spent: nil)
            #expect(try await store.install(pair, for: claim) == .installed(generation: 2))
            #expect(try store.account(named: "claimed").generation == 1)
            #expect(try await store.refresh("claimed", to: "x") == .installed(generation: 2))
            #expect(try other.account(named: "claimed").generation == 2)
            _ = try other.insert(Fixture.account("new"))
            #expect(try store.account(named: "new").generation == 1)
        }
    }

    @Test func whoOpenedWithAPassphraseIsAskedAgain() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.addOneOfEachKind()
            let other = try VaultFile(vault.location)
            try other.unlock(with: .passphrase(vault.passphrase))
            #expect(try other.account(named: "work").generation == 1)
            _ = try vault.open().rekey(
                authorizedBy: .keyFile,
                slots: [2: vault.passphrase],
                dropping: [4],
                now: Fixture.now
            )
            #expect(throws: StoreError.locked(.keysReplaced)) { try other.account(named: "work") }
            #expect(throws: StoreError.locked(.keysReplaced)) {
                try other.insert(Fixture.account("new"))
            }
            try other.unlock(with: .passphrase(vault.passphrase))
            #expect(try other.account(named: "work").generation == 1)
            _ = try other.insert(Fixture.account("new"))
        }
    }
}
