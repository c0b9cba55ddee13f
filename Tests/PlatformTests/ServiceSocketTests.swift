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

    @Test func aManagerThatIsNotThereIsSaid() {
        #expect(throws: SystemError.connectionRefused) {
            try ServiceSocket.send("READY=1", to: "@vault-test-nobody-\(getpid())")
        }
        #expect(throws: (any Error).self) { try ServiceSocket.send("READY=1", to: "") }
        let long = String(repeating: "x", count: 200)
        #expect(throws: (any Error).self) { try ServiceSocket.send("READY=1", to: "/" + long) }
    }
}
