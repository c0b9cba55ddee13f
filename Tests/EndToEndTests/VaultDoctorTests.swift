import Glibc
import Testing

extension EndToEndTests {
    /// `vault doctor` on vaults that are well, ill, locked and not there.
    @Suite struct VaultDoctorTests {
        @Test func aVaultThatIsWellHasNoProblem() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let found = try stage.vault("doctor")
                #expect(found.code == 0 && found.stderr.isEmpty, "\(found)\n\(found.out)")
                for line in [
                    "ok       permissions: nobody else can reach the vault's files",
                    "ok       keys: opens by itself, with key slot 1 of 1",
                    "ok       accounts: 1 of 1 are well", "ok       agent: one is running",
                ] {
                    #expect(found.out.contains(line), "\(found.out)")
                }
                let token = try stage.vault("token", "work").word
                #expect(SecretSearch(for: token).firstFound(in: found.stdout) == nil)
                #expect(try server.statistics().refreshes == 0)
                let json = try JSON(stage.vault("doctor", "--json").word)
                #expect(json.keys == ["schemaVersion", "findings"])
                let findings = try #require(json["findings"]).items
                #expect(findings.allSatisfy { $0.keys == ["check", "level", "text", "hint"] })
                #expect(findings.allSatisfy { $0["level"] != .string("problem") })
            }
        }

        @Test func nothingIsChangedByLooking() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try stage.vault("agent", "stop")
                let before = try Files.read(stage.database)
                let names = try Files.names(in: stage.vaultHome)
                let found = try stage.vault("doctor")
                #expect(found.code == 0)
                #expect(found.out.contains("hint: vault agent start"), "\(found.out)")
                #expect(try Files.read(stage.database) == before)
                #expect(try Files.names(in: stage.vaultHome) == names)
                #expect(try stage.agentPID() == nil)
            }
        }

        @Test func withoutAVaultItSaysHowToMakeOne() throws {
            try withStage { stage in
                let found = try stage.vault("doctor")
                #expect(found.code == 1)
                #expect(found.out.contains("problem  vault: there is no vault in"))
                #expect(found.out.contains("hint: vault init"))
                #expect(found.err == "vault: error: 1 problem found\n")
                #expect(!Files.exists(stage.vaultHome))
            }
        }

        @Test func eachIllnessIsNamedWithItsRemedy() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try stage.vault("agent", "stop")

                // Locked: its key file is away.
                let keyFile = try stage.keyFile()
                #expect(rename(keyFile, keyFile + ".away") == 0)
                let locked = try stage.vault("doctor")
                #expect(locked.code == 1)
                #expect(locked.out.contains("its key file \(keyFile) is missing"))
                #expect(locked.out.contains("what is said of accounts is not verified"))
                #expect(rename(keyFile + ".away", keyFile) == 0)

                // An agent does not start on it.
                try Files.write("{\n\"on_evnt\": \"/bin/true\"}", to: stage.configuration)
                chmod(stage.configuration, 0o600)
                let configured = try stage.vault("doctor")
                #expect(configured.code == 1)
                #expect(configured.out.contains("problem  config: "), "\(configured.out)")
                #expect(configured.out.contains("config.json, line 2"), "\(configured.out)")
                try Files.write("{\"on_event\": \"/bin/true\"}", to: stage.configuration)
                #expect(try stage.vault("doctor").out.contains("ok       config: "))
                unlink(stage.configuration)

                // Others can reach it: exit 10, and every path at once.
                chmod(stage.database, 0o644)
                chmod(stage.vaultHome, 0o755)
                let open = try stage.vault("doctor")
                #expect(open.code == 10, "\(open)")
                #expect(open.out.contains("hint: chmod 600 '\(stage.database)'"))
                #expect(open.out.contains("hint: chmod 700 '\(stage.vaultHome)'"))
                chmod(stage.database, 0o600)
                chmod(stage.vaultHome, 0o700)

                // Damaged: exit 8.
                let whole = try Files.read(stage.database)
                try Files.write(Array(whole.prefix(whole.count / 2)), to: stage.database)
                let damaged = try stage.vault("doctor")
                #expect(damaged.code == 8, "\(damaged)\n\(damaged.out)")
                try Files.write("nothing", to: stage.database)
                #expect(try stage.vault("doctor").code == 8)
                try Files.write(whole, to: stage.database)
                #expect(try stage.vault("doctor").code == 0)
            }
        }
    }
}
