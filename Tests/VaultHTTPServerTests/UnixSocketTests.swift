import Glibc
import Platform
import Testing
import VaultHTTPServer

@Suite struct UnixSocketTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func exchange(_ check: HTTPServer.PeerCheck?) async throws -> String {
        let listener = try ListeningSocket.unix(directory: directory.path, name: "http.sock")
        let server = try HTTPServer(on: listener, peerCheck: check) { _ in
            .response(HTTPServerResponse(status: 200, text: "hello"))
        }
        let text = try await onThread { [path = directory.path] in
            let client = try RawClient.connected(directory: path, name: "http.sock")
            client.send("GET / HTTP/1.0\r\n\r\n")
            return client.rest()
        }
        await server.stop()
        return text
    }

    @Test func aWelcomePeerIsServed() async throws {
        let text = try await exchange { $0 == getuid() }
        #expect(text.hasSuffix("\r\n\r\nhello"))
    }

    @Test func anUnwelcomePeerGetsNoByte() async throws {
        let text = try await exchange { $0 != getuid() }
        #expect(text.isEmpty)
    }

    @Test func aRequestSaysWhichProcessConnected() async throws {
        let listener = try ListeningSocket.unix(directory: directory.path, name: "http.sock")
        let server = try HTTPServer(on: listener) { request in
            .response(HTTPServerResponse(status: 200, text: "\(request.process ?? 0)"))
        }
        let text = try await onThread { [path = directory.path] in
            let client = try RawClient.connected(directory: path, name: "http.sock")
            client.send("GET / HTTP/1.0\r\n\r\n")
            return client.rest()
        }
        await server.stop()
        #expect(text.hasSuffix("\r\n\r\n\(getpid())"))
    }

    @Test func aPathTooLongForASocketAddressWorks() async throws {
        let name = String(repeating: "d", count: 100)
        let long = "\(directory.path)/\(name)"
        mkdir(long, 0o700)
        let listener = try ListeningSocket.unix(directory: long, name: "http.sock")
        let server = try HTTPServer(on: listener) { _ in .raw(Array("x".utf8)) }
        let text = try await onThread {
            let client = try RawClient.connected(directory: long, name: "http.sock")
            client.send("GET / HTTP/1.0\r\n\r\n")
            return client.rest()
        }
        await server.stop()
        unlink("\(long)/http.sock")
        rmdir(long)
        #expect(text == "x")
    }

    @Test func aDescriptorThatIsNoSocketIsRefused() throws {
        #expect(throws: SystemError.self) {
            try ListeningSocket(adopting: open("/dev/null", O_RDONLY))
        }
    }
}
