import FoundationEssentials
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

@Suite struct SpentTokenTests {
    @Test func theNewestTwoHundredOfEachAccountAreKept() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try file.connection.execute("PRAGMA synchronous = OFF")
            try Editor(vault).run(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO spent_token
                SELECT randomblob(32), zeroblob(16), 1700000000 + i FROM n
                """
            )
            let account = try file.insert(Fixture.account("work"))
            for index in 0..<203 {
                let claim = try file.claim(
                    try file.account(named: "work"),
                    intent: Fixture.intent([])
                )
                let hash = try file.spentTokenHash(of: Secret("spent \(index)"))
                let date = Fixture.now.addingTimeInterval(Double(index))
                _ = try file.install(Fixture.pair("\(index)", spent: hash, at: date), for: claim)
            }
            let editor = try Editor(vault)
            let id = account.id.bytes.hexadecimal
            let ofAccount = "SELECT count(*) FROM spent_token WHERE account_id = x'\(id)'"
            #expect(try editor.integer(ofAccount) == 200)
            // Another account's are none of its business.
            #expect(try editor.integer("SELECT count(*) FROM spent_token") == 500)
            let kept = try (0..<203).filter { index in
                try file.isSpent(file.spentTokenHash(of: Secret("spent \(index)")))
            }
            #expect(kept == Array(3..<203))
        }
    }

    @Test func theNewestStaysWhateverTheClockSays() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            try file.connection.execute("PRAGMA synchronous = OFF")
            let account = try file.insert(Fixture.account("work"))
            let id = account.id.bytes.hexadecimal
            // A clock that was a year ahead, and one at the end of time.
            for last in [Int64(1_900_000_000), .max] {
                try Editor(vault).run(
                    """
                    DELETE FROM spent_token;
                    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
                    INSERT INTO spent_token SELECT randomblob(32), x'\(id)', \(last) - i FROM n
                    """
                )
                for index in 0..<3 {
                    let stored = try file.account(named: "work")
                    let claim = try file.claim(stored, intent: Fixture.intent([]))
                    let hash = try file.spentTokenHash(of: Secret("\(last) \(index)"))
                    _ = try file.install(
                        Fixture.pair("\(last) \(index) x", spent: hash),
                        for: claim
                    )
                    #expect(try file.isSpent(hash))
                }
                let kept = try Editor(vault).integer("SELECT count(*) FROM spent_token")
                #expect(kept == 200)
            }
        }
    }
}
