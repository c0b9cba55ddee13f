import Glibc
import Testing

extension EndToEndTests {
    /// Rows F-60 and J03: a program that crashes with secrets in its memory says nothing of them.
    @Suite struct CrashOutputTests {
        private static let fatal = [
            SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT, SIGSYS,
        ]

        private func withServer(
            _ body: (_ stage: Stage, _ server: TestServer, _ search: LeakSearch) throws -> Void
        ) throws {
            try withStage { stage in
                let server = try stage.startServer("--token-prefix", CommandTour.prefix)
                try stage.initialize()
                let keyFile = try stage.keyFile()
                let search = LeakSearch(for: [
                    Canary("token, code or secret", CommandTour.prefix),
                    Canary("key file", bytes: try Files.read(keyFile)),
                ])
                try body(stage, server, search)
            }
        }

        @Test func theAgentInTheMiddleOfARefresh() throws {
            try withServer { stage, server, search in
                let crash = Crash(stage)
                try stage.add("work", from: server)
                #expect(try stage.vault("agent", "stop").code == 0)
                for signal in Self.fatal {
                    let agent = try stage.start(
                        crash.launch(Programs.vault(), ["agent", "run"])
                    )
                    #expect(try poll(seconds: 10) { agent.stderrSoFar.contains("ready") })
                    let before = try server.statistics().tokenRequests
                    try server.script(#"[{"delayAfterCommit":5}]"#)
                    let refresh = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                    let isSent = try poll(seconds: 10) {
                        try server.statistics().tokenRequests > before
                    }
                    #expect(isSent)
                    agent.process.kill(signal)
                    let ended = try stage.finish(agent, seconds: 10)
                    #expect(ended.code == 128 + signal, "\(ended)")
                    #expect(!ended.err.contains("rash"), "\(ended)")
                    refresh.process.kill(SIGKILL)
                    _ = try stage.finish(refresh)
                }
                try expectNothing(crash, stage, search)
            }
        }

        @Test func theCommandThatHoldsAClientSecret() throws {
            try withServer { stage, server, search in
                let crash = Crash(stage)
                for signal in Self.fatal {
                    var launch = try crash.launch(
                        Programs.vault(),
                        [
                            "login", "conf", "--no-browser", "--issuer", server.issuer,
                            "--client-id", server.address.confidentialClientID,
                            "--client-secret-fd", "7",
                        ]
                    )
                    launch.descriptors[7] = "\(server.address.confidentialClientSecret)\n"
                    let run = try stage.start(launch)
                    #expect(try poll(seconds: 20) { run.stderrSoFar.contains("http://") })
                    run.process.kill(signal)
                    let ended = try stage.finish(run, seconds: 10)
                    #expect(ended.code == 128 + signal, "\(ended)")
                    #expect(!ended.err.contains("rash"), "\(ended)")
                }
                try expectNothing(crash, stage, search)
            }
        }

        @Test(arguments: [SIGSEGV, SIGABRT])
        func theCommandThatHoldsAPassphrase(signal: Int32) throws {
            try withStage { stage in
                try CommandTour.makeVault(stage)
                let crash = Crash(stage)
                var launch = try crash.launch(
                    Programs.vault(),
                    ["key", "rotate", "--passphrase-fd", "4"]
                )
                launch.descriptors[4] = "\(TourSecrets.first)\n"
                let run = try stage.start(launch)
                // In the third of a second that the key takes to derive.
                usleep(120_000)
                run.process.kill(signal)
                let ended = try stage.finish(run, seconds: 10)
                #expect(ended.code == 128 + signal, "\(ended)")
                #expect(ended.stderr.isEmpty && ended.stdout.isEmpty, "\(ended)")
                try expectNothing(crash, stage, LeakSearch(for: [TourSecrets.canary]))
            }
        }

        private func expectNothing(
            _ crash: Crash,
            _ stage: Stage,
            _ search: LeakSearch
        ) throws {
            #expect(try crash.files().isEmpty)
            #expect(search.output(of: stage.history).isEmpty)
            #expect(try crash.leaks(search).isEmpty)
        }
    }
}
