import FoundationEssentials
import Platform
import Testing
import VaultCrypto

@testable import VaultStore

/// What is told of a vault from outside.
@Suite struct VaultSurveyTests {
    @Test func everythingThatOthersCanReachIsFoundAtOnce() async throws {
        try await withTemporaryVault { vault in
            let survey = VaultSurvey(vault.location)
            #expect(survey.permissionErrors().isEmpty)
            _ = try vault.open().insert(Fixture.account("work"))
            try FileManager.default.createDirectory(
                atPath: vault.location.directory + "/backups",
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o755]
            )
            let loose = [vault.database, vault.location.log]
            try write([], to: vault.location.log)
            for path in loose {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644],
                    ofItemAtPath: path
                )
            }
            let found = survey.permissionErrors().compactMap { $0 as? PermissionProblem }
            let paths = Set(found.map(\.path))
            #expect(paths == Set(loose + [vault.location.directory + "/backups"]))
        }
    }

    @Test func aWriteThatWasCutShortIsSeen() async throws {
        try await withTemporaryVault { vault in
            let survey = VaultSurvey(vault.location)
            #expect(!survey.hasHotJournal())
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            #expect(FileSystem.exists(vault.journal))
            #expect(!survey.hasHotJournal())
            // As a process leaves it that is killed while it writes.
            let kept = bytes(of: vault.journal)
            let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
            try write(magic + kept.dropFirst(magic.count), to: vault.journal)
            #expect(survey.hasHotJournal())
        }
    }

    @Test func theFormatIsReadWithoutAChange() async throws {
        try await withTemporaryVault { vault in
            let before = bytes(of: vault.database)
            let survey = VaultSurvey(vault.location)
            #expect(try survey.formatVersion() == VaultSurvey.newestFormat)
            let editor = try Editor(vault)
            try editor.run("PRAGMA user_version = 1")
            #expect(try survey.formatVersion() == 1)
            try editor.run("PRAGMA user_version = 1000")
            #expect(throws: StoreError.newerFormat(version: 1000)) { try survey.formatVersion() }
            #expect(before.count == bytes(of: vault.database).count)
        }
    }

    @Test func theNewestTimeIsTheLastThatWasWritten() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            #expect(try file.newestTime() == Fixture.now)
            let later = Fixture.now.addingTimeInterval(500)
            let account = try file.insert(Fixture.account("work"))
            let spent = try file.spentTokenHash(of: Secret("refresh-work"))
            let claim = try file.claim(account, intent: Fixture.intent(spent))
            _ = try file.install(Fixture.pair("second", spent: spent, at: later), for: claim)
            #expect(try file.newestTime() == later)
        }
    }

    @Test func whatCannotBeRenewedIsTold() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            var fading = Fixture.account("fading")
            fading.tokens.refreshToken = nil
            _ = try file.insert(fading)
            _ = try file.insert(Fixture.account("work"))
            #expect(try file.renewability() == ["fading": false, "work": true])
            #expect(try !file.hasUnfinishedRotation())
        }
    }
}
