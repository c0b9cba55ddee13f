import FoundationEssentials
import Glibc
import Platform
import Testing
import VaultAgentClient
import VaultStore

@testable import VaultAgentServer

/// The whole program, each time in a process of its own.
@Suite struct AgentMainTests {
    @Test func saysThatItIsReadyAndLeavesNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let directory = try ProgramDirectory()
            var pipe = try Pipe()
            let words = ["--ready-fd", "\(dup(pipe.writing))"]
            let agent = Task { await AgentMain.run(words) }
            // The descriptor is the agent's, and closed with its line.
            let line = try pipe.readToEnd(limit: 4096, milliseconds: 20_000)
            guard line == Array("{\"alreadyRunning\":false,\"pid\":\(getpid())}\n".utf8) else {
                exit(10)
            }
            let socket = directory.location.socket
            guard try FileSystem.status(of: socket).permissions == 0o600 else { exit(11) }

            var second = try Pipe()
            guard await AgentMain.run(["--ready-fd", "\(dup(second.writing))"]) == 0 else {
                exit(12)
            }
            let running = try second.readToEnd(limit: 4096, milliseconds: 20_000)
            guard running == Array("{\"alreadyRunning\":true,\"pid\":0}\n".utf8) else { exit(13) }

            let client = AgentConnection(
                directory: directory.location.directory,
                socketName: VaultLocation.socketName
            )
            guard try client.send("POST", "/v1/stop").status == 204 else { exit(14) }
            guard await agent.value == 0 else { exit(15) }
            guard !FileSystem.exists(socket) else { exit(16) }
        }
    }

    @Test func replacesASocketThatAKilledAgentLeft() async {
        await #expect(processExitsWith: .success) {
            let directory = try ProgramDirectory()
            try ListeningSocket.unix(
                directory: directory.location.directory,
                name: VaultLocation.socketName
            ).close()
            var pipe = try Pipe()
            let words = ["--on-demand", "--ready-fd", "\(dup(pipe.writing))"]
            let agent = Task { await AgentMain.run(words) }
            _ = try pipe.readToEnd(limit: 4096, milliseconds: 20_000)
            let client = AgentConnection(
                directory: directory.location.directory,
                socketName: VaultLocation.socketName
            )
            guard try client.send("GET", "/v1/status").status == 200 else { exit(10) }
            guard try client.send("POST", "/v1/stop").status == 204 else { exit(12) }
            guard await agent.value == 0 else { exit(11) }
        }
    }

    /// Without its file nobody would find the manager's socket any more.
    @Test func aSocketThatSomebodyListensOnStays() async {
        await #expect(processExitsWith: .success) {
            let directory = try ProgramDirectory()
            let manager = try ListeningSocket.unix(
                directory: directory.location.directory,
                name: VaultLocation.socketName
            )
            let before = try FileSystem.status(of: directory.location.socket).identity
            alarm(20)
            var pipe = try Pipe()
            guard await AgentMain.run(["--ready-fd", "\(dup(pipe.writing))"]) == 1 else { exit(10) }
            let line = try pipe.readToEnd(limit: 4096, milliseconds: 20_000)
            guard String(decoding: line, as: UTF8.self).contains("socket_in_use") else { exit(11) }
            let after = try FileSystem.status(of: directory.location.socket).identity
            guard after == before, manager.descriptor != nil else { exit(12) }
        }
    }

    /// Row F-53 of the fault matrix: nobody could reach it any more, and it would keep others out.
    @Test func leavesWhenItsSocketIsRemoved() async {
        await #expect(processExitsWith: .success) {
            let directory = try ProgramDirectory()
            var pipe = try Pipe()
            let words = ["--ready-fd", "\(dup(pipe.writing))"]
            let agent = Task { await AgentMain.run(words) }
            _ = try pipe.readToEnd(limit: 4096, milliseconds: 20_000)
            try FileSystem.remove(directory.location.socket)
            alarm(20)
            guard await agent.value == 0 else { exit(10) }
            let lock = try FileLock(path: directory.location.lock)
            guard try lock.tryLock(.agent) else { exit(11) }
        }
    }

    @Test func leavesTheSocketThatReplacedItsOwn() async {
        await #expect(processExitsWith: .success) {
            let directory = try ProgramDirectory()
            var pipe = try Pipe()
            let words = ["--ready-fd", "\(dup(pipe.writing))"]
            let agent = Task { await AgentMain.run(words) }
            _ = try pipe.readToEnd(limit: 4096, milliseconds: 20_000)
            try FileSystem.remove(directory.location.socket)
            let other = try ListeningSocket.unix(
                directory: directory.location.directory,
                name: VaultLocation.socketName
            )
            alarm(20)
            guard await agent.value == 0 else { exit(10) }
            guard FileSystem.exists(directory.location.socket) else { exit(11) }
            other.close()
        }
    }

    @Test func aFileInTheSocketsPlaceStays() async {
        await #expect(processExitsWith: .success) {
            let directory = try ProgramDirectory()
            let socket = directory.location.socket
            let file = open(socket, O_CREAT | O_WRONLY, 0o600)
            guard file >= 0 else { exit(10) }
            var pipe = try Pipe()
            guard await AgentMain.run(["--ready-fd", "\(dup(pipe.writing))"]) == 1 else { exit(11) }
            let line = try pipe.readToEnd(limit: 4096, milliseconds: 20_000)
            let expected = """
                {"alreadyRunning":false,"error":{"code":"unsafe_permissions",\
                "facts":{"found":"not_a_socket","path":"\(socket)"}},"pid":0}

                """
            guard line == Array(expected.utf8) else { exit(12) }
            guard try FileSystem.status(of: socket).kind == .regular else { exit(13) }
        }
    }

    /// Nothing is written into a file that has another name somewhere.
    @Test func aLogWithTwoNamesStaysAsItIs() async {
        await #expect(processExitsWith: .success) {
            let directory = try ProgramDirectory()
            let log = directory.location.log
            let file = open(directory.directory.path + "/other", O_CREAT | O_WRONLY, 0o600)
            guard file >= 0, link(directory.directory.path + "/other", log) == 0 else { exit(10) }
            alarm(20)
            var pipe = try Pipe()
            guard await AgentMain.run(["--ready-fd", "\(dup(pipe.writing))"]) == 1 else { exit(11) }
            let line = try pipe.readToEnd(limit: 4096, milliseconds: 20_000)
            let expected = """
                {"alreadyRunning":false,"error":{"code":"unsafe_permissions",\
                "facts":{"found":"2 names","path":"\(log)"}},"pid":0}

                """
            guard line == Array(expected.utf8) else { exit(12) }
            guard try FileSystem.status(of: log).size == 0 else { exit(13) }
        }
    }

    @Test func saysWhyItCannotStart() async {
        await #expect(processExitsWith: .success) {
            setenv("VAULT_HOME", "/nonexistent/vault", 1)
            var pipe = try Pipe()
            guard await AgentMain.run(["--ready-fd", "\(dup(pipe.writing))"]) == 1 else { exit(10) }
            let line = try pipe.readToEnd(limit: 4096, milliseconds: 20_000)
            let expected = """
                {"alreadyRunning":false,"error":{"code":"no_vault",\
                "facts":{"path":"/nonexistent/vault"}},"pid":0}

                """
            guard line == Array(expected.utf8) else { exit(11) }
        }
    }

    @Test(
        "refuses words that are not its own",
        arguments: [
            ["--ready-fd"], ["--ready-fd", "x"], ["--ready-fd", "2"], ["--verbose"], ["run"],
            ["--on-demand", "--on-demand"], ["--ready-fd", "3", "--ready-fd", "4"],
            ["--on-demand=1"],
        ]
    )
    func arguments(words: [String]) {
        #expect(throws: AgentOptionError.self) { try AgentOptions(words) }
    }

    @Test func readsItsWords() throws {
        let options = try AgentOptions(["--on-demand", "--ready-fd", "3"])
        #expect(options.isOnDemand && options.readyDescriptor == 3)
        #expect(try AgentOptions([]).isOnDemand == false)
    }

    /// With fewer descriptors there are fewer connections, and with too few no agent.
    @Test(arguments: [(1024, 256), (416, 256), (300, 140), (192, 32)])
    func connectionsByDescriptors(limit: Int, connections: Int) throws {
        #expect(try ConnectionAllowance.make(limit: limit).connections == connections)
        #expect(throws: VaultError.self) { try ConnectionAllowance.make(limit: 191) }
    }
}

extension AgentMain {
    /// Without words.
    fileprivate static func run(_ arguments: [String]) async -> Int32 {
        await run(arguments) { _ in AgentFailure(line: "failed", hint: nil, exitCode: 1) }
    }
}

/// A vault that this process's environment names, and that goes with its value.
private struct ProgramDirectory {
    let directory: TemporaryDirectory
    let location: VaultLocation

    init() throws {
        umask(0o077)
        directory = try TemporaryDirectory()
        location = VaultLocation(directory: directory.path + "/vault")
        _ = try VaultFile.create(location, keyFile: directory.path + "/key", now: .now)
        setenv("VAULT_HOME", location.directory, 1)
    }
}
