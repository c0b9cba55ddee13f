import Glibc
import Testing

@testable import Platform

@Suite struct ServiceSocketTests {
    @Test func onlyAListeningUnixStreamSocketIsOne() async throws {
        try await withTemporaryPath { directory in
            try FileSystem.makeNewDirectory(directory)
            let listener = try ListeningSocket.unix(directory: directory, name: "s")
            let descriptor = try #require(listener.descriptor)
            #expect(
                try ServiceSocket.look(at: descriptor) == .listening(path: "\(directory)/s")
            )
            let tcp = try ListeningSocket.loopback()
            #expect(try ServiceSocket.look(at: try #require(tcp.descriptor)) == .notUnix)
            #expect(try ServiceSocket.look(at: 12_345) == .notOpen)
            let file = open("/dev/null", O_RDONLY)
            #expect(try ServiceSocket.look(at: file) == .notASocket)
            close(file)
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            #expect(try ServiceSocket.look(at: ends[0]) == .notListening)
            ends.forEach { close($0) }
            let datagrams = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            #expect(try ServiceSocket.look(at: datagrams) == .notAStream)
            close(datagrams)
            try FileSystem.remove("\(directory)/s")
            rmdir(directory)
        }
    }

    /// As while a machine starts, when every service has something to say.
    @Test func aManagerWithAFullQueueIsWaitedFor() throws {
        let name = "vault-test-full-\(getpid())"
        let manager = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(manager) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in name.utf8.enumerated() { path[index + 1] = byte }
        }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(manager, $0, size) }
        }
        try #require(bound == 0)
        let count = 2000
        let reader = try DedicatedThread.startJoinable {
            usleep(30_000)
            var bytes = [UInt8](repeating: 0, count: 64)
            for _ in 1...count { recv(manager, &bytes, bytes.count, 0) }
        }
        for _ in 1...count { try ServiceSocket.send("READY=1", to: "@" + name) }
        reader.join()
    }

    @Test func aManagerThatIsNotThereIsSaid() {
        #expect(throws: SystemError.connectionRefused) {
            try ServiceSocket.send("READY=1", to: "@vault-test-nobody-\(getpid())")
        }
        #expect(throws: (any Error).self) { try ServiceSocket.send("READY=1", to: "") }
        let long = String(repeating: "x", count: 200)
        #expect(throws: (any Error).self) { try ServiceSocket.send("READY=1", to: "/" + long) }
    }
}
