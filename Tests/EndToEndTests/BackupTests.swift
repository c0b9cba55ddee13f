import Glibc
import Testing

extension EndToEndTests {
    /// `vault backup`, `restore` and `verify`, with an agent at work.
    @Suite struct BackupTests {
        private func withBackup(_ body: (Stage, TestServer, String) throws -> Void) throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                for name in ["work", "home"] { try stage.add(name, from: server) }
                let copy = "\(stage.root)/copy.db"
                let ended = try stage.vault("backup", copy)
                #expect(ended.code == 0 && ended.stdout.isEmpty, "\(ended)")
                #expect(try Files.mode(copy) & 0o777 == 0o600)
                try body(stage, server, copy)
            }
        }

        private func states(_ stage: Stage) throws -> [JSON?] {
            let items = try JSON(stage.vault("list", "--json").word)["accounts"]?.items ?? []
            return items.map { $0["state"] }
        }

        @Test("server B13: a restored account asks before it spends a token that may be spent")
        func restoredAccountsAskFirst() throws {
            try withBackup { stage, server, copy in
                let agent = try stage.requireAgent()
                for _ in 1...3 { #expect(try stage.vault("refresh", "work").code == 0) }
                let before = try server.statistics()
                let ended = try stage.vault("restore", copy)
                #expect(ended.code == 0 && ended.stdout.isEmpty, "\(ended)")
                #expect(ended.err.contains("account work: its refresh token may be spent"))
                #expect(!ended.err.contains("account home"), "\(ended)")
                #expect(try states(stage) == [.string("active"), .string("verify_before_use")])
                // Its access token is as good as ever, and it is told that it is the last.
                let token = try stage.vault("token", "work")
                #expect(token.code == 0 && token.err.contains("vault refresh work"), "\(token)")
                let more = try stage.vault("token", "work", "--min-valid", "36000")
                #expect(more.code == 4 && more.stdout.isEmpty, "\(more)")
                #expect(try server.statistics().tokenRequests == before.tokenRequests)
                // A person may try, and the agent that ran all along sends it: once.
                let refused = try stage.vault("refresh", "work")
                #expect(refused.code == 4 && refused.err.contains("old copy"), "\(refused)")
                #expect(try stage.vault("refresh", "work").code == 4)
                let after = try server.statistics()
                #expect(after.tokenRequests == before.tokenRequests + 1)
                #expect(try stage.requireAgent() == agent)
                #expect(try stage.vault("refresh", "home").code == 0)
                #expect(try stage.vault("verify").code == 0)
            }
        }

        @Test func aBackupUnderAnOlderRootKeyIsServedByTheAgentThatRuns() throws {
            try withBackup { stage, _, copy in
                let agent = try stage.requireAgent()
                let rekeyed = try stage.vault("key", "rekey")
                #expect(rekeyed.code == 0, "\(rekeyed)")
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.vault("restore", copy).code == 0)
                #expect(try stage.vault("refresh", "home").code == 0)
                #expect(try stage.requireAgent() == agent)
                #expect(try stage.vault("verify").code == 0)
            }
        }

        @Test func aVaultThatIsGoneComesBackFromItsBackup() throws {
            try withBackup { stage, _, copy in
                #expect(try stage.vault("agent", "stop").code == 0)
                #expect(try stage.system("rm", ["-rf", stage.vaultHome]).code == 0)
                let ended = try stage.vault("restore", "--json", copy)
                #expect(ended.code == 0, "\(ended)")
                let document = try JSON(ended.word)
                #expect(document["keptAt"] == .null)
                #expect(document["accounts"]?.items.count == 2)
                #expect(try stage.vault("token", "work").code == 0)
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        @Test func whatExistsIsNotWrittenOver() throws {
            try withBackup { stage, _, copy in
                let whole = try Files.read(copy)
                let ended = try stage.vault("backup", copy)
                #expect(ended.code == 1 && ended.errorLines.count == 1, "\(ended)")
                #expect(try Files.read(copy) == whole)
                #expect(try Files.names(in: stage.root).allSatisfy { !$0.hasPrefix(".copy") })
            }
        }

        @Test func damageIsNamedAndHidesNoOtherAccount() throws {
            try withBackup { stage, _, copy in
                #expect(try stage.vault("agent", "stop").code == 0)
                let statement = "UPDATE account SET tokens_box = x'00' WHERE name = 'work'"
                #expect(try stage.system("sqlite3", [stage.database, statement]).code == 0)
                let verified = try stage.vault("verify")
                #expect(
                    verified.code == 8 && verified.err.contains("account 'work'"),
                    "\(verified)"
                )
                let document = try JSON(stage.vault("verify", "--json").word)
                #expect(document["sound"] == .bool(false))
                #expect(document["findings"]?[0]?["account"] == .string("work"))
                for words in [["list"], ["status"]] {
                    let ended = try stage.vault(words)
                    #expect(ended.code == 8 && ended.out.contains("home"), "\(ended)")
                    #expect(ended.err.contains("'work' is damaged"), "\(ended)")
                    let listed = try JSON(stage.vault(words + ["--json"]).word)
                    #expect(listed["accounts"]?.items.count == 1)
                    #expect(listed["damaged"]?[0] == .string("work"))
                }
                #expect(try stage.vault("backup", "\(stage.root)/second.db").code == 8)
                #expect(try stage.vault("verify", copy).code == 0)
                #expect(try stage.vault("restore", copy).code == 0)
                #expect(try stage.vault("verify").code == 0)
                #expect(try stage.vault("token", "work").code == 0)
            }
        }

        @Test func removingNamesTheBackupsThatStillHoldTheAccount() throws {
            try withBackup { stage, _, copy in
                // Restoring keeps what was there.
                #expect(try stage.vault("restore", copy).code == 0)
                let folder = "\(stage.vaultHome)/backups"
                let kept = try #require(try Files.names(in: folder).first)
                let removed = try stage.vault("remove", "work")
                #expect(removed.code == 0 && removed.err.contains(kept), "\(removed)")
                let purged = try stage.vault("remove", "home", "--purge-backups")
                #expect(purged.code == 0 && purged.err.contains("erased"), "\(purged)")
                #expect(try Files.names(in: folder).isEmpty)
            }
        }

        @Test("faults F-30: what is no backup is refused, with the vault untouched")
        func whatIsNoBackupIsRefused() throws {
            try withBackup { stage, _, copy in
                #expect(try stage.vault("agent", "stop").code == 0)
                let before = try Files.read(stage.database)
                let other = "\(stage.root)/other"
                try Files.write(Array("no vault\n".utf8), to: other)
                #expect(mkfifo("\(stage.root)/fifo", 0o600) == 0)
                let rows: [(String, Int32)] = [
                    (other, 8), ("\(stage.root)/fifo", 8), (stage.root, 8), ("/dev/null", 8),
                    ("\(stage.root)/missing", 1), (stage.database, 1),
                ]
                for (path, code) in rows {
                    let ended = try stage.vault("restore", path)
                    #expect(ended.code == code, "\(ended)")
                    #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
                    guard path != stage.database else { continue }
                    #expect(try stage.vault("verify", path).code == code)
                }
                #expect(try stage.vault("verify", stage.database).code == 0)
                let newer = try stage.system("sqlite3", [copy, "PRAGMA user_version = 1000"])
                #expect(newer.code == 0)
                #expect(try stage.vault("restore", copy).code == 9)
                #expect(try Files.read(stage.database) == before)
            }
        }
    }
}
