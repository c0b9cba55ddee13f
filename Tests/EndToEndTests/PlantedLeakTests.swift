import Glibc
import Testing

extension EndToEndTests {
    /// A leak planted in each channel is found there: what `SecrecyTests` finds nothing in is
    /// looked at.
    @Suite struct PlantedLeakTests {
        private static let secret = "CANARY-planted/0123456789"
        private static let search = LeakSearch(for: [Canary("planted", secret)])

        /// What a program that leaks stands for: `vault` with other words than its own.
        private func withLeakyVault(
            _ script: String,
            _ body: (_ stage: Stage, _ vault: String) throws -> Void
        ) throws {
            try withStage { stage in
                mkdir("\(stage.home)/bin", 0o700)
                mkdir(stage.vaultHome, 0o700)
                let path = "\(stage.home)/bin/vault"
                // The secret itself is not in the script, which is a file of the stage.
                let halves = "A=CANARY-plan; B=ted/0123456789; S=$A$B"
                try Files.write("#!/bin/sh\n\(halves)\n\(script)\n", to: path)
                chmod(path, 0o700)
                try body(stage, path)
            }
        }

        private func expectOne(
            _ leaks: [Leak],
            _ channel: Channel,
            form: String = "raw",
            _ place: String
        ) {
            let isIt = leaks.count == 1 && leaks[0].channel == channel && leaks[0].form == form
            #expect(isIt && leaks[0].place.contains(place), "\(channel): \(leaks)")
        }

        @Test func onTheOutputs() throws {
            try withLeakyVault(#"printf %s "$S" >&$2; exit $3"#) { stage, vault in
                func leaks(_ words: String...) throws -> [Leak] {
                    Self.search.output(of: [try stage.run(stage.launch(vault, words))])
                }
                try expectOne(leaks("list", "1", "0"), .standardOutput, "list")
                try expectOne(leaks("list", "1", "1"), .standardOutput, "list")
                try expectOne(leaks("list", "2", "0"), .standardError, "list")
                try expectOne(leaks("token", "2", "0"), .standardError, "token")
                // Where a token was asked for there is one, and nothing else; none when it says so.
                try expectOne(leaks("token", "1", "0"), .standardOutput, "token")
                let token = LeakSearch(for: [Canary("access token", Self.secret)])
                #expect(token.output(of: stage.history.suffix(1)).isEmpty)
                try expectOne(leaks("token", "1", "4"), .standardOutput, "token")
            }
        }

        @Test func onTheTerminal() throws {
            try withLeakyVault(#"printf %s "$S" >/dev/tty"#) { stage, vault in
                let person = try Person()
                var launch = stage.launch(vault, ["list"])
                launch.terminal = person.terminal
                #expect(try stage.finish(stage.start(launch)).code == 0)
                let shown = Array(person.seen.utf8)
                let leaks = Self.search.leaks(.standardOutput, shown, at: "terminal")
                expectOne(leaks, .standardOutput, "terminal")
            }
        }

        @Test(
            arguments: [
                "vault/vault.db", "vault/vault.db-journal", "vault/vault.reserve",
                "vault/agent.log", "vault/backups/daily-1.db", "tmp/x", "home/.config/vault/x",
                "state/vault/other",
            ]
        )
        func inAFile(path: String) throws {
            let script = #"mkdir -p "$(dirname "$1")"; printf 'x%s' "$S" | base64 >>"$1""#
            try withLeakyVault(script) { stage, vault in
                let place = "\(stage.root)/\(path)"
                #expect(try stage.run(stage.launch(vault, [place])).code == 0)
                try expectOne(Self.search.files(of: stage), .file, form: "base64+1", path)
            }
        }

        @Test func inTheNameOfAFile() throws {
            try withLeakyVault(#"touch "$1/$(printf %s "$S" | tr / -)""#) { stage, vault in
                #expect(try stage.run(stage.launch(vault, [stage.vaultHome])).code == 0)
                let search = LeakSearch(
                    for: [Canary("name", Self.secret.replacing("/", with: "-"))]
                )
                try expectOne(search.files(of: stage), .file, "/vault/CANARY")
            }
        }

