import Glibc
import Testing

extension EndToEndTests {
    /// What the agent needs of its process, and how it is made to leave.
    @Suite struct AgentProcessTests {
        /// The first signal is a wish, one more an order.
        @Test func aSecondSignalCutsTheEndShort() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                #expect(try stage.vault("agent", "stop").code == 0)
                let run = try stage.start(stage.vaultLaunch(["agent", "run"]))
                #expect(try poll(seconds: 10) { run.stderrSoFar.contains("ready") })
                try server.setStanding(#"{"delayAfterCommit":20}"#)
                let refresh = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                let isSent = try poll(seconds: 10) { try server.statistics().tokenRequests == 1 }
                #expect(isSent)
                run.process.kill(SIGTERM)
                let isStopping = try poll(seconds: 10) {
                    try Files.text(stage.log).contains(#""what":"stop""#)
                }
                #expect(isStopping)
                run.process.kill(SIGINT)
                let ended = try stage.finish(run, seconds: 10)
                #expect(ended.code == 130, "\(ended)")
                #expect(try Files.text(stage.log).contains(#""what":"stop_ordered""#))
                #expect(try stage.finish(refresh).code != 0)
            }
        }

        @Test(arguments: [
            ("ulimit -n 64", Int32(1)), ("ulimit -n 240", 0), ("ulimit -Sn 64", 0),
        ])
        func itTakesTheDescriptorsItNeedsOrSaysSo(limit: String, code: Int32) throws {
            try withStage { stage in
                try stage.initialize()
                let line = #"\#(limit) && exec "$1" agent run"#
                let run = try stage.start(
                    stage.launch(
                        try Programs.system("sh"),
                        ["-c", line, "sh", try Programs.vault()]
                    )
                )
                if code == 0 {
                    #expect(try poll(seconds: 10) { run.stderrSoFar.contains("ready") })
                    let isFew = try Files.text(stage.log).contains("few_descriptors")
                    #expect(isFew == limit.hasSuffix("240"))
                    run.process.kill(SIGTERM)
                }
                let ended = try stage.finish(run, seconds: 20)
                #expect(ended.code == code, "\(ended)")
                if code != 0 {
                    #expect(ended.errorLines.count == 1 && ended.err.contains("64 files"))
                }
            }
        }

        /// Its words are those of `vault`, and so is its exit code.
        @Test func runSaysWhyItDoesNotStart() throws {
            try withStage { stage in
                let none = try stage.vault("agent", "run")
                #expect(none.code == 1 && none.err.contains("there is no vault in"), "\(none)")
                try stage.initialize()
                chmod(stage.database, 0o644)
                let open = try stage.vault("agent", "run")
                #expect(open.code == 10 && open.err.contains("chmod 600"), "\(open)")
                let option = try stage.run(
                    stage.launch(try Programs.agent(), ["--allow-scope", "x"])
                )
                #expect(option.code == 2 && option.errorLines.count == 1, "\(option)")
            }
        }
    }
}
