import Glibc
import Testing

extension EndToEndTests {
    /// The agent as a process: how it starts, what it keeps of its caller, how it ends.
    @Suite struct AgentTests {
        @Test(arguments: [
            #"T=$("$1" token work) && printf %s "$T""#, #""$1" token work | cat"#,
            #"setsid --wait sh -c '"$1" token work' sh "$1" </dev/null | cat"#,
        ])
        func aCallerThatStartsItHasItsAnswerAtOnce(line: String) throws {
            // A caller that waited for the agent would wait for a quarter of an hour; one of three
            // runs in time shows that it does not.
            var seconds: [Double] = []
            for _ in 1...3 where seconds.allSatisfy({ $0 >= 1.5 }) {
                seconds.append(try secondsOfACaller(line))
            }
            #expect(seconds.contains { $0 < 1.5 }, "\(seconds)")
        }

        private func secondsOfACaller(_ line: String) throws -> Double {
            try withStage { stage in
                let server = try stage.startServer("--hold-ms", "500")
                try stage.initialize()
                try stage.addExpired(["work"], from: server)
                #expect(!Files.exists(stage.socket))
                let ended = try stage.shell(line, [Programs.vault()])
                #expect(ended.code == 0 && ended.out.hasPrefix("test-at-"), "\(ended)")
                #expect(try stage.agentPID() != nil)
                return ended.seconds
            }
        }

        @Test func startAndStopSayWhatTheyFound() throws {
            try withStage { stage in
                try stage.initialize()
                let status = try stage.vault("agent", "status")
                #expect(status.code == 1 && status.stdout.isEmpty, "\(status)")
                let first = try stage.vault("agent", "start")
                #expect(first.code == 0 && first.stdout.isEmpty, "\(first)")
                let agent = try stage.requireAgent()
                let second = try stage.vault("agent", "start")
                #expect(second.code == 0 && second.err.contains("already"), "\(second)")
                #expect(try stage.requireAgent() == agent)
                #expect(try stage.vault("agent", "stop").code == 0)
                #expect(try ProcessFacts(pid: agent).isGone(within: 2))
                #expect(!Files.exists(stage.socket))
                let again = try stage.vault("agent", "stop")
                #expect(again.code == 0 && again.err.contains("no agent"), "\(again)")
            }
        }

