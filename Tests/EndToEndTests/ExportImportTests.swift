import Glibc
import Testing

extension EndToEndTests {
    /// Accounts that go from one vault to another: two homes and one server.
    @Suite struct ExportImportTests {
        private static let words = "the export's own"

        /// K03, K06: nobody is logged out, and an old file brings nothing back.
        @Test func anAccountThatIsMovedIsUsedInOneVaultAtATime() throws {
            try withTwoVaults { stage, other in
                let server = try stage.startServer("--profile", "strict")
                try stage.add("work", from: server)
                let path = "\(stage.root)/moved"
                let moved = try export(stage, path, "--move")
                #expect(moved.code == 0 && moved.stdout.isEmpty, "\(moved)")
                #expect(moved.err.contains("vault: it is paused here\n"))
                #expect(!moved.err.contains("warning"))
                #expect(try Files.mode(path) & 0o777 == 0o600)
                try expectPaused(stage, "work")

                let taken = try importing(stage, path, environment: other)
                #expect(taken.code == 0 && taken.stdout.isEmpty, "\(taken)")
                #expect(taken.err.contains("vault: added account work\n"))
                #expect(!taken.err.contains("warning"))
                #expect(try stage.vault(["refresh", "work"], environment: other).code == 0)

                let old = try importing(stage, path, environment: other)
                #expect(old.code == 0 && old.err.contains("vault: skipped account work: "))
                let back = "\(stage.root)/back"
                #expect(try export(stage, back, "--move", environment: other).code == 0)
                let returned = try importing(stage, back)
                #expect(returned.err.contains("vault: account work is used here again\n"))
                #expect(try stage.vault("refresh", "work").code == 0)
                let late = try importing(stage, path)
                #expect(late.code == 0 && late.err.contains("skipped account work"), "\(late)")
                #expect(try server.statistics().reuseDetections == 0)
                #expect(try server.statistics().grantsAlive == 1)
            }
        }

        private func expectPaused(_ stage: Stage, _ name: String) throws {
            let refused = try stage.vault("refresh", name)
            #expect(refused.code == 4 && refused.stdout.isEmpty, "\(refused)")
            #expect(refused.err.contains("account 'work' is paused"))
            // The token that it has is as good as before.
            #expect(try stage.vault("token", name).code == 0)
            #expect(try stage.vault("list").out.contains("paused"))
        }

        /// K06: what the warning is about.
        @Test func aCopyComesWithAWarningAndLogsOneOut() throws {
            try withTwoVaults { stage, other in
                let server = try stage.startServer("--profile", "strict")
                try stage.add("work", from: server)
                let path = "\(stage.root)/copy"
                let copied = try export(stage, path)
                #expect(copied.code == 0)
                #expect(copied.err.contains("vault: warning: used here and elsewhere"))
                #expect(copied.err.contains("vault: hint: vault export --move"))
                #expect(try importing(stage, path, environment: other).err.contains("warning"))
                #expect(try stage.vault(["refresh", "work"], environment: other).code == 0)
                let refused = try stage.vault("refresh", "work")
                #expect(refused.code == 4, "\(refused)")
                #expect(refused.err.contains("vault: hint: vault login work"))
                #expect(try server.statistics().reuseDetections == 1)
            }
        }

