import Glibc
import Testing

/// The examples build as somebody else's package, and do against the test server what they say.
@Suite(.serialized) struct ExamplesTests {
    private static let examples = "\(Programs.packageRoot)/Examples"

    /// Builds an example, and where it is then.
    private static func program(_ name: String, in stage: Stage) throws -> String {
        let scratch = "\(Programs.packageRoot)/.build/stranger"
        let line = #"cd "$0" && exec swift build --product "$1" --scratch-path "$2" 2>&1"#
        var launch = stage.launch("/bin/sh", ["-c", line, examples, name, scratch])
        launch.environment["PATH"] = getenv("PATH").map { String(cString: $0) }
        let built = try stage.run(launch, seconds: 900)
        try #require(built.code == 0, "\(built.out.suffix(4000))")
        return "\(scratch)/debug/\(name)"
    }

    @Test func aClientOfASmallAPIAnswersWhoseTokenItHas() throws {
        try withStage { stage in
            let whoami = try Self.program("whoami", in: stage)
            let server = try stage.startServer()
            try stage.initialize()
            try stage.add("work", from: server)
            func ask(_ arguments: String...) throws -> Ended {
                try stage.run(stage.launch(whoami, arguments))
            }
            let answered = try ask("work", server.issuer, "/api/whoami")
            #expect(answered.code == 0, "\(answered.err)")
            #expect(answered.out.hasPrefix("200 ") && answered.out.contains("subject"))
            let unknown = try ask("other", server.issuer)
            #expect(unknown.code == 1)
            #expect(unknown.err.contains("no_such_account"))
            #expect(try ask("work", "http://example.com").code == 2)
        }
    }

    @Test func aServerKeepsAThousandAccountsFreshAndSaysSo() throws {
        try withStage { stage in
            let keeper = try Self.program("keeper", in: stage)
            let server = try stage.startServer("--lifetime", "30")
            try stage.initialize()
            let launch = stage.launch(keeper, ["0", "--demo", server.issuer, "1000"])
            let running = try stage.start(launch)
            // Each of them is renewed before the thirty seconds of its token are over.
            #expect(try poll(seconds: 90) { try server.statistics().refreshes >= 1000 })
            let address = try #require(running.stdoutSoFar.split(separator: "\n").first)
            // Once they all are: one may be late on a machine that is busy with building.
            #expect(
                try poll(seconds: 30) {
                    try stage.system("curl", ["-s", String(address)]).out
                        .contains("1000 of 1000 tokens are valid")
                }
            )
            let statistics = try server.statistics()
            #expect(statistics.reuseDetections == 0)
            #expect(statistics.mostPostsOfOneRefreshToken == 1)
            kill(running.process.pid, SIGTERM)
            #expect(try poll(seconds: 20) { running.process.exitStatus() == 0 })
        }
    }
}
