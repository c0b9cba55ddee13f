import Platform
import Testing
import VaultCrypto
import VaultSQLite
import VaultStore

@testable import VaultKit

/// What lower layers throw, as callers see it.
@Suite struct ErrorMappingTests {
    @Test(
        "a result of SQLite has its code",
        arguments: [
            (ResultCode.corrupt, VaultError.Code.damaged), (.notADatabase, .damaged),
            (.busy, .busy), (.full, .storage), (.inputOutput, .storage),
        ]
    )
    func sqlite(result: ResultCode, code: VaultError.Code) {
        let error = VaultError(SQLiteError(code: result, message: "words", sql: nil))
        #expect(error.code == code)
        #expect(error.facts[.field] == nil)
    }

    @Test(
        "an export that does not open has its code and reason",
        arguments: [
            (ExportError.notAnExport, VaultError.Code.invalidInput, "not_an_export"),
            (.cutShort, .invalidInput, "cut_short"),
            (.trailingBytes, .invalidInput, "trailing_bytes"),
            (.tooLarge, .invalidInput, "too_large"),
            (.costOutOfRange, .invalidInput, "cost_out_of_range"),
            (.damaged, .invalidInput, "damaged"), (.newerFormat(2), .newerFormat, nil),
            (.wrongPassphrase, .locked, "export_passphrase_wrong"),
            (.outOfMemory, .locked, "out_of_memory"),
        ] as [(ExportError, VaultError.Code, String?)]
    )
    func export(cause: ExportError, code: VaultError.Code, reason: String?) {
        let error = VaultError(StoreError.export(cause))
        #expect(error.code == code)
        #expect(error.facts[.reason] == reason)
    }

    @Test func aFullDiskIsToldFromOtherErrors() {
        for cause in [SystemError.noSpace, .overQuota] {
            let error = VaultError(StoreError.file(path: "/v/x", cause))
            #expect(error.facts == [.path: "/v/x", .reason: "disk_full"])
        }
        let denied = VaultError(StoreError.file(path: "/v/x", .accessDenied))
        #expect(denied.facts[.reason] == SystemError.accessDenied.description)
        let full = VaultError(SQLiteError(code: .full, message: "", sql: nil))
        #expect(full.code == .storage && full.facts[.reason] == "disk_full")
    }

    @Test func anAccountThatCannotBeMovedIsNamed() {
        let error = VaultError(StoreError.unverified("work"))
        #expect(error.code == .verifyBeforeUse && error.account == "work")
        let malformed = VaultError(StoreError.exportMalformed(member: "accounts[0]"))
        #expect(malformed.facts == [.field: "export", .reason: "malformed", .found: "accounts[0]"])
        let paused = VaultError(StoreError.leftPaused(path: "/x/out"))
        #expect(paused.code == .storage)
        #expect(paused.facts == [.reason: "left_paused", .path: "/x/out"])
    }
}