        @Test func inAFileThatIsGone() throws {
            let script = #"printf %s "$S" >"$1/x"; rm "$1/x"; ln -s "$S" "$1/l"; rm "$1/l""#
            try withLeakyVault(script) { stage, vault in
                let leaks = try traced(stage, [vault, stage.temporary])
                #expect(try Self.search.files(of: stage).isEmpty)
                let written = leaks.filter { $0.channel == .write }
                #expect(written.contains { $0.place.hasSuffix("tmp/x") }, "\(leaks)")
                #expect(written.contains { !$0.place.hasSuffix("tmp/x") }, "\(leaks)")
            }
        }

        @Test(arguments: [#"/bin/true "$S""#, #"export V="$S"; /bin/true"#])
        func inAShortLivedChild(script: String) throws {
            let channel = script.contains("export") ? Channel.environment : .argument
            try withLeakyVault(script) { stage, vault in
                try expectOne(traced(stage, [vault]), channel, "/bin/true")
            }
        }

        private func traced(_ stage: Stage, _ words: [String]) throws -> [Leak] {
            let trace = SystemCallTrace(in: "\(stage.notes)trace-\(stage.history.count)")
            let all = try trace.command() + words
            let ended = try stage.run(stage.launch(all[0], Array(all.dropFirst())))
            #expect(ended.code == 0, "\(ended)")
            return try Self.search.leaks(in: trace.calls(), of: stage)
        }

        /// The agent does say an account's name, which is a secret for once.
        @Test func inAnAnswerOfTheAgent() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("a trace of what the agent answers")
            }
            try withStage { stage in
                let server = try stage.startServer()
                let trace = SystemCallTrace(in: "\(stage.notes)trace")
                stage.wrapper = try trace.command()
                try stage.initialize()
                try stage.add("CANARY-name", from: server)
                #expect(try stage.vault("status", "CANARY-name").code == 0)
                #expect(try stage.vault("refresh", "CANARY-name").code == 0)
                #expect(try stage.vault("agent", "stop").code == 0)
                let search = LeakSearch(for: [Canary("name", "CANARY-name")])
                let leaks = try search.leaks(in: trace.calls(), of: stage)
                #expect(leaks.contains { $0.channel == .answer }, "\(leaks)")
            }
        }

        @Test func inTheArgumentsAndEnvironmentOfARunningProcess() throws {
            try withStage { stage in
                #expect(try Self.search.processes(of: stage).isEmpty)
                var launch = stage.launch(try Programs.system("sleep"), ["30"])
                launch.environment["LEAK"] = Self.secret
                let hasEnvironment = try stage.start(launch)
                #expect(try poll(seconds: 5) { try !Self.search.processes(of: stage).isEmpty })
                try expectOne(Self.search.processes(of: stage), .environment, "sleep")
                hasEnvironment.process.kill(SIGKILL)
                _ = try hasEnvironment.wait()
                let words = ["-c", "kill -STOP $$", "sh", Self.secret]
                let hasArgument = try stage.start(stage.launch(Programs.system("sh"), words))
                #expect(try poll(seconds: 5) { try !Self.search.processes(of: stage).isEmpty })
                try expectOne(Self.search.processes(of: stage), .argument, "sh")
                hasArgument.process.kill(SIGKILL)
            }
        }

        @Test func inTheArgumentsAndEnvironmentOfTheBrowser() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("a program in the place of the browser's opener")
            }
            try withStage { stage in
                let browser = try Browser(stage)
                let opener = [try Programs.system("sh"), "-c", #"exec xdg-open "$1""#, "sh"]
                var launch = try browser.launch(opener + ["http://127.0.0.1:9/\(Self.secret)"])
                launch.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
                launch.environment["LEAK"] = Self.secret
                _ = try stage.run(launch)
                let leaks = try browser.leaks(Self.search)
                #expect(Set(leaks.map(\.channel)) == [.argument, .environment], "\(leaks)")
            }
        }

        @Test func inACrash() throws {
            try withStage { stage in
                let crash = Crash(stage)
                var launch = try crash.launch(Programs.system("sleep"), ["30"])
                launch.environment["LEAK"] = Self.secret
                let run = try stage.start(launch)
                usleep(50_000)
                run.process.kill(SIGSEGV)
                #expect(try stage.finish(run).code == 128 + SIGSEGV)
                guard crash.coresAreFiles else {
                    return try NotRun.say("not run (cores go elsewhere): a planted core file")
                }
                try expectOne(crash.leaks(Self.search), .crash, "core")
            }
        }
    }
}
