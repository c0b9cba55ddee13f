import FoundationEssentials
import Glibc
import Platform
import Testing
import VaultKit
import VaultStore

@testable import VaultAgentServer

@Suite struct AgentLogTests {
    @Test func writesOneObjectALineIntoAPrivateFile() throws {
        let directory = try TemporaryDirectory()
        let log = try AgentLog(VaultLocation(directory: directory.path))
        log.write("start", ["version": "1"])
        log.write("odd", ["text": "line\nfeed \u{1b}[2J \"quoted\""])
        let path = directory.path + "/agent.log"
        #expect(try FileSystem.status(of: path).permissions == 0o600)
        let lines = try text(path).split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            let entry = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
            #expect(entry["what"] != nil && entry["time"]?.hasSuffix("Z") == true)
        }
    }

    @Test func aLogThatWasMadeReadableIsPrivateAgain() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/agent.log"
        try Data("old\n".utf8).write(to: URL(filePath: path))
        #expect(chmod(path, 0o644) == 0)
        try AgentLog(VaultLocation(directory: directory.path)).write("start")
        #expect(try FileSystem.status(of: path).permissions == 0o600)
        #expect(try text(path).hasPrefix("old\n{"))
    }

    @Test("refuses what is no file", arguments: ["link", "fifo", "directory"])
    func refused(kind: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/agent.log"
        switch kind {
        case "link": #expect(symlink("/tmp/elsewhere", path) == 0)
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        default: #expect(mkdir(path, 0o700) == 0)
        }
        #expect(throws: SystemError.self) {
            try AgentLog(VaultLocation(directory: directory.path))
        }
    }

    @Test func takesTwoMegabytesAtMost() throws {
        let directory = try TemporaryDirectory()
        let log = try AgentLog(VaultLocation(directory: directory.path))
        let long = String(repeating: "x", count: 50_000)
        for number in 0..<60 { log.write("entry", ["number": "\(number)", "text": long]) }
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(files == ["agent.log", "agent.log.1"])
        for file in files {
            let status = try FileSystem.status(of: directory.path + "/" + file)
            #expect(status.size <= 1 << 20 && status.permissions == 0o600)
        }
        #expect(try text(directory.path + "/agent.log").contains(#""number":"59""#))
    }

    /// In a process of its own, which runs out of descriptors for a moment.
    @Test func comesBackAfterTheFreshFileCouldNotBeMade() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/log"
            var file = try AppendFile(path: path, limit: 10)
            file.append(Array("first\n".utf8))
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            file.append(Array("second\n".utf8))
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            file.append(Array("third\n".utf8))
            let old = try FileSystem.read(path + ".1", limit: 100)
            guard old == Array("first\nsecond\n".utf8) else { exit(10) }
            guard try FileSystem.read(path, limit: 100) == Array("third\n".utf8) else { exit(11) }
        }
    }

    @Test func holdsWhatHappenedAndNoSecret() async throws {
        let agent = try await AgentFixture.make()
        _ = await agent.answer("POST", "/v1/accounts", body: Addition().json)
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        agent.server.answerNext(
            400,
            #"{"error":"invalid_grant","error_description":"canary-body"}"#
        )
        _ = await agent.answer("POST", "/v1/accounts/work/refresh")
        _ = await agent.answer("DELETE", "/v1/accounts/work")
        await agent.service.stop()
        let log = try agent.log()
        let what = try log.split(separator: "\n").map { line in
            try JSONDecoder().decode([String: String].self, from: Data(line.utf8))["what"]
        }
        #expect(what == ["signed_in", "refreshed", "sign_in_needed", "removed"])
        for canary in AgentFixture.canaries { #expect(!log.contains(canary)) }
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}
