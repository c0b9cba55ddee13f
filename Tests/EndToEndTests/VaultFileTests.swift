import Glibc
import Testing

extension EndToEndTests {
    /// A vault file that is damaged, foreign, newer, or in reach of others.
    @Suite struct VaultFileTests {
        private static let readers = [
            ["token", "work"], ["token"], ["list"], ["status"], ["switch", "work"],
        ]

        /// A vault with two accounts, and no agent.
        private func withVault(_ body: (Stage) throws -> Void) throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                for name in ["work", "home"] { try stage.add(name, from: server) }
                #expect(try stage.vault("agent", "stop").code == 0)
                try body(stage)
            }
        }

        private func expect(
            _ code: Int32,
            _ stage: Stage,
            _ situation: String,
            _ commands: [[String]] = readers
        ) throws {
            let before = try? Files.read(stage.database)
            for words in commands {
                let ended = try stage.vault(words)
                #expect(ended.code == code, "\(situation): \(ended)")
                #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(situation)")
            }
            #expect((try? Files.read(stage.database)) == before, "\(situation): the file changed")
        }

        @Test func aDamagedFileIsSaidToBeDamaged() throws {
            try withVault { stage in
                let whole = try Files.read(stage.database)
                let halves: [(String, [UInt8])] = [
                    ("empty", []), ("header cut", Array(whole.prefix(60))),
                    ("one page", Array(whole.prefix(4096))),
                    ("half", Array(whole.prefix(whole.count / 2))),
                    ("page missing", Array(whole.dropLast(4096))),
                    ("random", (0..<whole.count).map { _ in UInt8.random(in: 0...255) }),
                    ("zeros", [UInt8](repeating: 0, count: whole.count)),
                    ("text", Array("this is no vault\n".utf8)),
                ]
                for (name, bytes) in halves {
                    try Files.write(bytes, to: stage.database)
                    try expect(8, stage, name)
                }
                // Nor does an agent start on it, or init write over it.
                try expect(8, stage, "agent", [["agent", "start"], ["refresh", "work"]])
                try expect(1, stage, "init", [["init", "--key-file"]])
                try Files.write(whole, to: stage.database)
                #expect(try stage.vault("token", "work").code == 0)
            }
        }

        @Test func aChangedRecordIsTamperingAndConcernsItsAccountAlone() throws {
            try withVault { stage in
                let whole = try Files.read(stage.database)
                let flips = try ["tokens_box", "account_box"].flatMap { column in
                    try [0, 3, 4, 27, 28, 60, -1].map { try flip(column, at: $0, stage) }
                }
                let changes =
                    flips + [
                        "UPDATE account SET tokens_box = substr(tokens_box, 1, 40)",
                        "UPDATE account SET account_box = zeroblob(length(account_box))",
                        "UPDATE account SET generation = generation + 1",
                        """
                        UPDATE account SET tokens_box = (SELECT tokens_box FROM account
                        WHERE name = 'home')
                        """,
                        """
                        UPDATE account SET account_box = (SELECT account_box FROM account
                        WHERE name = 'home')
                        """,
                    ]
                for change in changes {
                    try Files.write(whole, to: stage.database)
                    try sql("\(change) WHERE name = 'work'", stage)
                    try expect(8, stage, change, [["token", "work"]])
                    #expect(try stage.vault("token", "home").code == 0, "\(change)")
                }
            }
        }

        @Test func theSchemaAndTheKeyringAreVouchedFor() throws {
            try withVault { stage in
                let whole = try Files.read(stage.database)
                let changes = [
                    "CREATE TRIGGER spy AFTER UPDATE ON account BEGIN SELECT 1; END",
                    "CREATE TABLE extra (a)", "DROP INDEX account_due",
                    "UPDATE vault SET keyring_box = zeroblob(length(keyring_box))",
                    "UPDATE vault SET root_check = zeroblob(32)",
                    "UPDATE key_slot SET root_key_box = zeroblob(72)",
                ]
                for change in changes {
                    try Files.write(whole, to: stage.database)
                    try sql(change, stage)
                    try expect(8, stage, change)
                }
            }
        }

        /// The statement that changes one bit of a box, counted from its end when negative.
        private func flip(_ column: String, at index: Int, _ stage: Stage) throws -> String {
            let query = "SELECT hex(\(column)) FROM account WHERE name = 'work'"
            var digits = try Array(sql(query, stage))
            let position = index < 0 ? digits.count + 2 * index : 2 * index
            guard let digit = digits[position].hexDigitValue else {
                throw HarnessError("no box: \(String(digits))")
            }
            digits[position] = Character(String(digit ^ 1, radix: 16))
            return "UPDATE account SET \(column) = x'\(String(digits))'"
        }

        @discardableResult
        private func sql(_ statement: String, _ stage: Stage) throws -> String {
            // Past the vault's own checks, as somebody who writes the file by hand would.
            let ended = try stage.system("sqlite3", [stage.database, statement])
            guard ended.code == 0 else { throw HarnessError("sqlite3: \(ended)") }
            return ended.word
        }

        @Test func aNewerFormatIsLeftAlone() throws {
            try withVault { stage in
                try sql("PRAGMA user_version = 1000", stage)
                try expect(9, stage, "newer", Self.readers + [["agent", "start"]])
                let ended = try stage.vault("list")
                #expect(ended.err.contains("1000"), "\(ended)")
            }
        }

        @Test func whatOthersCanReachIsRefusedWithTheCommandThatMendsIt() throws {
            try withVault { stage in
                let keyFile = try stage.keyFile()
                let looser: [(String, String, String)] = [
                    ("644", stage.database, "600"), ("666", stage.database, "600"),
                    ("620", stage.database, "600"), ("755", stage.vaultHome, "700"),
                    ("770", stage.vaultHome, "700"), ("640", keyFile, "600"),
                    ("644", "\(stage.database)-journal", "600"),
                ]
                for (mode, path, right) in looser {
                    #expect(try stage.system("chmod", [mode, path]).code == 0)
                    try expect(10, stage, "\(path) \(mode)")
                    // What it advises is what helps.
                    let words = try stage.vault("token", "work").err
                    #expect(words.contains(path), "\(words)")
                    let hint = words.split(separator: "\n").first { $0.hasPrefix("vault: hint: ") }
                    let command = try #require(hint?.dropFirst("vault: hint: ".count))
                    #expect(try stage.shell(String(command)).code == 0)
                    #expect(try Files.mode(path) & 0o777 == UInt32(right, radix: 8))
                    #expect(try stage.vault("token", "work").code == 0, "\(path) \(mode)")
                }
            }
        }

        @Test func aCallThatFindsTheFileLockedWaits() throws {
            try withVault { stage in
                var launch = stage.launch(try Programs.system("sqlite3"), [stage.database])
                launch.input = Array(
                    "BEGIN EXCLUSIVE;\n.print locked\n.shell sleep 2\nCOMMIT;\n".utf8
                )
                let holder = try stage.start(launch)
                #expect(try poll(seconds: 5) { holder.stdoutSoFar.contains("locked") })
                let token = try stage.vault("token", "work")
                #expect(token.code == 0 && token.stderr.isEmpty, "\(token)")
                #expect(token.seconds > 1)
                #expect(try stage.finish(holder).code == 0)
            }
        }

        @Test func aSwitchThatIsKilledLeavesTheOldAccountOrTheNewOne() throws {
            try withVault { stage in
                for attempt in 0..<40 {
                    let name = attempt.isMultiple(of: 2) ? "work" : "home"
                    let run = try stage.start(stage.vaultLaunch(["switch", name]))
                    usleep(UInt32(attempt) * 150)
                    run.process.kill(SIGKILL)
                    _ = try run.wait()
                    let accounts = try JSON(stage.vault("list", "--json").word)["accounts"]?.items
                    #expect(accounts?.filter { $0["current"] == .bool(true) }.count == 1)
                }
            }
        }

        @Test func linksAreRefused() throws {
            try withVault { stage in
                let keyFile = try stage.keyFile()
                for path in [stage.database, keyFile] {
                    let other = "\(stage.root)/other"
                    #expect(rename(path, other) == 0 && symlink(other, path) == 0)
                    try expect(10, stage, "symbolic link \(path)", [["token", "work"]])
                    #expect(unlink(path) == 0 && link(other, path) == 0)
                    try expect(10, stage, "hard link \(path)", [["token", "work"]])
                    #expect(unlink(other) == 0)
                    #expect(try stage.vault("token", "work").code == 0)
                }
            }
        }

        @Test func aDirectoryUnderOneThatOthersMayWriteIsRefused() throws {
            try withVault { stage in
                #expect(chmod(stage.root, 0o777) == 0)
                try expect(10, stage, "parent", [["token", "work"]])
                #expect(chmod(stage.root, 0o1777) == 0)
                #expect(try stage.vault("token", "work").code == 0)
                #expect(chmod(stage.root, 0o700) == 0)
            }
        }

        @Test func anotherOwnersFileIsRefused() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("a vault file that belongs to another user")
            }
            try withVault { stage in
                #expect(chown(stage.database, 65534, 65534) == 0)
                try expect(10, stage, "owner", [["token", "work"]])
                #expect(chown(stage.database, 0, 0) == 0)
                #expect(try stage.vault("token", "work").code == 0)
            }
        }
    }
}
