import Glibc
import Testing

extension EndToEndTests {
    /// Vaults made with each kind of key, and the slots, data key and root key changed under a
    /// running agent.
    @Suite struct KeyTests {
        private static let passphrase = "caf\u{e9} mit Schlagobers"

        private func makeVault(_ stage: Stage) throws -> String {
            let made = try stage.vault(
                ["init", "--passphrase-fd", "3", "--recovery-key"],
                descriptors: [3: "\(Self.passphrase)\n"]
            )
            #expect(made.code == 0, "\(made)")
            return made.word
        }

        private func key(
            _ stage: Stage,
            _ words: [String],
            _ descriptors: [Int32: String] = [:]
        ) throws -> Ended {
            try stage.vault(["key"] + words, descriptors: descriptors)
        }

        @Test func aVaultOfAPassphraseAndARecoveryKey() throws {
            try withStage { stage in
                let recoveryKey = try makeVault(stage)
                #expect(recoveryKey.count == 67 && recoveryKey.contains("-"))
                let list = try key(stage, ["list", "--json"])
                let slots = try JSON(list.out)["slots"]?.items ?? []
                #expect(
                    slots.map { $0["kind"] } == [.string("passphrase"), .string("recovery_key")]
                )
                #expect(slots.map { $0["number"] } == [.number(1), .number(2)])
                #expect(slots[0]["passes"] == .number(3))
                #expect(slots[0]["memory"] == .number(268_435_456))
                #expect(slots[1]["passes"] == .null && slots[1]["keyFile"] == .null)
                #expect(slots.allSatisfy { $0["changedAt"]?.time != nil })

                // The recovery key makes another way in, in small letters and blanks too.
                let typed = recoveryKey.lowercased().replacing("-", with: " ")
                let added = try key(
                    stage,
                    ["add", "key-file", "--recovery-key-fd", "3"],
                    [3: typed]
                )
                #expect(added.code == 0 && added.stdout.isEmpty, "\(added)")
                #expect(try stage.vault("list").code == 0)
                for ended in stage.history {
                    #expect(!ended.err.contains(Self.passphrase))
                    #expect(!ended.err.contains(recoveryKey))
                }
            }
        }

        /// Bytes as given, but for one line end: rows of F-25.
        @Test func onlyTheSamePassphraseOpens() throws {
            try withStage { stage in
                _ = try makeVault(stage)
                let accepted = [Self.passphrase, "\(Self.passphrase)\n", "\(Self.passphrase)\r\n"]
                for given in accepted {
                    let ended = try key(stage, ["rotate", "--passphrase-fd", "3"], [3: given])
                    #expect(ended.code == 0, "\(ended)")
                }
                let refused: [(String, Int32)] = [
                    ("another", 5), ("cafe\u{301} mit Schlagobers", 5),
                    ("\(Self.passphrase)\n\n", 5), ("\(Self.passphrase) ", 5),
                    ("", 1), ("\n", 1), ("\(Self.passphrase)\0", 1),
                    (String(repeating: "a", count: 1 << 20), 1),
                ]
                for (given, code) in refused {
                    let ended = try key(stage, ["rotate", "--passphrase-fd", "3"], [3: given])
                    #expect(ended.code == code, "\(ended)")
                    #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
                }
                let malformed = try stage.vault(
                    ["init", "--passphrase-fd", "3"],
                    environment: ["VAULT_HOME": "\(stage.root)/other"],
                    descriptors: [3: ""]
                )
                #expect(malformed.code == 1 && !Files.exists("\(stage.root)/other"))
            }
        }

