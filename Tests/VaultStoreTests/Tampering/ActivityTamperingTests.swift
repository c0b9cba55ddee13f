import FoundationEssentials
import Testing
import VaultSQLite

@testable import VaultStore

/// A row of the log that somebody changed is told from those that the vault wrote.
@Suite struct ActivityTamperingTests {
    /// Three rows beside the first: two of one account, one of none.
    private func fill(_ file: VaultFile) throws {
        let account = try file.insert(Fixture.account("work"))
        _ = try file.refresh(account.name, to: "next")
    }

    @Test(
        "security: an edit of any column shows",
        arguments: [
            "number = 70", "number = 9223372036854775807", "number = -1", "at = at - 86400",
            "at = at + 1", "actor = 'vault login 1'", "actor = ''", "actor = x'ff'",
            "action = 'backed_up'", "account = 'home'", "account = ''", "account = NULL",
            "result = 'throttled'", "result = 'ok' || char(0)", "routine = 0",
            "hash = zeroblob(32)",
            "hash = x''", "hash = (SELECT hash FROM activity WHERE number = 2)",
            "account = account || 'o', result = 'k'",
        ]
    )
    func anEditShows(_ edit: String) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try fill(file)
            #expect(try file.newestActivity(limit: 9).map(\.isGenuine) == [true, true, true])
            let editor = try Editor(vault)
            try editor.connection.executeScript("PRAGMA ignore_check_constraints = ON")
            try editor.run(
                "UPDATE activity SET \(edit.replacing("x'ff'", with: "CAST(x'ff' AS TEXT)")) "
                    + "WHERE number = 3"
            )
            let marks = try file.newestActivity(limit: 9).map(\.isGenuine)
            #expect(marks.count { $0 == false } == 1 && marks.count == 3)
            let report = try file.verify()
            #expect(report.findings.contains(.init(.activity, .changedRows(1))))
            #expect(report.isRestorable == report.findings.allSatisfy(\.isOfLog))
            // Whoever made the row up keeps nobody from writing the next.
            _ = try file.refresh("work", to: "after")
            #expect(try file.newestActivity(limit: 9).count { $0.isGenuine == true } == 3)
        }
    }

    @Test func aRowThatIsMadeUpShows() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try fill(file)
            try Editor(vault).run(
                "INSERT INTO activity SELECT 9, at, actor, action, account, result, routine, hash "
                    + "FROM activity WHERE number = 3"
            )
            #expect(
                try file.newestActivity(limit: 9).map(\.isGenuine) == [true, true, true, false]
            )
        }
    }

    @Test(
        "whatever number a row that is made up has, the next one is written",
        arguments: [[-1], [-2], [0], [-1, 0], [-2, -1], [-3, -2, -1, 0, 1]]
    )
    func numbersRunOut(places: [Int64]) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try fill(file)
            for place in places {
                try Editor(vault).run(
                    "INSERT INTO activity SELECT \(Activity.numberLimit + place), at, actor, "
                        + "action, account, result, routine, hash FROM activity WHERE number = 3"
                )
            }
            for turn in 1...4 { _ = try file.refresh("work", to: "after-\(turn)") }
            let rows = try file.newestActivity(limit: 99)
            #expect(rows.count { $0.isGenuine == true } == 7)
            #expect(rows.count { $0.isGenuine == false } == places.count)
        }
    }

    @Test func withoutAKeyNothingIsSaidOfARow() async throws {
        try await withTemporaryVault { vault in
            try fill(vault.open())
            let locked = try VaultFile(vault.location)
            #expect(try locked.newestActivity(limit: 9).map(\.isGenuine) == [nil, nil, nil])
            #expect(try locked.verify().isSound)
        }
    }

    @Test func aDamagedLogKeepsNoTokenFromBeingStored() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try fill(file)
            let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'activity'"
            let page = Int(try Editor(vault).integer(root))
            var content = bytes(of: vault.database)
            for index in (page - 1) * 4096..<page * 4096 { content[index] = 0xff }
            try write(content, to: vault.database)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: vault.database
            )
            let other = try vault.open()
            _ = try other.refresh("work", to: "kept")
            #expect(try other.account(named: "work").tokens == Fixture.tokens("kept"))
            #expect(try !other.verify().isSound)
        }
    }
}
