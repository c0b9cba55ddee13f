import Glibc
import Testing

extension EndToEndTests {
    /// Rows F-61 and F-62: what others, and its own user, can see of a program that runs.
    @Suite struct ProcessSecrecyTests {
        /// Files of /proc that show memory or what leads to it.
        private static let closed = ["environ", "mem", "maps", "smaps", "auxv", "stack", "syscall"]
        private static let closedLinks = ["cwd", "root", "exe", "fd/0"]

        /// The processes of an unprivileged user: an agent, and a sign-in that waits.
        private func withPrograms(
            _ body: (_ stage: Stage, _ user: UnprivilegedUser, [RunningProcess]) throws -> Void
        ) throws {
            try withStage { stage in
                let server = try stage.startServer("--token-prefix", CommandTour.prefix)
                let user = UnprivilegedUser(on: stage)
                try user.takeStage()
                try stage.initialize()
                try stage.add("work", from: server)
                var seen = 0
                let login = try stage.login(
                    "conf",
                    issuer: server.issuer,
                    clientID: server.address.confidentialClientID,
                    secret: server.address.confidentialClientSecret
                ) { address in
                    let programs = try RunningProcess.all(of: stage).filter {
                        ["vault", "vault-agent"].contains($0.name)
                    }
                    seen = programs.count
                    try body(stage, user, programs)
                    try stage.follow(address)
                }
                #expect(login.code == 0, "\(login)")
                #expect(seen == 2)
            }
        }

        private func expectClosed(_ process: RunningProcess, to user: UnprivilegedUser) throws {
            for name in Self.closed {
                let ended = try user.system("head", ["-c", "1", "/proc/\(process.pid)/\(name)"])
                let isClosed = ended.code != 0 && ended.stdout.isEmpty
                #expect(isClosed && !ended.err.contains("No such file"), "\(process.name) \(ended)")
            }
            for name in Self.closedLinks {
                let ended = try user.system("readlink", ["/proc/\(process.pid)/\(name)"])
                #expect(ended.code != 0 && ended.stdout.isEmpty, "\(process.name) \(ended)")
            }
        }

        private func attach(_ user: UnprivilegedUser, to pid: pid_t) throws -> Ended {
            let strace = try Programs.system("strace")
            return try user.system("timeout", ["1", strace, "-p", "\(pid)"])
        }

        @Test func itsOwnUserCannotLookIntoIt() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("what a user sees of their own vault and agent")
            }
            try withPrograms { stage, user, programs in
                for process in programs {
                    try expectClosed(process, to: user)
                    let attached = try attach(user, to: process.pid)
                    #expect(attached.err.contains("Operation not permitted"), "\(attached)")
                }
                // The same questions about a program that hides nothing.
                let words = try user.wrapper() + [Programs.system("sleep"), "30"]
                let sleep = try stage.start(stage.launch(words[0], Array(words.dropFirst())))
                let pid = sleep.process.pid
                let isThere = try poll(seconds: 5) {
                    try user.system("readlink", ["/proc/\(pid)/exe"]).out.contains("sleep")
                }
                #expect(isThere)
                #expect(try user.system("head", ["-c", "1", "/proc/\(pid)/environ"]).code == 0)
                let scope = try? Files.text("/proc/sys/kernel/yama/ptrace_scope")
                if scope?.first ?? "0" == "0" {
                    #expect(try attach(user, to: pid).err.contains("attached"))
                }
                sleep.process.kill(SIGKILL)
            }
        }

        @Test func anotherUserSeesArgumentsWithoutSecrets() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("what another user sees of a vault and its agent")
            }
            try withPrograms { stage, _, programs in
                let stranger = UnprivilegedUser(65533, on: stage)
                let search = LeakSearch(for: [Canary("secret", CommandTour.prefix)])
                for process in programs {
                    try expectClosed(process, to: stranger)
                    let words = try stranger.system("cat", ["/proc/\(process.pid)/cmdline"])
                    #expect(words.code == 0 && words.out.contains(process.name), "\(words)")
                    #expect(search.leaks(.argument, words.stdout, at: process.name).isEmpty)
                }
                for path in try Files.tree(stage.vaultHome) + [stage.keyFile()] {
                    let ended = try stranger.system("head", ["-c", "1", path])
                    #expect(ended.code != 0 && ended.stdout.isEmpty, "\(path)")
                }
                let url = "http://localhost/v1/status"
                let request = ["-sS", "--max-time", "5", "--unix-socket", stage.socket, url]
                #expect(try stranger.system("curl", request).code != 0)
            }
        }
    }
}
