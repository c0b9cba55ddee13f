import FoundationEssentials
import Testing
import VaultSQLite

@testable import VaultStore

/// The log is kept short by what is written to it, a little at a time.
@Suite struct ActivityPruningTests {
    private static let now = Int64(Fixture.now.timeIntervalSince1970)

    /// Rows numbered 1 to `count`, of one age in days, in place of those that are there.
    private func fill(_ vault: TemporaryVault, _ count: Int, routine: Int, age: Int = 0) throws {
        try Editor(vault).run(
            """
            DELETE FROM activity;
            WITH RECURSIVE row(number) AS (
                VALUES (1) UNION ALL SELECT number + 1 FROM row WHERE number < \(count))
            INSERT INTO activity SELECT number, \(Self.now - Int64(age) * 86_400), 'vault 1',
                'refreshed', 'work', 'ok', \(routine), zeroblob(32) FROM row
            """
        )
    }

    /// Adds rows, as many as lie between two prunings and one more, and tells how many were dropped.
    private func dropped(_ file: VaultFile, _ vault: TemporaryVault) throws -> Int64 {
        let before = try Editor(vault).integer("SELECT count(*) FROM activity")
        try file.write {
            let log = file.log(try file.currentKeyring())
            for _ in 0..<256 { try log.add(.tagsChanged, "work", at: Fixture.now) }
        }
        return before + 256 - (try Editor(vault).integer("SELECT count(*) FROM activity"))
    }

    @Test func routineRowsBeyondTenThousandGoAFewHundredAtATime() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try fill(vault, 10_700, routine: 1)
            #expect(try [dropped(file, vault), dropped(file, vault)] == [512, 188])
            #expect(try dropped(file, vault) == 0)
            let first = try file.activity(after: nil, limit: 1).first
            #expect(first?.number == 701)
        }
    }

    @Test func allRowsBeyondFiftyThousandGo() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try fill(vault, 50_100, routine: 0)
            // What is added goes on counting.
            let after = try (0..<3).map { _ in try dropped(file, vault) }
            #expect(after.allSatisfy { (256...512).contains($0) || $0 >= 100 })
            let count = try Editor(vault).integer("SELECT count(*) FROM activity")
            #expect((50_000...50_255).contains(count))
        }
    }

    @Test(arguments: [(89, 0), (91, 300)])
    func rowsOfMoreThanNinetyDaysGo(age: Int, count: Int64) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try fill(vault, 300, routine: 0, age: age)
            #expect(try dropped(file, vault) == count)
        }
    }
}