        @Test func wrongCallsAreRefusedAndChangeNothing() throws {
            try withStage { stage in
                try stage.initialize()
                let before = try Files.read(stage.database)
                let rows: [(Int32, [String])] = [
                    (2, ["key"]), (2, ["key", "dance"]), (2, ["key", "add"]),
                    (2, ["key", "add", "passphrase"]), (2, ["key", "remove"]),
                    (2, ["key", "remove", "one"]), (2, ["key", "add", "passphrase", "secret"]),
                    (1, ["key", "remove", "1"]), (1, ["key", "remove", "9"]),
                    (1, ["key", "change", "9"]), (1, ["key", "rekey", "--drop", "1"]),
                    (1, ["key", "add", "key-file", try stage.keyFile()]),
                    (1, ["key", "add", "key-file", "\(stage.vaultHome)/inside.key"]),
                    (5, ["key", "rotate", "--key-file", "\(stage.root)/none.key"]),
                ]
                for (code, words) in rows {
                    let ended = try stage.vault(words)
                    #expect(ended.code == code, "\(ended)")
                    #expect(ended.stdout.isEmpty && ended.errorLines.count == 1, "\(ended)")
                }
                let key = try key(
                    stage,
                    ["rotate", "--key-fd", "3"],
                    [3: "thirty-two bytes, but not the key"]
                )
                #expect(key.code != 0)
                #expect(try Files.read(stage.database) == before)
            }
        }