        /// K01, K04: the file is as before whatever is wrong with the other one.
        @Test func whatIsNoWholeExportChangesNothing() throws {
            try withTwoVaults { stage, other in
                let server = try stage.startServer()
                try stage.add("work", from: server)
                let path = "\(stage.root)/export"
                #expect(try export(stage, path).code == 0)
                let text = try Files.text(path)
                let database = "\(stage.root)/other/vault.db"
                let before = try Files.read(database)
                let rows: [(String, Int32, String)] = [
                    (String(text.dropLast(40)), 1, "cut short"),
                    (text + "more\n", 1, "something follows"),
                    ("\u{1b}[2J", 1, "no export of a vault"),
                    (text.replacing("VkxUMUVYUAAB", with: "VkxUMUVYUAAC"), 9, "format 2"),
                    (text.replacing("VkxUMUVYUAAB", with: "VkxUMUVYUAAA"), 1, "damaged"),
                    (#"{"format":"vault-export","version":1}"#, 1, "not right: exported_at"),
                    (#"{"a":1}"#, 1, "no export of a vault"),
                ]
                for (content, code, words) in rows {
                    let file = "\(stage.root)/bad"
                    try Files.write(content, to: file)
                    let ended = try importing(stage, file, environment: other)
                    #expect(ended.code == code && ended.stdout.isEmpty, "\(ended)")
                    #expect(ended.errorLines.count == 1 && ended.err.contains(words), "\(ended)")
                }
                let wrong = try importing(stage, path, passphrase: "guess", environment: other)
                #expect(wrong.code == 5 && wrong.err.contains("not the passphrase"), "\(wrong)")
                #expect(try Files.read(database) == before)
            }
        }

        /// K05, K09.
        @Test func aDryRunSaysTheSameAndWritesNothing() throws {
            try withTwoVaults { stage, other in
                let server = try stage.startServer()
                let shared = try server.issue(subject: "shared")
                try stage.add("work", from: server)
                let path = "\(stage.root)/one"
                #expect(try export(stage, path).code == 0)
                let database = "\(stage.root)/other/vault.db"
                let before = try Files.read(database)
                let dry = try importing(stage, path, "--dry-run", "--json", environment: other)
                #expect(
                    dry.word == #"{"accounts":[{"name":"work","outcome":"added","reason":null}],"#
                        + #""dryRun":true,"schemaVersion":1}"#
                )
                #expect(try Files.read(database) == before)
                let real = try importing(stage, path, "--json", environment: other)
                #expect(real.word == dry.word.replacing("true", with: "false"))

                // One grant under two names: each would log the other out.
                let endpoint = server.address.tokenEndpoint
                try stage.add("shared", shared, at: endpoint)
                let mine = [
                    "add", "mine", "--token-endpoint", endpoint, "--client-id", "test-public",
                ]
                #expect(try stage.vault(mine, input: shared, environment: other).code == 0)
                let two = "\(stage.root)/two"
                #expect(try export(stage, two).code == 0)
                for more in [["--dry-run"], []] {
                    let ended = try importing(stage, two, more, environment: other)
                    #expect(ended.code == 1 && ended.stdout.isEmpty, "\(ended)")
                    #expect(ended.err.contains("account mine has its refresh token already"))
                    #expect(ended.err.contains("nothing was imported: 1 of 2 accounts"))
                }
                #expect(try stage.vault(["token", "shared"], environment: other).code == 3)
            }
        }

        @Test func whatIsWrittenHasNoTokenUnlessThatIsAskedFor() throws {
            try withTwoVaults { stage, other in
                let server = try stage.startServer()
                try stage.add("work", from: server)
                let token = try stage.vault("token", "work").word
                let path = "\(stage.root)/export"
                let said = try export(stage, path)
                let canary = Canary("access token", token)
                for bytes in [try Files.read(path), said.stdout, said.stderr] {
                    #expect(canary.form(in: bytes, of: path) == nil)
                }
                #expect(try export(stage, path).code == 1)
                let plain = try stage.vault("export", "--plaintext")
                #expect(plain.code == 0 && plain.err.contains("warning"))
                #expect(plain.out.contains(token))
                let taken = try stage.vault(
                    ["import", "-", "--json"],
                    input: plain.out,
                    environment: other
                )
                #expect(taken.code == 0 && taken.out.contains(#""added""#), "\(taken)")
                #expect(try stage.vault(["token", "work"], environment: other).word == token)
                let shown = try stage.shell(
                    #"script -qec "'$1' export --plaintext" /dev/null </dev/null"#,
                    [Programs.vault()]
                )
                #expect(canary.form(in: shown.stdout, of: "terminal") == nil)
                #expect(shown.out.contains("not shown on a terminal"), "\(shown.out)")
            }
        }

        /// Nobody has to start anything for the token to be renewed.
        @Test func whatIsImportedIsRenewed() throws {
            try withTwoVaults { stage, other in
                let server = try stage.startServer()
                try stage.addExpired(["work"], from: server)
                let path = "\(stage.root)/export"
                #expect(try export(stage, path, "--move").code == 0)
                #expect(try stage.vault(["agent", "status"], environment: other).code != 0)
                #expect(try importing(stage, path, environment: other).code == 0)
                #expect(try poll(seconds: 40) { try server.statistics().refreshes == 1 })
            }
        }

        // MARK: - Help

        /// Gives a test two vaults; the environment is that of the second.
        private func withTwoVaults(_ body: (Stage, [String: String?]) throws -> Void) throws {
            try withStage { stage in
                let other: [String: String?] = ["VAULT_HOME": "\(stage.root)/other"]
                try stage.initialize()
                #expect(try stage.vault(["init", "--key-file"], environment: other).code == 0)
                defer { _ = try? stage.vault(["agent", "stop"], environment: other) }
                try body(stage, other)
            }
        }

        private func export(
            _ stage: Stage,
            _ path: String,
            _ more: String...,
            environment: [String: String?] = [:]
        ) throws -> Ended {
            try stage.vault(
                ["export", path, "--export-passphrase-fd", "7"] + more,
                environment: environment,
                descriptors: [7: "\(Self.words)\n"]
            )
        }

        private func importing(
            _ stage: Stage,
            _ path: String,
            _ more: String...,
            passphrase: String = words,
            environment: [String: String?] = [:]
        ) throws -> Ended {
            try importing(
                stage,
                path,
                more,
                passphrase: passphrase,
                environment: environment
            )
        }

        private func importing(
            _ stage: Stage,
            _ path: String,
            _ more: [String],
            passphrase: String = words,
            environment: [String: String?] = [:]
        ) throws -> Ended {
            try stage.vault(
                ["import", path, "--import-passphrase-fd", "7"] + more,
                environment: environment,
                descriptors: [7: "\(passphrase)\n"]
            )
        }
    }
}
