import Glibc
import Testing

extension EndToEndTests {
    /// What the programs show of accounts, and of what was done with them.
    @Suite struct StatusTests {
        @Test("cli B13, G02, G03: a check tells scripts what to do")
        func check() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                #expect(try stage.vault("status", "--check").code == 0)
                try stage.add("work", from: server)
                let fine = try stage.vault("status", "--check")
                #expect(fine.code == 0 && fine.stdout.isEmpty && fine.err.isEmpty, "\(fine)")
                try server.script(#"[{"status":500}]"#)
                #expect(try stage.vault("refresh", "work").code == 6)
                let failing = try stage.vault("status", "--check")
                #expect(failing.code == 6, "\(failing)")
                #expect(failing.out.hasPrefix("work: "), "\(failing.out)")
                try server.script(#"[{"status":400,"body":"{\"error\":\"invalid_grant\"}"}]"#)
                try stage.add("home", from: server)
                #expect(try stage.vault("refresh", "home").code == 4)
                let dead = try stage.vault("status", "--check")
                #expect(dead.code == 4, "\(dead)")
                #expect(dead.out.contains("home: sign-in needed"), "\(dead.out)")
                #expect(dead.errorLines.count == 1, "\(dead)")
                let shown = try stage.vault("status")
                #expect(shown.code == 0 && !shown.out.contains("\u{1b}"), "\(shown)")
                #expect(shown.out.contains("vault login home"), "\(shown.out)")
            }
        }

        @Test("security 28: what was done is written down, by whom")
        func log() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                try stage.add("home", from: server)
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.vault("switch", "home").code == 0)
                #expect(try stage.vault("remove", "work").code == 0)
                let log = try stage.vault("log")
                #expect(log.code == 0 && log.err.isEmpty, "\(log)")
                let lines = log.out.split(separator: "\n")
                let deeds = [
                    "vault init", "account added", "account added", "refreshed",
                    "made the current account", "account removed",
                ]
                #expect(lines.count == deeds.count, "\(log.out)")
                for (line, deed) in zip(lines, deeds) { #expect(line.contains(deed), "\(line)") }
                #expect(lines.last?.contains("work") == true)
                #expect(lines[3].contains("vault-agent "), "\(lines[3])")
                #expect(lines[4].contains("vault switch "), "\(lines[4])")
                let of = try JSON(stage.vault("log", "work", "--json", "--limit", "2").word)
                #expect(of["entries"]?.items.count == 2)
                #expect(of["entries"]?[1]?["action"]?.string == "account_removed")
                #expect(of["entries"]?[1]?["genuine"] == .bool(true))
            }
        }

        @Test("cli D07: neither the time zone nor summer time moves an expiry")
        func timeZones() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                // Where it is a quarter of a day earlier, and where summer time begins in a moment or
                // has just ended.
                let zones = ["UTC0", "XST5:45", "AAA-1BBB,J1/0,J365/25", "AAA-1BBB,J365/25,J1/0"]
                let seen = try zones.map { zone in
                    var shown = try stage.vaultLaunch(["status", "work", "--json"])
                    shown.environment["TZ"] = zone
                    var log = try stage.vaultLaunch(["log", "--since", "2026-01-01"])
                    log.environment["TZ"] = zone
                    let expiry = try JSON(stage.run(shown).word)["accounts"]?[0]?["expiresAt"]?
                        .string
                    return try "\(expiry ?? "none") \(stage.run(log).out)"
                }
                #expect(Set(seen).count == 1 && !seen[0].hasPrefix("none"), "\(seen)")
                // A token is good wherever it is asked for.
                for zone in zones {
                    var token = try stage.vaultLaunch(["token", "work"])
                    token.environment["TZ"] = zone
                    #expect(try stage.run(token).code == 0)
                }
                #expect(try server.statistics().tokenRequests == 0)
            }
        }

        @Test func aRowThatWasChangedIsMarked() throws {
            try withStage { stage in
                try stage.initialize()
                let edit = "UPDATE activity SET actor = 'nobody 1'"
                let program =
                    "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); "
                    + "d.execute(sys.argv[2]); d.commit()"
                let edited = try stage.system("python3", ["-c", program, stage.database, edit])
                #expect(edited.code == 0, "\(edited)")
                let log = try stage.vault("log")
                #expect(log.code == 8, "\(log)")
                #expect(log.out.contains("changed: nothing vouches for this row"), "\(log.out)")
                #expect(try stage.vault("verify").code == 8)
                #expect(try stage.vault("doctor").out.contains("vault log --all marks them"))
            }
        }

        @Test func aWatchIsEndedByItsPersonAndLeavesTheTerminalAsItWas() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let piped = try stage.vault("status", "--watch")
                #expect(piped.code == 2 && piped.stdout.isEmpty, "\(piped)")
                #expect(piped.err.contains("--json"), "\(piped)")

                let terminal = try PseudoTerminal()
                var launch = try stage.vaultLaunch(["status", "--watch"])
                launch.terminal = terminal
                let screen = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
                defer { close(screen) }
                launch.output = .descriptor(screen)
                launch.environment["TERM"] = "xterm"
                launch.environment["LC_ALL"] = "C.UTF-8"
                let run = try stage.start(launch)
                try terminal.wait(for: "\u{1b}[?1049h\u{1b}[?25l")
                try terminal.wait(for: "work")
                // The next picture comes by itself.
                try terminal.wait(for: "work")
                #expect(terminal.shown.contains("\u{2588}"), "\(terminal.shown)")
                terminal.resize(columns: 30, rows: 10)
                try terminal.wait(for: "STATE\u{1b}[0m\u{1b}[K")
                terminal.type("\u{3}")
                let ended = try stage.finish(run)
                #expect(ended.code == 128 + SIGINT, "\(ended)")
                let shown = terminal.read()
                #expect(shown.hasSuffix("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"), "\(shown)")
            }
        }
    }
}
