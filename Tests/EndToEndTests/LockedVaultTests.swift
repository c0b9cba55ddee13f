import Glibc
import Testing

extension EndToEndTests {
    /// A vault that a passphrase opens: at a terminal, without one, and through the agent.
    @Suite struct LockedVaultTests {
        private static let passphrase = "canary words of a person"

        @discardableResult
        private func initialize(_ stage: Stage, _ options: String...) throws -> Ended {
            let ended = try stage.vault(
                ["init", "--passphrase-fd", "3"] + options,
                descriptors: [3: Self.passphrase]
            )
            guard ended.code == 0 else { throw HarnessError("init failed: \(ended)") }
            return ended
        }

        @discardableResult
        private func unlock(
            _ stage: Stage,
            _ options: String...,
            passphrase: String = passphrase
        ) throws -> Ended {
            try stage.vault(
                ["unlock", "--passphrase-fd", "3"] + options,
                descriptors: [3: passphrase + "\n"]
            )
        }

        @Test func startingAnAgentThatNothingUnlocksSaysSo() throws {
            try withStage { stage in
                try initialize(stage)
                for _ in 1...2 {
                    let started = try stage.vault("agent", "start")
                    #expect(started.code == 0 && started.err.contains("the vault is locked"))
                }
            }
        }

        /// Rows F-55 of the fault matrix and F14 of the command line's cases.
        @Test func lockedNoTokenComesOutAndNothingIsLost() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try initialize(stage)
                let early = try stage.vault("token")
                #expect(
                    early.code == 5 && early.stdout.isEmpty && early.err.contains("vault unlock")
                )
                #expect(!Files.exists(stage.socket))
                #expect(try unlock(stage).code == 0)
                try stage.add("work", from: server)
                let token = try stage.vault("token")
                #expect(token.code == 0 && !token.word.isEmpty, "\(token)")
                #expect(try stage.vault("token", "work").word == token.word)
                #expect(try stage.vault("switch", "work").code == 0)
                let log = try JSON(stage.vault("log", "work", "--json").word)
                #expect(log["locked"] == .bool(false))
                #expect(log["entries"]?[0]?["action"] == .string("account_added"))
                #expect(log["entries"]?[0]?["genuine"] == .bool(true))
                let list = try JSON(stage.vault("list", "--json").word)
                #expect(list["locked"] == .bool(false))
                #expect(list["accounts"]?[0]?["current"] == .bool(true))

                let lock = try stage.vault("lock")
                #expect(lock.code == 0 && lock.err.contains("account work is not renewed"))
                #expect(!lock.err.contains("key file"))
                for words in [
                    ["token"], ["token", "work"], ["refresh", "work"], ["remove", "work"],
                    ["switch", "work"], ["login", "work"],
                ] {
                    let ended = try stage.vault(words)
                    #expect(ended.code == 5 && ended.stdout.isEmpty, "\(ended)")
                    #expect(ended.err.contains("hint: vault unlock"), "\(ended)")
                }
                let hints = try stage.vault("list", "--json")
                let shown = try JSON(hints.word)
                #expect(hints.code == 0 && hints.err.contains("not verified"), "\(hints)")
                #expect(shown["locked"] == .bool(true))
                #expect(shown["accounts"]?[0]?["name"] == .string("work"))
                #expect(shown["accounts"]?[0]?["current"] == .null)
                let status = try JSON(stage.vault("status", "--json").word)
                #expect(status["locked"] == .bool(true))
                #expect(status["agent"]?["locked"] == .bool(true))
                #expect(try stage.vault("status").out.contains(", locked"))
                #expect(try stage.vault("status", "none").code == 3)

