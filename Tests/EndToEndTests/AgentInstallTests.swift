import Glibc
import Testing

extension EndToEndTests {
    /// The agent as a service of the user's systemd.
    @Suite struct AgentInstallTests {
        @Test func anInstalledAgentIsARealServiceOfSystemd() throws {
            guard NotRun.isRoot else { return try NotRun.needsRoot("a systemd of a user's own") }
            try withStage { stage in
                let server = try stage.startServer()
                let copies = "\(stage.root)/bin"
                mkdir(copies, 0o755)
                let programs = try [Programs.vault(), Programs.agent()]
                #expect(try stage.system("cp", programs + [copies]).code == 0)
                let dead = #"{"access_token":"a","refresh_token":"unknown","expires_in":3600}"#
                try Files.write(dead, to: "\(stage.root)/dead")
                try Files.write(server.issue(subject: "good"), to: "\(stage.root)/good")
                let scripts = "\(Programs.packageRoot)/Tests/EndToEndTests/Servers"
                let ended = try stage.run(
                    stage.launch(
                        "\(scripts)/user-manager.sh",
                        [
                            stage.root, "\(scripts)/installed-agent.sh",
                            server.address.tokenEndpoint,
                        ]
                    ),
                    seconds: 120
                )
                guard ended.code != 77 else {
                    return try NotRun.say("not run (\(ended.err)): the units under systemd")
                }
                expect(ended, try #require(Self.owner(in: ended.out)))
            }
        }

        private static func owner(in text: String) -> Substring? {
            text.split(separator: "\n").first { $0.hasPrefix("owner: ") }?.dropFirst(7)
        }

        private func expect(_ ended: Ended, _ owner: Substring) {
            let numbers = owner.split(separator: "=")
            #expect(numbers.count == 2 && numbers.first == numbers.last, "\(owner)")
            let expected = """
                install: 0
                words: 1
                service: active
                socket: active
                owner: \(owner)
                again: 0, active
                sandbox: yes
                reload: 0 1
                refused: 4
                hook: sign_in_needed dead
                renewed: 0
                stop: 0 inactive active
                stopped: 0 inactive
                activated: 0 active
                gone: 1
                ondemand: 0 active
                second: 0 1
                answers: 0
                uninstall: 0 0
                first: active
                rest: 0 0 inactive

                """
            #expect(ended.out == expected, "\(ended)")
        }

        @Test func withoutASystemdItSaysWhatToRun() throws {
            try withStage { stage in
                try stage.initialize()
                let installed = try stage.vaultElsewhere("agent", "install")
                #expect(installed.code == 0 && installed.stdout.isEmpty, "\(installed)")
                #expect(installed.err.contains("systemctl --user enable --now"))
                let units = "\(stage.home)/.config/systemd/user"
                #expect(
                    Set(try Files.names(in: units)) == [
                        "vault-agent.service", "vault-agent.socket",
                    ]
                )
                let text = try Files.text("\(units)/vault-agent.service")
                #expect(try stage.vaultElsewhere("agent", "install").code == 0)
                #expect(try Files.text("\(units)/vault-agent.service") == text)
                try verify(["service", "socket"].map { "\(units)/vault-agent.\($0)" }, stage)
                #expect(try stage.vaultElsewhere("agent", "uninstall").code == 0)
                #expect(try Files.names(in: units).isEmpty)
            }
        }

        private func verify(_ units: [String], _ stage: Stage) throws {
            guard let analyze = try? Programs.system("systemd-analyze") else {
                return try NotRun.say("not run (no systemd-analyze): the words of the units")
            }
            var launch = stage.launch(analyze, ["--user", "verify"] + units)
            launch.environment["XDG_RUNTIME_DIR"] = stage.root
            let ended = try stage.run(launch)
            #expect(ended.code == 0 && ended.err.isEmpty, "\(ended)")
        }

        @Test func aUnitThatSomebodyElseWroteStays() throws {
            try withStage { stage in
                try stage.initialize()
                let units = "\(stage.home)/.config/systemd/user"
                #expect(try stage.system("mkdir", ["-p", units]).code == 0)
                try Files.write("[Service]\n", to: "\(units)/vault-agent.service")
                let refused = try stage.vaultElsewhere("agent", "install")
                #expect(refused.code == 1 && refused.err.contains("--force"), "\(refused)")
                #expect(try Files.names(in: units) == ["vault-agent.service"])
                #expect(try stage.vaultElsewhere("agent", "uninstall").code == 0)
                #expect(try Files.text("\(units)/vault-agent.service") == "[Service]\n")
                #expect(try stage.vaultElsewhere("agent", "install", "--force").code == 0)
                #expect(try Files.text("\(units)/vault-agent.service").contains("Type=notify"))
            }
        }

        @Test func aVaultThatDoesNotOutlastARestartHasNoUnits() throws {
            try withStage { stage in
                try stage.initialize()
                let ended = try stage.vault("agent", "install")
                #expect(ended.code == 1 && ended.err.contains("/tmp"), "\(ended)")
                #expect(!Files.exists("\(stage.home)/.config"))
            }
        }
    }
}