        @Test func itKeepsNothingOfItsCaller() throws {
            try withStage { stage in
                try stage.initialize()
                var launch = try stage.vaultLaunch(["agent", "start"])
                launch.descriptors = [3: "three", 8: "eight", 41: "forty-one"]
                launch.environment["CANARY"] = "of the caller"
                launch.environment["https_proxy"] = "http://127.0.0.1:9"
                #expect(try stage.run(launch).code == 0)
                let agent = ProcessFacts(pid: try stage.requireAgent())
                #expect(try agent.session() != getsid(0))
                #expect(try agent.limit("Max core file size").prefix(2) == ["0", "0"])
                guard NotRun.isRoot else {
                    #expect(try agent.lookOwner() == 0, "it can be looked into")
                    return try NotRun.needsRoot("the agent's descriptors, directory, environment")
                }
                #expect(try agent.workingDirectory() == "/")
                let descriptors = try agent.descriptors()
                for number: Int32 in 0...2 { #expect(descriptors[number] == "/dev/null") }
                let inherited = descriptors.filter { $0.key > 2 && !isItsOwn($0.value, stage) }
                #expect(inherited.isEmpty, "\(inherited)")
                let variables = try Files.text("/proc/\(agent.pid)/environ")
                #expect(!variables.contains("CANARY") && !variables.contains("proxy"))
                #expect(variables.contains("VAULT_HOME=\(stage.vaultHome)"))
            }
        }

        /// libcurl reads variables of its own, and writes the keys of TLS connections where one says.
        @Test func inTheForegroundItKeepsNothingThatDirectsItsRequests() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                let keys = "\(stage.root)/keys"
                var launch = try stage.vaultLaunch(["agent", "run"])
                launch.environment["SSLKEYLOGFILE"] = keys
                launch.environment["http_proxy"] = "http://127.0.0.1:9"
                let run = try stage.start(launch)
                #expect(try poll(seconds: 10) { run.stderrSoFar.contains("ready") })
                try stage.add("work", from: server)
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.requireAgent() == run.process.pid)
                #expect(!Files.exists(keys))
            }
        }

        /// A file of the vault, or what libraries make for themselves.
        private func isItsOwn(_ target: String, _ stage: Stage) -> Bool {
            let kinds = ["\(stage.vaultHome)/", "socket:", "anon_inode:", "pipe:"]
            // The directory itself is open for a moment where it is synced.
            return target == stage.vaultHome || kinds.contains { target.hasPrefix($0) }
        }

        @Test func filesAndSocketAreTheOwnersAlone() throws {
            try withStage { stage in
                let server = try stage.startServer()
                let line = #"umask 000; "$1" init --key-file && "$1" agent start"#
                #expect(try stage.shell(line, [Programs.vault()]).code == 0)
                try stage.add("work", from: server)
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try Files.mode(stage.vaultHome) & 0o7777 == 0o700)
                let names = try Files.names(in: stage.vaultHome)
                #expect(
                    Set(names).isSuperset(of: ["vault.db", "vault.lock", "agent.sock", "agent.log"])
                )
                for path in try names.map({ "\(stage.vaultHome)/\($0)" }) + [stage.keyFile()] {
                    #expect(try Files.mode(path) & 0o7777 == 0o600, "\(path)")
                }
            }
        }

        @Test func onSIGTERMARefreshInFlightIsFinishedAndStored() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let old = try stage.vault("token", "work").word
                let agent = ProcessFacts(pid: try stage.requireAgent())
                try server.setStanding(#"{"delayAfterCommit":2}"#)
                let refresh = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                let isSent = try poll(seconds: 10) { try server.statistics().tokenRequests == 1 }
                #expect(isSent)
                kill(agent.pid, SIGTERM)
                let ended = try stage.finish(refresh)
                #expect(ended.code == 0, "\(ended)")
                #expect(try agent.isGone(within: 10))
                #expect(!Files.exists(stage.socket))
                let token = try stage.vault("token", "work")
                #expect(token.code == 0 && token.word != old)
                #expect(try server.present(token.word) == "200")
                // The refresh token that came with it was stored, too.
                try server.setStanding("{}")
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try server.statistics().reuseDetections == 0)
            }
        }

        /// What ran when it was asked for would be gone a moment later.
        @Test func aStartWhileOneStopsComesBackWithOneThatRuns() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let old = ProcessFacts(pid: try stage.requireAgent())
                try server.setStanding(#"{"delayAfterCommit":2}"#)
                let refresh = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                #expect(try poll(seconds: 10) { try server.statistics().tokenRequests == 1 })
                kill(old.pid, SIGTERM)
                #expect(try poll(seconds: 5) { !Files.exists(stage.socket) })
                let start = try stage.vault("agent", "start")
                #expect(start.code == 0 && !start.err.contains("already"), "\(start)")
                #expect(try stage.finish(refresh).code == 0)
                #expect(try old.isGone(within: 5))
                #expect(try stage.requireAgent() != old.pid)
            }
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func inTheForegroundASignalEndsItCleanly(signal: Int32) throws {
            try withStage { stage in
                try stage.initialize()
                let run = try stage.start(stage.vaultLaunch(["agent", "run"]))
                #expect(try poll(seconds: 10) { run.stderrSoFar.contains("ready") })
                #expect(try stage.vault("agent", "start").err.contains("already"))
                // The words of the agent's program, which `vault` has become.
                #expect(try stage.requireAgent() == run.process.pid)
                run.process.kill(signal)
                let ended = try stage.finish(run, seconds: 10)
                #expect(ended.code == 0 && ended.stdout.isEmpty, "\(ended)")
                #expect(!Files.exists(stage.socket))
                #expect(try Files.text(stage.log).contains("signal \(signal)"))
            }
        }

        @Test func afterAKillANewOneTakesOverSocketAndTokens() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                for _ in 1...3 { #expect(try stage.vault("refresh", "work").code == 0) }
                let agent = ProcessFacts(pid: try stage.requireAgent())
                kill(agent.pid, SIGKILL)
                #expect(try agent.isGone(within: 5))
                #expect(Files.exists(stage.socket))
                let started = try stage.vault("agent", "start")
                #expect(started.code == 0 && !started.err.contains("already"), "\(started)")
                #expect(try stage.requireAgent() != agent.pid)
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try server.statistics().reuseDetections == 0)
            }
        }

        @Test func itEndsWhenItsDirectoryIsGone() throws {
            try withStage { stage in
                try stage.initialize()
                #expect(try stage.vault("agent", "start").code == 0)
                let agent = ProcessFacts(pid: try stage.requireAgent())
                // A file that it makes while they go is one that `rm` has not seen.
                let isRemoved = try poll(seconds: 5) {
                    try stage.system("rm", ["-rf", stage.vaultHome]).code == 0
                }
                #expect(isRemoved)
                #expect(try agent.isGone(within: 5))
                #expect(!Files.exists(stage.vaultHome))
            }
        }

        @Test func commandsThatOnlyLookSendNothing() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.addExpired(["work"], from: server)
                for words in [["list"], ["status"], ["status", "--json"], ["--version"], ["help"]] {
                    #expect(try stage.vault(words).code == 0)
                }
                #expect(try stage.vault("agent", "status").code == 1)
                #expect(try stage.vault("switch", "work").code == 0)
                // Expired, but renewable: nothing is wrong with the account.
                let state = try JSON(stage.vault("list", "--json").word)["accounts"]?[0]?["state"]
                #expect(state == .string("active"))
                #expect(!Files.exists(stage.socket))
                #expect(try server.statistics().tokenRequests == 0)
            }
        }

        @Test func onlyItsOwnUserMayTalkToIt() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("another user's connection to the agent's socket")
            }
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let url = "http://localhost/v1/accounts/work/token"
                let request = [
                    "curl", "-sS", "--max-time", "5", "--unix-socket", stage.socket, url,
                ]
                let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
                let shut = try stage.system("setpriv", nobody + request)
                #expect(shut.code != 0 && shut.stdout.isEmpty)
                // Opened by hand, as far as files go.
                for (mode, path) in [
                    ("0711", stage.root), ("0711", stage.vaultHome), ("0666", stage.socket),
                ] {
                    #expect(try stage.system("chmod", [mode, path]).code == 0)
                }
                let opened = try stage.system("setpriv", nobody + request)
                #expect(opened.code != 0 && opened.stdout.isEmpty, "\(opened)")
                #expect(!opened.err.contains("Permission denied"), "it did not get that far")
                // Its owner still gets an answer.
                let own = try stage.system("curl", Array(request.dropFirst()))
                #expect(own.code == 0 && own.out.contains("accessToken"))
                _ = try stage.system("chmod", ["0700", stage.vaultHome])
            }
        }

        @Test func anAgentOfANormalUserCannotBeLookedInto() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("programs and agent of a user other than the caller")
            }
            try withStage { stage in
                let copies = "\(stage.root)/bin"
                mkdir(copies, 0o755)
                let programs = try [Programs.vault(), Programs.agent()]
                #expect(try stage.system("cp", programs + [copies]).code == 0)
                #expect(try stage.system("chown", ["-R", "65534:65534", stage.root]).code == 0)
                let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
                func vault(_ words: String...) throws -> Ended {
                    try stage.system("setpriv", nobody + ["\(copies)/vault"] + words)
                }
                #expect(try vault("init", "--key-file").code == 0)
                #expect(try vault("agent", "start").code == 0)
                defer { _ = try? vault("agent", "stop") }
                let status = try vault("agent", "status").out.split(separator: " ")
                let pid = try #require(
                    status.dropFirst(2).first.flatMap { pid_t($0.filter(\.isNumber)) }
                )
                #expect(try ProcessFacts(pid: pid).lookOwner() == 0, "it is dumpable")
                // Not even root's command speaks to an agent that is not root's.
                let foreign = try stage.vault("agent", "status")
                #expect(foreign.code == 10 && foreign.stdout.isEmpty, "\(foreign)")
            }
        }
    }
}
