import Glibc
import Testing

extension EndToEndTests {
    /// Rows F-51 and F-53, and row 17 of the security cases: what stands where the agent's socket
    /// belongs, how many agents there are, and where else they listen.
    @Suite struct SocketPlaceTests {
        enum Planted: String, CaseIterable {
            case danglingLink, linkToAFile, linkToASocket, fifo, file, directory, othersSocket

            func make(at path: String, _ stage: Stage) throws {
                let other = "\(stage.home)/other"
                switch self {
                case .danglingLink: symlink("/nowhere", path)
                case .linkToAFile:
                    try Files.write("other", to: other)
                    symlink(other, path)
                case .linkToASocket:
                    try SocketPlaceTests.bindSocket(other)
                    symlink(other, path)
                case .fifo: mkfifo(path, 0o600)
                case .file: try Files.write("file", to: path)
                case .directory: mkdir(path, 0o700)
                case .othersSocket:
                    try SocketPlaceTests.bindSocket(path)
                    chown(path, 65534, 65534)
                }
            }
        }

        @Test(arguments: Planted.allCases)
        func whatWasPlantedIsNamedAndLeftAlone(_ planted: Planted) throws {
            if planted == .othersSocket, !NotRun.isRoot {
                return try NotRun.needsRoot("a socket of another user in the agent's place")
            }
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                #expect(try stage.vault("agent", "stop").code == 0)
                try planted.make(at: stage.socket, stage)
                let before = try Files.mode(stage.socket)
                for words in [["agent", "start"], ["refresh", "work"]] {
                    let ended = try stage.vault(words)
                    #expect(ended.code == 10 && ended.stdout.isEmpty, "\(ended)")
                    #expect(ended.err.contains(stage.socket), "\(ended)")
                }
                #expect(try Files.mode(stage.socket) == before)
                // What needs no agent goes on.
                #expect(try stage.vault("token", "work").code == 0)
                #expect(try server.statistics().tokenRequests == 0)
                #expect(try stage.system("rm", ["-r", stage.socket]).code == 0)
                #expect(try stage.vault("refresh", "work").code == 0)
            }
        }

        private static func bindSocket(_ path: String) throws {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            let room = MemoryLayout.size(ofValue: address.sun_path)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix(room)) }
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard bytes.count < room, bound == 0, listen(descriptor, 1) == 0 else {
                throw HarnessError("cannot bind \(path): errno \(errno)")
            }
        }

        private static func agents(_ stage: Stage) throws -> [RunningProcess] {
            try RunningProcess.all(of: stage).filter { $0.name == "vault-agent" }
        }

        @Test func ofManyStartedAtOnceOneRuns() throws {
            try withStage { stage in
                try stage.initialize()
                let start = try stage.vaultLaunch(["agent", "start"])
                let ended = try stage.together(Array(repeating: start, count: 12))
                for end in ended { #expect(end.code == 0, "\(end)") }
                #expect(ended.count { !$0.err.contains("already") } == 1)
                let pid = try stage.requireAgent()
                guard NotRun.isRoot else {
                    return try NotRun.needsRoot("a list of the agents that run for a vault")
                }
                // The others have said so, and are about to end.
                #expect(
                    try poll(seconds: 5, every: 20) {
                        try Self.agents(stage).map(\.pid) == [pid]
                    }
                )
            }
        }

        @Test func withoutItsSocketItMakesWay() throws {
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                let agent = ProcessFacts(pid: try stage.requireAgent())
                #expect(unlink(stage.socket) == 0)
                #expect(try agent.isGone(within: 5))
                #expect(try stage.vault("refresh", "work").code == 0)
                #expect(try stage.requireAgent() != agent.pid)
            }
        }

        @Test func itListensNowhereButOnItsSocket() throws {
            guard NotRun.isRoot else {
                return try NotRun.needsRoot("a list of what the agent listens on")
            }
            try withStage { stage in
                let server = try stage.startServer()
                try stage.initialize()
                try stage.add("work", from: server)
                #expect(try stage.vault("refresh", "work").code == 0)
                let agent = ProcessFacts(pid: try stage.requireAgent())
                #expect(try agent.listeningAddresses().isEmpty)
                // While somebody signs in there is one place more, on this machine alone.
                let login = try stage.login("other", issuer: server.issuer) { address in
                    let addresses = try agent.listeningAddresses()
                    #expect(addresses == ["127.0.0.1"], "\(addresses)")
                    try stage.follow(address)
                }
                #expect(login.code == 0, "\(login)")
                #expect(try poll(seconds: 5, every: 20) { try agent.listeningAddresses().isEmpty })
            }
        }
    }
}
