import Glibc
import Testing

extension EndToEndTests {
    /// The agent under a service manager that a script plays: the socket and the notices.
    @Suite struct AgentServiceTests {
        /// Row I03.
        @Test(arguments: [false, true])
        func i03ItIsReadyWhenItServesAndLeavesTheManagersSocket(byPath: Bool) throws {
            try withStage { stage in
                try stage.initialize()
                let manager = try Manager(stage, byPath ? ["--path-notify"] : [])
                try manager.expect("READY=1 STATUS=ready")
                #expect(try stage.vault("agent", "start").err.contains("already"))
                #expect(try stage.requireAgent() == manager.agent)
                if NotRun.isRoot {
                    let variables = try Files.text("/proc/\(manager.agent)/environ")
                    #expect(variables.contains("LISTEN_FDS"), "what it was started with")
                }
                try manager.send(SIGTERM)
                let ended = try manager.end()
                #expect(ended.code == 0, "\(ended)")
                #expect(
                    ended.out.contains("STOPPING=1") && ended.out.contains("EXTEND_TIMEOUT_USEC=")
                )
                #expect(ended.out.contains("END socket"))
            }
        }

        @Test func aSignalHasItReadItsConfigurationAgain() throws {
            try withStage { stage in
                try stage.initialize()
                let manager = try Manager(stage, [])
                try manager.expect("READY=1")
                try Files.write("{\n \"on_evnt\": \"/bin/true\"}", to: stage.configuration)
                chmod(stage.configuration, 0o600)
                try manager.send(SIGHUP)
                try manager.expect("RELOADING=1")
                try manager.expect("READY=1 STATUS=ready, with its earlier configuration")
                #expect(try Files.text(stage.log).contains(#""line":"2""#))
                try Files.write("{\"on_event\": \"/bin/true\"}", to: stage.configuration)
                try manager.send(SIGHUP)
                let isRead = try poll(seconds: 10) {
                    try Files.text(stage.log).contains(#""what":"reloaded""#)
                }
                #expect(isRead)
                #expect(try stage.requireAgent() == manager.agent)
                try manager.send(SIGTERM)
                #expect(try manager.end().code == 0)
            }
        }

        /// Rows F-54 and security 22.
        @Test(arguments: [
            (["--fds", "0"], "LISTEN_FDS=0"), (["--fds", "2"], "LISTEN_FDS=2"),
            (["--fds", "x"], "LISTEN_FDS=x"), (["--pid", "1"], "LISTEN_PID=1"),
            (["--kind", "tcp"], "not a unix socket"), (["--kind", "none"], "not"),
            (["--kind", "file"], "not a socket"), (["--kind", "datagram"], "not a stream socket"),
            (["--kind", "connected"], "not listening"), (["--kind", "elsewhere"], ".elsewhere"),
        ])
        func aSocketThatIsNotTheVaultsIsRefused(options: [String], words: String) throws {
            try withStage { stage in
                try stage.initialize()
                let manager = try Manager(stage, options)
                let ended = try manager.end()
                #expect(ended.code == 1, "\(ended)")
                #expect(ended.errorLines.count == 1 && ended.err.contains(words), "\(ended)")
                #expect(ended.out.contains("STATUS=") && !ended.out.contains("READY=1"))
                #expect(try stage.vault("agent", "status").code == 1)
            }
        }

        @Test func aConfigurationThatIsWrongKeepsItFromStarting() throws {
            try withStage { stage in
                try stage.initialize()
                try Files.write("{\n\n\"limit\": {}}", to: stage.configuration)
                chmod(stage.configuration, 0o600)
                let manager = try Manager(stage, ["--kind", "off"])
                let ended = try manager.end()
                #expect(ended.code == 1 && ended.err.contains("config.json, line 3"), "\(ended)")
                #expect(ended.out.contains("STATUS=") && !ended.out.contains("READY=1"))
                // Whoever starts it on demand hears the same.
                let start = try stage.vault("agent", "start")
                #expect(start.code == 1 && start.err.contains("there is no member 'limit'"))
            }
        }
    }
}

/// The script that plays a service manager, and the agent it started.
private struct Manager {
    private let stage: Stage
    private let run: Run
    private let input: String
    let agent: pid_t

    init(_ stage: Stage, _ options: [String]) throws {
        self.stage = stage
        input = "\(stage.temporary)/signals"
        guard mkfifo(input, 0o600) == 0 else { throw HarnessError("mkfifo: errno \(errno)") }
        let script = "\(Programs.packageRoot)/Tests/EndToEndTests/Servers/service-manager.py"
        let words = [script] + options + [stage.socket, try Programs.agent()]
        // The FIFO is held open for writing, so that the script's input does not end.
        let line = #"exec 9<>"$1"; shift; exec python3 "$@" <&9"#
        run = try stage.start(
            stage.launch(try Programs.system("sh"), ["-c", line, "sh", input] + words)
        )
        let started = run
        let isThere = try poll(seconds: 20) { started.stdoutSoFar.contains("\n") }
        guard isThere, let word = run.stdoutSoFar.split(separator: "\n").first?.dropFirst(4),
            let number = pid_t(word)
        else { throw HarnessError("no agent: \(run.stderrSoFar)") }
        agent = number
    }

    func expect(_ notice: String) throws {
        let isTold = try poll(seconds: 20) { run.stdoutSoFar.contains(notice) }
        #expect(isTold, "\(run.stdoutSoFar) \(run.stderrSoFar)")
    }

    func send(_ signal: Int32) throws {
        let descriptor = open(input, O_WRONLY | O_NONBLOCK)
        guard descriptor >= 0 else { throw HarnessError("no manager: errno \(errno)") }
        defer { close(descriptor) }
        let line = Array("\(signal)\n".utf8)
        guard write(descriptor, line, line.count) == line.count else {
            throw HarnessError("write: errno \(errno)")
        }
    }

    func end() throws -> Ended {
        try stage.finish(run, seconds: 30)
    }
}
