import Testing
import VaultSQLite

@testable import VaultStore

/// Removing an account takes its bytes out of the file, not only out of sight.
@Suite struct ErasureTests {
    /// Pieces of a removed row, each long enough to be nobody else's.
    private static func pieces(of row: [[UInt8]]) -> [[UInt8]] {
        row.flatMap { column in
            stride(from: 0, to: column.count, by: 96).compactMap { start in
                let piece = Array(column[start..<min(start + 16, column.count)])
                return piece.count == 16 ? piece : nil
            }
        }
    }

    private static func row(_ name: String, _ editor: Editor) throws -> [[UInt8]] {
        try ["account_id", "account_box", "tokens_box", "intent_box", "refresh_token_hash"]
            .map { try editor.box($0, of: name) }
    }

    private static func remains(of pieces: [[UInt8]], in vault: TemporaryVault) -> Int {
        // Every piece starts at a place of its own, so one pass over the file looks for all.
        let wanted = Set(pieces)
        return [vault.database, vault.journal].map { bytes(of: $0) }.reduce(0) { found, content in
            guard content.count >= 16 else { return found }
            return found
                + (0...content.count - 16).count { start in
                    wanted.contains(Array(content[start..<start + 16]))
                }
        }
    }

    @Test func nothingOfARemovedAccountIsLeft() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            let editor = try Editor(vault)
            let pieces = Self.pieces(of: try Self.row("work", editor))
            #expect(pieces.count > 15)
            // The search finds what is there.
            #expect(Self.remains(of: pieces, in: vault) >= pieces.count)
            let file = try vault.open()
            _ = try file.remove("work")
            #expect(Self.remains(of: pieces, in: vault) == 0)
            // The next write starts a journal again.
            _ = try file.remove("home")
            #expect(try file.connection.pragma("journal_size_limit") == "-1")
        }
    }

    @Test func thePairsThatWereKeptAsideGoToo() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for name in ["work", "home"] as [AccountName] {
                let account = try file.insert(Fixture.account(name))
                let claim = try file.claim(account, intent: Fixture.intent([]))
                let new = Fixture.account(name, grant: "\(name) again")
                _ = try file.replace(file.account(named: name), with: new)
                #expect(try file.install(Fixture.pair("late \(name)"), for: claim) == .superseded)
            }
            let editor = try Editor(vault)
            let row = try editor.blob("SELECT tokens_box FROM received_token ORDER BY number")
            try file.remove("work")
            #expect(try editor.integer("SELECT count(*) FROM received_token") == 1)
            #expect(Self.remains(of: Self.pieces(of: [row]), in: vault) == 0)
        }
    }

    @Test func aFailedRemovalKeepsTheSettingsOfTheJournal() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            #expect(throws: StoreError.noSuchAccount("work")) { try file.remove("work") }
            #expect(try file.connection.pragma("journal_size_limit") == "-1")
        }
    }

    /// Rows move between pages as they grow; no page may keep a copy of one that left it.
    @Test func nothingIsLeftOfAccountsThatMovedAround() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try file.connection.execute("PRAGMA synchronous = OFF")
            let names = (0..<24).map { "account-\($0)" }.compactMap { AccountName($0) }
            for name in names { _ = try file.insert(Fixture.account(name)) }
            for round in 0..<3 {
                for (index, name) in names.enumerated() where (index + round).isMultiple(of: 2) {
                    let length = 100 + (index * 977 + round * 613) % 5000
                    let grant = String(repeating: "x", count: length) + "\(round) \(name)"
                    let account = try file.account(named: name)
                    _ = try file.replace(account, with: Fixture.account(name, grant: grant))
                }
            }
            let editor = try Editor(vault)
            var pieces: [[UInt8]] = []
            for name in names where name.text.hasSuffix("3") || name.text.hasSuffix("6") {
                pieces += Self.pieces(of: try Self.row(name.text, editor))
                _ = try file.remove(name)
            }
            #expect(pieces.count > 100)
            #expect(Self.remains(of: pieces, in: vault) == 0)
        }
    }
}
