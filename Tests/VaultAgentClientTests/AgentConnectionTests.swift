import FoundationEssentials
import Glibc
import Platform
import Testing

@testable import VaultAgentClient

@Suite struct AgentConnectionTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    @Test func sendsOneRequestAndReadsItsWholeAnswer() throws {
        let directory = try TemporaryDirectory()
        let agent = try PlantedAgent(in: directory.path, answering: Self.answer)
        let answer = try AgentConnection(directory: directory.path, socketName: "agent.sock")
            .send("POST", "/v1/x?y=z", headers: [("Vault-Version", "1")], body: Array("{}".utf8))
        #expect(answer.status == 200)
        #expect(answer.body == Array("{}".utf8))
        #expect(
            agent.received() == """
                POST /v1/x?y=z HTTP/1.0\r
                Host: localhost\r
                Vault-Version: 1\r
                Content-Type: application/json\r
                Content-Length: 2\r
                \r
                {}
                """
        )
    }

    @Test func aRequestWithoutBodySaysSo() throws {
        let directory = try TemporaryDirectory()
        let agent = try PlantedAgent(in: directory.path, answering: Self.answer)
        _ = try AgentConnection(directory: directory.path, socketName: "agent.sock")
            .send("GET", "/v1/status")
        #expect(
            agent.received()
                == "GET /v1/status HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
        )
    }

    @Test func nobodyListens() throws {
        let directory = try TemporaryDirectory()
        let connection = AgentConnection(directory: directory.path, socketName: "agent.sock")
        #expect(throws: AgentConnection.Failure.notRunning) { try connection.send("GET", "/") }
        // What an agent that was killed leaves behind.
        try ListeningSocket.unix(directory: directory.path, name: "agent.sock").close()
        #expect(FileSystem.exists(directory.path + "/agent.sock"))
        #expect(throws: AgentConnection.Failure.notRunning) { try connection.send("GET", "/") }
        let nowhere = AgentConnection(directory: directory.path + "/no", socketName: "agent.sock")
        #expect(throws: AgentConnection.Failure.notRunning) { try nowhere.send("GET", "/") }
    }

    /// A socket address has room for 107 bytes.
    @Test(arguments: [90, 107, 108, 120, 400])
    func anyLengthOfPathLeadsToTheSocket(length: Int) throws {
        let directory = try TemporaryDirectory()
        var path = directory.path
        while path.utf8.count + "/agent.sock".utf8.count < length {
            let missing = length - path.utf8.count - "/agent.sock".utf8.count
            path += "/" + String(repeating: "d", count: min(max(missing - 1, 1), 100))
        }
        try FileSystem.makeDirectories(path)
        let agent = try PlantedAgent(in: path, answering: Self.answer)
        let connection = AgentConnection(directory: path, socketName: "agent.sock")
        #expect(try connection.send("GET", "/").status == 200)
        _ = agent.received()
    }

    @Test func aConnectionThatEndsWithoutAByteIsBroken() throws {
        let directory = try TemporaryDirectory()
        let agent = try PlantedAgent(in: directory.path, answering: "")
        let connection = AgentConnection(directory: directory.path, socketName: "agent.sock")
        #expect(throws: AgentConnection.Failure.broken(nil)) { try connection.send("GET", "/") }
        _ = agent.received()
    }

    @Test func anEndlessAnswerIsGivenUp() async throws {
        let directory = try TemporaryDirectory()
        let endless = String(repeating: "a", count: 3 << 20)
        let agent = try PlantedAgent(in: directory.path, answering: endless)
        let connection = AgentConnection(
            directory: directory.path,
            socketName: "agent.sock",
            maximumAnswer: 2 << 20
        )
        // On a thread of its own: so many bytes would hold one of the few that tasks share.
        let failure = try await withCheckedThrowingContinuation { continuation in
            do {
                try DedicatedThread.start {
                    continuation.resume(with: Result { try Self.failure(of: connection) })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(failure == .broken(SystemError(number: EMSGSIZE)))
        _ = agent.received()
    }

    private static func failure(
        of connection: AgentConnection
    ) throws -> AgentConnection.Failure? {
        do throws(AgentConnection.Failure) {
            _ = try connection.send("GET", "/")
            return nil
        } catch {
            return error
        }
    }

    /// In a process of its own, which becomes another user for the moment of listening: that is
    /// whom the kernel names to whoever connects.
    @Test(.enabled(if: FileSystem.currentUser == 0, "becoming another user takes root"))
    func anotherUsersSocketGetsNotAByte() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            guard chmod(directory.path, 0o777) == 0, seteuid(65534) == 0 else { exit(10) }
            let listener = try ListeningSocket.unix(directory: directory.path, name: "agent.sock")
            guard seteuid(0) == 0 else { exit(11) }
            let connection = AgentConnection(directory: directory.path, socketName: "agent.sock")
            do {
                _ = try connection.send("POST", "/v1/accounts", body: Array("s3cret".utf8))
                exit(12)
            } catch AgentConnection.Failure.foreignPeer(userID: 65534) {
                // Connected, and left without a word.
                guard let peer = try listener.accept() else { exit(13) }
                var byte: UInt8 = 0
                guard read(peer, &byte, 1) == 0 else { exit(14) }
            }
        }
    }

    @Test func theKernelNamesOurselvesOnOurOwnSocket() throws {
        let directory = try TemporaryDirectory()
        let listener = try ListeningSocket.unix(directory: directory.path, name: "agent.sock")
        let socket = try ConnectedSocket(directory: directory.path, name: "agent.sock")
        #expect(socket.peerUserID == FileSystem.currentUser)
        listener.close()
    }
}