                #expect(try unlock(stage).code == 0)
                #expect(try stage.vault("token", "work").word == token.word)
                #expect(try server.statistics().tokenRequests == 0)
            }
        }

        @Test func aWrongPassphraseIsExitFive() throws {
            try withStage { stage in
                try initialize(stage)
                let wrong = try unlock(stage, passphrase: "guess")
                #expect(
                    wrong.code == 5 && wrong.err.contains("the passphrase is wrong"),
                    "\(wrong)"
                )
                #expect(try unlock(stage, passphrase: "").code == 1)
                #expect(try stage.vault("lock").code == 0)
                let key = try stage.vault(
                    ["unlock", "--key-fd", "3"],
                    descriptors: [3: "too short"]
                )
                #expect(key.code == 1, "\(key)")
                let text = try stage.vault(
                    ["unlock", "--recovery-key-fd", "3"],
                    descriptors: [3: "0000"]
                )
                #expect(text.code == 5, "\(text)")
            }
        }

        /// Row F14: it says when, and it does so.
        @Test func locksItselfInTime() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try initialize(stage)
                #expect(try unlock(stage).code == 0)
                try stage.add("work", from: server)
                let later = try stage.vault("lock", "--after", "2s")
                #expect(later.code == 0 && later.err.contains("locks itself in"), "\(later)")
                let status = try JSON(stage.vault("status", "--json").word)
                #expect(status["agent"]?["locksAt"] != .null)
                #expect(
                    try poll(seconds: 20, every: 100) {
                        try stage.vault("token", "work").code == 5
                    }
                )
                #expect(try Files.text(stage.log).contains(#""reason":"time""#))
                #expect(try unlock(stage).code == 0)
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        /// Row F12 of the command line's cases; nobody is there to be asked.
        @Test func onceUnlockedNothingAsksAgain() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try initialize(stage)
                #expect(try unlock(stage).code == 0)
                try stage.add("work", from: server)
                for _ in 1...20 {
                    let ended = try stage.vault("refresh", "work")
                    #expect(ended.code == 0, "\(ended)")
                }
                #expect(try server.statistics().reuseDetections == 0)
                // Row F11: nothing but the vault's place is in the environment.
                let token = try stage.vault(
                    ["token", "work"],
                    environment: ["HOME": nil, "XDG_STATE_HOME": nil]
                )
                #expect(token.code == 0 && !token.stdout.isEmpty, "\(token)")
            }
        }

        @Test func aKeyFileUnlocksByItselfAndIsNotKeptOut() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let lock = try stage.vault("lock")
                #expect(
                    lock.code == 0 && lock.err.contains("key file opens the vault all the same")
                )
                #expect(try stage.vault("token", "work").code == 0)
                #expect(try stage.vault("refresh", "work").code == 5)
                #expect(try stage.vault("unlock").code == 0)
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        // MARK: - At a terminal (row F-66 of the fault matrix)

        @Test func aPersonIsAskedThreeTimesWithEchoOff() throws {
            try withStage { stage in
                let recovery = try initialize(stage, "--recovery-key").word
                for (typed, code) in [
                    ([Self.passphrase], Int32(0)), (["guess", Self.passphrase], 0),
                    (["guess", "another", "one more"], 5), ([""], 1), ([recovery], 0),
                ] {
                    let terminal = try PseudoTerminal()
                    let run = try start(stage, ["unlock"], at: terminal)
                    for text in typed {
                        try terminal.wait(for: "Passphrase of the vault: ")
                        #expect(!terminal.echoes)
                        terminal.type(text + "\n")
                    }
                    let ended = try stage.finish(run)
                    #expect(ended.code == code, "\(ended) \(terminal.shown)")
                    #expect(terminal.echoes)
                    for text in typed where !text.isEmpty {
                        #expect(!terminal.read().contains(text))
                        #expect(!ended.err.contains(text))
                    }
                }
            }
        }

        @Test("the terminal is as it was after", arguments: [SIGINT, SIGTERM, SIGHUP])
        func signal(signal: Int32) throws {
            try withStage { stage in
                try initialize(stage)
                let terminal = try PseudoTerminal()
                let run = try start(stage, ["unlock"], at: terminal)
                try terminal.wait(for: "Passphrase of the vault: ")
                #expect(!terminal.echoes)
                // Ctrl-C is the person's way to say it.
                if signal == SIGINT { terminal.type("half\u{3}") } else { run.process.kill(signal) }
                let ended = try stage.finish(run, seconds: 10)
                #expect(ended.code == 128 + signal, "\(ended)")
                #expect(terminal.echoes)
                #expect(terminal.read().hasSuffix("Passphrase of the vault: \r\n"))
                #expect(!Files.exists(stage.socket))
            }
        }

        @Test func aTerminalThatGoesAwayIsAnEnd() throws {
            try withStage { stage in
                try initialize(stage)
                let terminal = try PseudoTerminal()
                let run = try start(stage, ["unlock"], at: terminal)
                try terminal.wait(for: "Passphrase of the vault: ")
                terminal.hangUp()
                let ended = try stage.finish(run, seconds: 10)
                #expect([2, 128 + SIGHUP].contains(ended.code), "\(ended)")
            }
        }

        @Test func nothingPromptsWithoutATerminal() throws {
            try withStage { stage in
                try initialize(stage)
                let none = try stage.vault(["unlock"])
                #expect(none.code == 2 && none.err.contains("--passphrase-fd N"), "\(none)")
                #expect(none.seconds < 5)
                let piped = try stage.vault(["unlock"], input: Self.passphrase + "\n")
                #expect(piped.code == 0, "\(piped)")
                // What only reads never asks, wherever it is.
                #expect(try stage.vault("lock").code == 0)
                let terminal = try PseudoTerminal()
                for words in [["token"], ["list"], ["status"], ["switch", "work"]] {
                    let run = try start(stage, words, at: terminal)
                    _ = try stage.finish(run, seconds: 10)
                }
                #expect(terminal.read().isEmpty)
            }
        }

        private func start(
            _ stage: Stage,
            _ words: [String],
            at terminal: PseudoTerminal
        ) throws -> Run {
            var launch = try stage.vaultLaunch(words)
            launch.terminal = terminal
            return try stage.start(launch)
        }

        // MARK: - Who gets to hear it

        /// Row 19 of the security cases: a passphrase is not for whoever listens.
        @Test func aPlantedSocketHearsNothing() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("a socket of another user in the agent's place")
            }
            try withStage { stage in
                try initialize(stage)
                _ = try stage.shell("chmod 0711 $1; chmod 0777 $2", [stage.root, stage.vaultHome])
                let open = try unlock(stage)
                #expect(open.code == 10, "\(open)")
                let run = try stage.start(
                    stage.launch(Programs.system("setpriv"), Self.listener(stage.socket))
                )
                #expect(try poll(seconds: 10) { Files.exists(stage.socket) })
                _ = try stage.shell("chmod 0700 $1", [stage.vaultHome])
                let planted = try unlock(stage)
                #expect(planted.code == 10, "\(planted)")
                #expect(planted.err.contains("belongs to another user"))
                let heard = try stage.finish(run, seconds: 20)
                #expect(heard.code == 0 && heard.word == "heard b''", "\(heard) \(heard.out)")
            }
        }

        /// A listener of another user, which says what it hears from whoever connects first.
        private static func listener(_ socket: String) -> [String] {
            let script = """
                import socket, sys
                server = socket.socket(socket.AF_UNIX)
                server.bind(sys.argv[1])
                server.listen()
                connection, _ = server.accept()
                connection.settimeout(10)
                print("heard", connection.recv(4096))
                """
            return [
                "--reuid", "65534", "--regid", "65534", "--clear-groups",
                "/usr/bin/python3", "-c", script, socket,
            ]
        }
    }
}