        @Test func aRunningAgentGoesOnAfterEveryChangeOfKeys() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let agent = try stage.requireAgent()
                let other = "\(stage.root)/other.key"
                let changes: [([String], [Int32: String])] = [
                    (["add", "passphrase", "--new-passphrase-fd", "4"], [4: Self.passphrase]),
                    (["rotate"], [:]),
                    (["change", "1", other], [:]),
                    (["rekey", "--slot-fd", "2:4"], [4: Self.passphrase]),
                    (["rotate", "--passphrase-fd", "4"], [4: Self.passphrase]),
                    (["remove", "2"], [:]),
                ]
                for (words, descriptors) in changes {
                    let ended = try key(stage, words, descriptors)
                    #expect(ended.code == 0 && ended.stdout.isEmpty, "\(ended)")
                    let refreshed = try stage.vault("refresh", "work")
                    #expect(refreshed.code == 0, "after \(words): \(refreshed)")
                    #expect(try stage.vault("token", "work").code == 0)
                }
                #expect(try stage.agentPID() == agent)
                let statistics = try server.statistics()
                #expect(statistics.tokenRequests == changes.count)
                let list = try key(stage, ["list"])
                #expect(list.out.contains(other) && list.out.split(separator: "\n").count == 2)
            }
        }

        /// Row F13: whenever it is killed, the vault opens with its key and has its accounts.
        @Test func aKilledRekeyOrRotationLeavesAVaultThatOpens() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                for name in ["work", "home"] { try stage.add(name, from: server) }
                #expect(try stage.vault("agent", "stop").code == 0)
                var finished = 0
                for round in 0..<24 {
                    let run = try stage.start(
                        stage.vaultLaunch(["key", round.isMultiple(of: 2) ? "rekey" : "rotate"])
                    )
                    usleep(UInt32.random(in: 0...8_000))
                    run.process.kill(SIGKILL)
                    if try stage.finish(run).code == 0 { finished += 1 }
                    for name in ["work", "home"] {
                        let token = try stage.vault("token", name)
                        #expect(token.code == 0 && !token.stdout.isEmpty, "\(token)")
                    }
                }
                #expect(finished < 24)
                #expect(try key(stage, ["rotate"]).code == 0)
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        /// A recovery key that nobody can have seen never comes into force.
        @Test func aRecoveryKeyThatCannotBeShownChangesNothing() throws {
            try withStage { stage in
                let recoveryKey = try makeVault(stage)
                let before = try Files.read(stage.database)
                let elsewhere = "\(stage.root)/elsewhere"
                let rows: [(words: [String], home: String)] = [
                    (["key", "change", "2", "--recovery-key-fd", "3"], stage.vaultHome),
                    (["key", "add", "recovery-key", "--recovery-key-fd", "3"], stage.vaultHome),
                    (["init", "--key-file=\(stage.root)/e.key", "--recovery-key"], elsewhere),
                ]
                for (words, home) in rows {
                    for isFull in [true, false] {
                        var ends: [Int32] = [-1, -1]
                        #expect(pipe(&ends) == 0)
                        let low = isFull ? open("/dev/full", O_WRONLY | O_CLOEXEC) : ends[1]
                        // Out of the way of the child's own numbers.
                        let descriptor = fcntl(low, F_DUPFD_CLOEXEC, 100)
                        defer { close(descriptor) }
                        for end in Set([low] + ends) { close(end) }
                        var launch = try stage.vaultLaunch(words)
                        launch.output = .descriptor(descriptor)
                        launch.descriptors = [3: recoveryKey]
                        launch.environment["VAULT_HOME"] = home
                        let ended = try stage.run(launch)
                        #expect((1...11).contains(ended.code), "\(ended)")
                    }
                }
                #expect(try Files.read(stage.database) == before)
                #expect(!Files.exists("\(elsewhere)/vault.db"))
                let opened = try key(stage, ["rotate", "--recovery-key-fd", "3"], [3: recoveryKey])
                #expect(opened.code == 0, "\(opened)")
            }
        }

        @Test func aRecoveryKeyThatWasShownInVainIsSaidToBeNone() throws {
            try withStage { stage in
                let recoveryKey = try makeVault(stage)
                // What is said has room in half a kilobyte, and nothing else has.
                let ended = try stage.shell(
                    """
                    key="$1"; shift; ulimit -f 1; trap '' XFSZ
                    exec "$@" 3<<END
                    $key
                    END
                    """,
                    [recoveryKey, Programs.vault(), "key", "change", "2", "--recovery-key-fd", "3"]
                )
                #expect((1...11).contains(ended.code) && ended.word.count == 67, "\(ended)")
                #expect(ended.word != recoveryKey)
                #expect(ended.err.contains("the recovery key just shown is not in force"))
                let old = try key(stage, ["rotate", "--recovery-key-fd", "3"], [3: recoveryKey])
                #expect(old.code == 0, "\(old)")
                let shown = try key(stage, ["rotate", "--recovery-key-fd", "3"], [3: ended.word])
                #expect(shown.code == 5, "\(shown)")
            }
        }

        @Test func backupsThatAnOldKeyOpensAreNamedOrErased() throws {
            try withStage { stage in
                try stage.initialize()
                let folder = "\(stage.vaultHome)/backups"
                mkdir(folder, 0o700)
                let names = ["daily-20260101T000000Z.db", "mine.db"].map { "\(folder)/\($0)" }
                for name in names { try Files.write(Files.read(stage.database), to: name) }
                let changed = try key(stage, ["change", "1", "\(stage.root)/second.key"])
                #expect(changed.code == 0)
                for name in names { #expect(changed.err.contains("still opens \(name)")) }
                // Under the old root key they are, whatever opens them.
                let rekeyed = try key(stage, ["rekey"])
                #expect(rekeyed.code == 0 && names.allSatisfy { rekeyed.err.contains($0) })
                #expect(names.allSatisfy { Files.exists($0) })
                try Files.write(Files.read(stage.database), to: names[1])
                let purged = try key(stage, ["rekey", "--purge-backups"])
                #expect(purged.code == 0 && purged.err.contains("erased the backup \(names[1])"))
                #expect(Files.exists(names[0]) && !Files.exists(names[1]))
            }
        }

        @Test func theServiceManagersCredentialOpensTheVault() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                #expect(try stage.vault("agent", "stop").code == 0)
                let keyFile = try stage.keyFile()
                let credentials = "\(stage.root)/credentials"
                mkdir(credentials, 0o700)
                #expect(rename(keyFile, "\(credentials)/vault.key") == 0)
                #expect(try stage.vault("token", "work").code == 5)
                let environment: [String: String?] = ["CREDENTIALS_DIRECTORY": credentials]
                #expect(try stage.vault("token", "work", environment: environment).code == 0)
                #expect(try stage.vault("refresh", "work", environment: environment).code == 0)
            }
        }
    }
}
