import Platform
import Testing
import VaultCrypto

@testable import VaultStore

/// What a restore holds where the vault that is here cannot say what became of a grant.
@Suite struct RestoreHoldTests {
    /// A vault with "work", of which there is a backup of its first pair.
    private func withBackup(
        _ body: (TemporaryVault, VaultFile) async throws -> Void
    ) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work", grant: "work-1"))
            try file.backup(to: vault.copy)
            try await body(vault, file)
        }
    }

    private func damageTokens(_ vault: TemporaryVault) throws {
        let editor = try Editor(vault)
        var box = try editor.box("tokens_box", of: "work")
        box[40] ^= 1
        try editor.setBox("tokens_box", of: "work", to: box)
    }

    private func rekey(_ file: VaultFile, _ vault: TemporaryVault) throws {
        let unlock = Unlock.keyFileAt(path: vault.keyFile)
        _ = try file.rekey(authorizedBy: unlock, slots: [:], dropping: [], now: Fixture.now)
    }

    @Test func aMovedGrantStaysMovedThoughItsRecordIsDamaged() async throws {
        try await withBackup { vault, file in
            let account = try file.account(named: "work")
            var tokens = account.tokens
            tokens.hold = Hold(reason: .moved, since: Fixture.now)
            try file.write {
                try file.rewrite(
                    account,
                    tokens,
                    nil,
                    generation: account.generation,
                    at: Fixture.now
                )
            }
            try damageTokens(vault)
            #expect(try vault.restore(vault.copy).accounts.map(\.state) == [.paused])
            #expect(try vault.open().account(named: "work").tokens.hold?.reason == .moved)
        }
    }

    @Test func aTokenThatMayBeSentIsHeldThoughItsRecordIsDamaged() async throws {
        try await withBackup { vault, file in
            let account = try file.account(named: "work")
            _ = try file.claim(account, intent: Fixture.intent([1]))
            try damageTokens(vault)
            #expect(try vault.restore(vault.copy).accounts.map(\.state) == [.verifyBeforeUse])
        }
    }

    @Test func theSpentTokenOfARemovedAccountIsKnownAfterARekey() async throws {
        try await withBackup { vault, _ in
            let store = try vault.openStore()
            try await store.refresh("work", to: "work-2")
            let hash = try store.spentTokenHash(of: Secret("refresh-work-1"))
            let file = try vault.open()
            try rekey(file, vault)
            try file.remove("work")
            #expect(try vault.restore(vault.copy).accounts.map(\.state) == [.verifyBeforeUse])
            #expect(try vault.open().isSpent(hash))
        }
    }

    @Test func anAccountThatIsNotHereIsHeldUnderAnotherRootKey() async throws {
        try await withBackup { vault, file in
            try rekey(file, vault)
            try file.remove("work")
            #expect(try vault.restore(vault.copy).accounts.map(\.state) == [.verifyBeforeUse])
        }
    }

    @Test func everyRefreshTokenIsHeldWhereThereIsNoVaultToAsk() async throws {
        try await withBackup { vault, _ in
            let elsewhere = VaultLocation(directory: vault.folder + "/elsewhere")
            try VaultCopy.prepareDirectory(of: elsewhere)
            let copy = try VaultCopy(vault.copy, beside: elsewhere)
            try copy.file.unlock(with: .keyFileAt(path: vault.keyFile))
            let report = try copy.restore(into: elsewhere, now: Fixture.now)
            #expect(report.accounts.map(\.state) == [.verifyBeforeUse])
        }
    }

    @Test func everyRefreshTokenIsHeldWhereTheVaultIsDamaged() async throws {
        try await withBackup { vault, _ in
            try Editor(vault).run("CREATE TABLE extra (a)")
            #expect(try vault.restore(vault.copy).accounts.map(\.state) == [.verifyBeforeUse])
        }
    }
}
