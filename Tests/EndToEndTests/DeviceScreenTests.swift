import Glibc
import Testing

extension EndToEndTests {
    /// What a person at a terminal sees of a device's sign-in.
    @Suite struct DeviceScreenTests {
        /// Starts a sign-in whose words go to a terminal of this size.
        private func start(
            _ stage: Stage,
            _ server: TestServer,
            _ terminal: PseudoTerminal,
            rows: UInt16 = 50,
            _ variables: [String: String] = [:]
        ) throws -> Run {
            terminal.resize(columns: 100, rows: rows)
            let words = [
                "login", "work", "--flow", "device", "--issuer", server.issuer, "--client-id",
                "test-public",
            ]
            let line = #"exec "$@" 2>/dev/tty"#
            var launch = stage.launch(
                try Programs.system("sh"),
                ["-c", line, "sh", try Programs.vault()] + words
            )
            launch.terminal = terminal
            launch.environment["TERM"] = "xterm"
            launch.environment["LC_ALL"] = "C.UTF-8"
            for (name, value) in variables { launch.environment[name] = value }
            return try stage.start(launch)
        }

        /// Approves what the terminal shows, and returns all that it showed in the end.
        private func approve(
            _ stage: Stage,
            _ server: TestServer,
            _ terminal: PseudoTerminal,
            _ run: Run
        ) throws -> String {
            try terminal.wait(for: "waiting for your approval")
            let shown = terminal.shown.replacing("\r\n", with: "\n")
            let code = try #require(LoginFlowTests.userCode(in: shown))
            // It is there to be compared (RFC 8628 §3.3.1).
            #expect(shown.contains("the code \(code) is for 127.0.0.1"))
            try LoginFlowTests.approve(stage, server, code)
            let ended = try stage.finish(run)
            #expect(ended.code == 0, "\(ended)")
            return shown
        }

        @Test func theAddressIsThereForACamera() throws {
            try withStage { stage in
                let server = try stage.startServer("--device-interval", "1")
                try stage.initialize()
                let terminal = try PseudoTerminal()
                let run = try start(stage, server, terminal)
                let shown = try approve(stage, server, terminal, run)
                #expect(shown.contains("\(server.issuer)/device?user_code="))
                let modules = Self.modules(in: shown)
                let width = modules.first?.count ?? 0
                // Versions 2 to 5, four light modules round about, and the half line below.
                #expect([33, 37, 41, 45].contains(width), "\(shown)")
                #expect(modules.count == width + 1 && modules.allSatisfy { $0.count == width })
                let light = Array(repeating: false, count: width)
                #expect(
                    modules.prefix(4) + modules.suffix(5) == Array(repeating: light, count: 9)[...]
                )
                let finder = [true, true, true, true, true, true, true, false]
                for row in [4, 10, width - 11, width - 5] {
                    #expect(Array(modules[row][4..<12]) == finder, "row \(row)")
                }
                #expect(Array(modules[4][(width - 12)..<(width - 4)]) == finder.reversed())
            }
        }

        @Test(
            "where nobody could read it, there is the address alone",
            arguments: [
                (50, ["NO_COLOR": "1"]), (50, ["TERM": "dumb"]), (50, ["LC_ALL": "C"]), (12, [:]),
            ] as [(UInt16, [String: String])]
        )
        func plain(rows: UInt16, variables: [String: String]) throws {
            try withStage { stage in
                let server = try stage.startServer("--device-interval", "1")
                try stage.initialize()
                let terminal = try PseudoTerminal()
                let run = try start(stage, server, terminal, rows: rows, variables)
                guard variables["TERM"] == "dumb" else {
                    let shown = try approve(stage, server, terminal, run)
                    return #expect(Self.modules(in: shown).isEmpty && !shown.contains("\u{2588}"))
                }
                // No line is written anew there.
                try terminal.wait(for: "for nobody who asks you for it")
                let shown = terminal.shown.replacing("\r\n", with: "\n")
                #expect(!shown.contains("\u{1b}") && !shown.contains("\u{2588}"))
                try LoginFlowTests.approve(
                    stage,
                    server,
                    #require(LoginFlowTests.userCode(in: shown))
                )
                #expect(try stage.finish(run).code == 0)
            }
        }

        @Test func whoGoesIsNotAskedForAnyMore() throws {
            try withStage { stage in
                let server = try stage.startServer("--device-interval", "1")
                try stage.initialize()
                let terminal = try PseudoTerminal()
                let run = try start(stage, server, terminal)
                try terminal.wait(for: "waiting for your approval")
                let code = LoginFlowTests.userCode(
                    in: terminal.shown.replacing("\r\n", with: "\n")
                )
                terminal.type("\u{3}")
                #expect(try stage.finish(run, seconds: 10).code == 128 + SIGINT)
                // Approved all the same, it is fetched by nobody.
                try LoginFlowTests.approve(stage, server, #require(code))
                let before = try server.statistics().tokenRequests
                let isAsked = try poll(seconds: 2) {
                    try server.statistics().tokenRequests > before
                }
                #expect(!isAsked)
                #expect(try stage.vault("token", "work").code == 3)
            }
        }

        /// The halves of the characters that stand black on white, dark ones true.
        private static func modules(in shown: String) -> [[Bool]] {
            shown.split(separator: "\n").filter { $0.hasPrefix("\u{1b}[30;47m") }.flatMap { line in
                let cells = line.dropFirst(8).dropLast(4)
                return [
                    cells.map { "\u{2588}\u{2580}".contains($0) },
                    cells.map { "\u{2588}\u{2584}".contains($0) },
                ]
            }
        }
    }
}
