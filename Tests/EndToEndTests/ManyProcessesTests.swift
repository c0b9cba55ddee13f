import Glibc
import Testing

extension EndToEndTests {
    /// Processes that meet at one vault: with homes of their own, stopped, killed, reading.
    @Suite struct ManyProcessesTests {
        /// Row 51 of the security cases and F-15: the lock belongs to the vault, not to whose home
        /// directory says where the vault is.
        @Test func twoHomesOfOneVaultShareItsLocks() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try server.setStanding(#"{"delayAfterCommit":0.5}"#)
                try stage.initialize()
                try stage.addExpired(["work"], from: server)
                let launches = try (0..<8).map { index in
                    var launch = try stage.launch(Programs.vaultKitClient(), ["work"])
                    for name in ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMPDIR"] {
                        launch.environment[name] = "\(stage.home)/\(index % 2)"
                    }
                    return launch
                }
                let ended = try stage.together(launches)
                for end in ended { #expect(end.code == 0 && end.stderr.isEmpty, "\(end)") }
                #expect(Set(ended.map(\.word)).count == 1)
                #expect(try server.statistics().tokenRequests == 1)
            }
        }

        /// Row F-14.
        @Test(arguments: [SIGCONT, SIGKILL])
        func aStoppedHolderIsWaitedForUntilItGoesOnOrDies(signal: Int32) throws {
            try withStage { stage in
                let server = try stage.startServer("--profile", "grace:60")
                try stage.initialize()
                try stage.addExpired(["work"], from: server)
                try server.script(#"[{"delayAfterCommit":1}]"#)
                let client = try stage.launch(Programs.vaultKitClient(), ["work"])
                let holder = try stage.start(client)
                #expect(try poll(seconds: 10) { try server.statistics().tokenRequests == 1 })
                holder.process.kill(SIGSTOP)
                let waiter = try stage.start(stage.vaultLaunch(["refresh", "work"]))
                // Longer than the answer takes, which nobody receives now.
                usleep(1_500_000)
                #expect(waiter.process.exitStatus() == nil)
                #expect(try server.statistics().tokenRequests == 1)
                holder.process.kill(signal)
                let ended = try stage.finish(waiter, seconds: 20)
                #expect(ended.code == 0, "\(ended)")
                let held = try stage.finish(holder)
                #expect(held.code == (signal == SIGKILL ? 128 + SIGKILL : 0), "\(held)")
                let token = try stage.vault("token", "work")
                #expect(try server.present(token.word) == "200")
                #expect(try server.statistics().grantsRevoked == 0)
            }
        }

        /// Row F-06: what fell due while it did not run is made up for once.
        @Test func anAgentThatWasStoppedCatchesUpWithOneRefresh() throws {
            try withStage { stage in
                let server = try stage.startServer("--lifetime", "60")
                try stage.initialize()
                // Due after two seconds, with an answer that lasts.
                try stage.add("work", from: server, expiresIn: 5)
                let agent = ProcessFacts(pid: try stage.requireAgent())
                kill(agent.pid, SIGSTOP)
                usleep(6_000_000)
                #expect(try server.statistics().tokenRequests == 0)
                kill(agent.pid, SIGCONT)
                #expect(try poll(seconds: 10) { try server.statistics().tokenRequests > 0 })
                usleep(1_000_000)
                #expect(try server.statistics().tokenRequests == 1)
                let token = try stage.vault("token", "work").word
                #expect(try server.present(token) == "200")
            }
        }

        /// Row F10 of the command's cases.
        @Test func aLockFileThatIsLeftOverHoldsNobodyUp() throws {
            try withStage { stage in
                let before = try Self.sharedNames()
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                #expect(try stage.vault("agent", "stop").code == 0)
                #expect(Files.exists("\(stage.vaultHome)/vault.lock"))
                try Files.write("12345\n", to: "\(stage.vaultHome)/vault.lock")
                #expect(try stage.vault("refresh", "work").code == 0)
                // Nothing of it is where all users meet.
                let new = try Self.sharedNames().subtracting(before)
                let own = stage.root.split(separator: "/").last.map { String($0) }
                #expect(own.map { before.contains($0) } == true)
                #expect(!new.contains { $0.contains("vault.lock") || $0.contains("agent.sock") })
            }
        }

        /// What lies where all users meet; other programs come and go there.
        private static func sharedNames() throws -> Set<String> {
            Set(
                try ["/tmp", "/var/tmp", "/run/lock", "/dev/shm"].flatMap { place in
                    Files.exists(place) ? try Files.names(in: place) : []
                }
            )
        }

        /// Row B12 of the server's cases.
        @Test func readersBesideRefreshesSeeWholeRecords() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let line = #"for i in $(seq 150); do "$1" token work || exit 1; done"#
                let words = ["-c", line, "sh", try Programs.vault()]
                let readers = try (0..<4).map { _ in
                    try stage.start(stage.launch(Programs.system("sh"), words))
                }
                var issued: Set<String> = [try stage.vault("token", "work").word]
                while readers.contains(where: { $0.process.exitStatus() == nil }) {
                    #expect(try stage.vault("refresh", "work").code == 0)
                    issued.insert(try stage.vault("token", "work").word)
                }
                #expect(issued.count > 3)
                for reader in readers {
                    let ended = try stage.finish(reader)
                    #expect(ended.code == 0 && ended.stderr.isEmpty, "\(ended)")
                    let seen = ended.out.split(separator: "\n").map { String($0) }
                    #expect(seen.count == 150 && issued.isSuperset(of: seen))
                }
                #expect(try server.statistics().reuseDetections == 0)
            }
        }
    }
}
