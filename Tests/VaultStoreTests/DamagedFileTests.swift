import FoundationEssentials
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// Files that are no vault, or no longer a whole one: never a crash, never wrong data.
@Suite struct DamagedFileTests {
    /// What stands where the database should, by name.
    enum Content: String, CaseIterable, Sendable {
        case nothing, oneByte, zeros, randomBytes, text, headerOnly, headerAndRandomBytes
        case otherApplication, otherApplicationWithLog, emptyDatabase

        func make(at path: String) throws {
            try FileManager.default.removeItem(atPath: path)
            let header = Array("SQLite format 3\0".utf8)
            switch self {
            case .nothing: try write([], to: path)
            case .oneByte: try write([0x53], to: path)
            case .zeros: try write([UInt8](repeating: 0, count: 40_960), to: path)
            case .randomBytes: try write(Randomness.bytes(count: 40_960), to: path)
            case .text:
                try write(
                    Array(repeating: Array("text\n".utf8), count: 999).flatMap(\.self),
                    to: path
                )
            case .headerOnly: try write(header, to: path)
            case .headerAndRandomBytes: try write(header + Randomness.bytes(count: 9000), to: path)
            case .otherApplication:
                try Connection(path: path, mode: .create).executeScript(
                    "PRAGMA application_id = 99; CREATE TABLE account (a); PRAGMA user_version = 1"
                )
            case .otherApplicationWithLog:
                try Connection(path: path, mode: .create).executeScript(
                    "PRAGMA journal_mode = WAL; CREATE TABLE account (a)"
                )
            case .emptyDatabase:
                try Connection(path: path, mode: .create).executeScript("PRAGMA user_version = 1")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    @Test(arguments: Content.allCases)
    func whatIsNoVaultIsRefusedAndLeftAlone(_ content: Content) async throws {
        try await withTemporaryVault { vault in
            try content.make(at: vault.database)
            let before = bytes(of: vault.database)
            #expect(throws: StoreError.damaged(path: vault.database)) {
                try VaultFile(vault.location)
            }
            #expect(bytes(of: vault.database) == before)
        }
    }

    @Test func aFileThatIsCutShortGivesWhatIsThereOrAnError() async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            let whole = bytes(of: vault.database)
            let cuts = stride(from: 0, to: whole.count, by: 4096).flatMap {
                [$0, $0 + 100, $0 + 4000]
            }
            var refused = 0
            for cut in cuts {
                try overwrite(vault, with: Array(whole.prefix(cut)))
                if try reading(vault, gives: accounts) { refused += 1 }
                #expect(bytes(of: vault.database) == Array(whole.prefix(cut)), "cut at \(cut)")
            }
            #expect(refused == cuts.count)
        }
    }

    @Test func aFileWithAChangedByteGivesWhatIsThereOrAnError() async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            let whole = bytes(of: vault.database)
            var random = SeededGenerator(seed: 20_261_130)
            var refused = 0
            for _ in 0..<400 {
                var damaged = whole
                let place = Int.random(in: damaged.indices, using: &random)
                damaged[place] ^= UInt8.random(in: 1...255, using: &random)
                try overwrite(vault, with: damaged)
                if try reading(vault, gives: accounts) { refused += 1 }
            }
            #expect(refused > 10)
        }
    }

    private func overwrite(_ vault: TemporaryVault, with content: [UInt8]) throws {
        try? FileManager.default.removeItem(atPath: vault.journal)
        try write(content, to: vault.database)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: vault.database
        )
    }

    /// Reads every account and checks that none differs from what was stored; whether there was
    /// any error.
    private func reading(
        _ vault: TemporaryVault,
        gives accounts: [AccountName: StoredAccount]
    ) throws -> Bool {
        let file: VaultFile
        do {
            file = try vault.open()
        } catch {
            try expectDamage(error)
            return true
        }
        var failed = false
        for (name, expected) in accounts {
            do {
                let found = try file.account(named: name)
                #expect(found.id == expected.id)
                #expect(found.settings == expected.settings)
                #expect(found.tokens == expected.tokens)
                #expect(found.intent == expected.intent)
            } catch {
                try expectDamage(error)
                failed = true
            }
        }
        return failed
    }

    private func expectDamage(_ error: any Error) throws {
        switch error {
        case StoreError.damaged, StoreError.tampered, StoreError.newerFormat, StoreError.locked,
            StoreError.noSuchAccount:
            break
        case let error as SQLiteError:
            #expect([.corrupt, .notADatabase, .schema].contains(error.code.primary), "\(error)")
        default: Issue.record(error)
        }
    }
}

/// The same numbers every time (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
