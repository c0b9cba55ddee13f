import FoundationEssentials
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

@Suite struct KeyRotationTests {
    private struct Killed: Error {}

    @Test func everyRecordIsSealedAgainAndSaysTheSame() async throws {
        try await withTemporaryVault { vault in
            let contents = try vault.fillWithEverything(more: 300)
            let editor = try Editor(vault)
            let old = try editor.boxes()
            var steps: [Int] = []
            let file = try vault.open()
            let rotation = try file.rotateKeys(authorizedBy: .keyFile, now: Fixture.now) {
                steps.append($0.moved)
                #expect($0.accounts == 304)
                #expect(!$0.isResumed)
            }
            #expect(rotation == KeyRotation(epoch: 2, isResumed: false, moved: 305))
            #expect(steps == [0, 256, 304, 304, 305, 305])
            #expect(try VaultContents(file) == contents)
            #expect(try VaultContents(vault.open()) == contents)
            let new = try editor.boxes()
            #expect(new.count == old.count)
            #expect(new.allSatisfy { Keyring.epoch(of: $0) == 2 })
            #expect(Set(new).isDisjoint(with: old))
            let keyring = try vault.open().keyring()
            #expect(keyring.version == 3)
            #expect(!keyring.isRotating)
            for box in old {
                #expect(throws: SealingError()) {
                    try keyring.open(
                        box,
                        kind: .account,
                        account: contents.accounts[0].id,
                        generation: 1
                    )
                }
            }
        }
    }

    @Test func nothingSealedUnderTheOldKeyIsLeft() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything()
            let editor = try Editor(vault)
            let pieces = try (editor.boxes() + [editor.blob("SELECT keyring_box FROM vault")])
                .flatMap { box in
                    stride(from: 8, to: box.count - 16, by: 128).map { Array(box[$0..<$0 + 16]) }
                }
            #expect(pieces.count > 30)
            let content = { bytes(of: vault.database) + bytes(of: vault.journal) }
            let before = content()
            #expect(pieces.allSatisfy { before.contains(sequence: $0) })
            _ = try vault.open().rotateKeys(authorizedBy: .keyFile, now: Fixture.now)
            let after = content()
            #expect(pieces.count { after.contains(sequence: $0) } == 0)
        }
    }

    /// Where a kill leaves the file after each of the transactions there are.
    @Test(arguments: 0..<6)
    func killedAfterAnyStepItOpensAndIsResumed(_ step: Int) async throws {
        try await withTemporaryVault { vault in
            let contents = try vault.fillWithEverything(more: 300)
            let stayed = try vault.open()
            var count = 0
            #expect(throws: Killed.self) {
                try vault.open().rotateKeys(authorizedBy: .keyFile, now: Fixture.now) { _ in
                    if count == step { throw Killed() }
                    count += 1
                }
            }
            for file in [stayed, try vault.open()] {
                #expect(try VaultContents(file) == contents)
                #expect(try file.currentKeyring().isRotating)
            }
            try stayed.refresh("claimed", to: "between")
            _ = try stayed.insert(Fixture.account("new"))
            let file = try vault.open()
            var resumed: [Bool] = []
            let rotation = try file.rotateKeys(authorizedBy: .keyFile, now: Fixture.now) {
                resumed.append($0.isResumed)
            }
            #expect(rotation.isResumed && resumed.allSatisfy { $0 })
            #expect(rotation.epoch == 2)
            let after = try VaultContents(stayed)
            #expect(after.accounts.count == contents.accounts.count + 1)
            let token = try file.account(named: "claimed").tokens.refreshToken
            #expect(token == Secret("refresh-between"))
            #expect(try Editor(vault).boxes().allSatisfy { Keyring.epoch(of: $0) == 2 })
            // The next one is a rotation of its own.
            let next = try file.rotateKeys(authorizedBy: .keyFile, now: Fixture.now)
            #expect(!next.isResumed && next.epoch == 3)
        }
    }

    @Test func othersGoOnReadingAndWritingMeanwhile() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything(more: 20)
            let store = try vault.openStore()
            let other = try vault.open()
            var step = 0
            _ = try vault.open().rotateKeys(authorizedBy: .keyFile, now: Fixture.now) { _ in
                let outcome = try other.refresh("full", to: "full-\(step)")
                guard case .installed = outcome else { throw Killed() }
                #expect(try store.account(named: "claimed").generation == 1)
                _ = try other.insert(Fixture.account(AccountName("n\(step)") ?? "n"))
                step += 1
            }
            #expect(step > 3)
            let token = try store.account(named: "full").tokens.refreshToken
            #expect(token == Secret("refresh-full-\(step - 1)"))
            #expect(try await store.refresh("claimed", to: "x") == .installed(generation: 2))
            #expect(try other.account(named: "n0").generation == 1)
        }
    }

    @Test func aRecordThatDoesNotOpenKeepsItsKey() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything()
            let editor = try Editor(vault)
            var broken = try editor.box("tokens_box", of: "late")
            broken[100] ^= 1
            try editor.setBox("tokens_box", of: "late", to: broken)
            let row = try editor.box("account_box", of: "late")
            let file = try vault.open()
            for isResumed in [false, true] {
                var seen: Bool?
                #expect(throws: StoreError.rotationUnfinished([.account("late")])) {
                    try file.rotateKeys(authorizedBy: .keyFile, now: Fixture.now) {
                        seen = $0.isResumed
                    }
                }
                #expect(seen == isResumed)
            }
            #expect(try editor.box("tokens_box", of: "late") == broken)
            #expect(try editor.box("account_box", of: "late") == row)
            #expect(Keyring.epoch(of: try editor.box("tokens_box", of: "full")) == 2)
            #expect(try file.account(named: "full").generation == 1)
            // Mended, or removed, it is in nobody's way.
            broken[100] ^= 1
            try editor.setBox("tokens_box", of: "late", to: broken)
            let rotation = try file.rotateKeys(authorizedBy: .keyFile, now: Fixture.now)
            #expect(rotation == KeyRotation(epoch: 2, isResumed: true, moved: 1))
        }
    }

    @Test func aPairKeptAsideThatDoesNotOpenIsNamedUntilItsWeekIsOver() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything()
            try Editor(vault).run("UPDATE received_token SET generation = 7")
            let file = try vault.open()
            #expect(throws: StoreError.rotationUnfinished([.receivedToken(number: 1)])) {
                try file.rotateKeys(authorizedBy: .keyFile, now: Fixture.now)
            }
            let later = Fixture.now.addingTimeInterval(8 * 86_400)
            #expect(try file.rotateKeys(authorizedBy: .keyFile, now: later).isResumed)
        }
    }

    /// What is not sealed starts nothing: F-28.
    @Test(arguments: [
        ("UPDATE vault SET keyring_version = 2", StoreError.tampered(.keyring)),
        ("UPDATE vault SET keyring_version = keyring_version + 1", .tampered(.keyring)),
        ("DELETE FROM vault", .tampered(.keyring)),
        (
            "UPDATE account SET tokens_box = CAST(x'00000009' || substr(tokens_box, 5) AS BLOB)",
            .tampered(.account("full"))
        ),
        (
            "UPDATE account SET account_box = CAST(x'00000002' || substr(account_box, 5) AS BLOB)",
            .tampered(.account("full"))
        ),
    ])
    func aFakeRotationSealsNothing(edit: String, error: StoreError) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.open().insert(Fixture.fullAccount("full"))
            let editor = try Editor(vault)
            try editor.run(edit)
            let boxes = try editor.boxes()
            let keyring = try editor.blob("SELECT keyring_box FROM vault")
            #expect(throws: error) { try vault.open().account(named: "full") }
            #expect(try editor.boxes() == boxes)
            #expect(try editor.blob("SELECT keyring_box FROM vault") == keyring)
            #expect(throws: StoreError.self) {
                try vault.open().rotateKeys(authorizedBy: .keyFile, now: Fixture.now)
            }
            #expect(try editor.boxes() == boxes)
        }
    }

    /// The keyring of a rotation that was finished long ago does not start it again.
    @Test func anOldKeyringPutBackStartsNothing() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fillWithEverything()
            let editor = try Editor(vault)
            let file = try vault.open()
            _ = try file.beginRotation(now: Fixture.now)
            let old = try editor.blob("SELECT keyring_box FROM vault")
            _ = try file.rotateKeys(authorizedBy: .keyFile, now: Fixture.now)
            try editor.run("UPDATE vault SET keyring_box = ?1", with: old)
            #expect(throws: StoreError.tampered(.keyring)) { try vault.open() }
        }
    }
}
