import Glibc
import Platform
import Testing
import VaultKit

@testable import VaultAgentServer

@Suite struct LoopbackAddressTests {
    @Test(
        "leaves the port open",
        arguments: [
            (nil, "http://127.0.0.1:PORT/callback"),
            ("http://127.0.0.1/callback", "http://127.0.0.1:PORT/callback"),
            ("http://127.0.0.1", "http://127.0.0.1:PORT"),
            ("http://127.0.0.1/", "http://127.0.0.1:PORT/"),
            ("http://localhost/cb", "http://localhost:PORT/cb"),
            ("http://127.0.0.1/a/b%20c/", "http://127.0.0.1:PORT/a/b%20c/"),
            ("http://[::1]/cb", "http://[::1]:PORT/cb"), ("http://[::1]", "http://[::1]:PORT"),
            ("http://[0:0:0:0:0:0:0:1]/cb", "http://[0:0:0:0:0:0:0:1]:PORT/cb"),
        ] as [(String?, String)]
    )
    func open(registered: String?, sent: String) throws {
        let address = try LoopbackAddress(registered)
        let socket = try address.listen()
        defer { socket.close() }
        #expect(socket.port > 1023)
        let expected = sent.replacing("PORT", with: "\(socket.port)")
        #expect(address.redirectURI(port: socket.port) == expected)
    }

    @Test(
        "keeps a fixed port, letter by letter",
        arguments: [
            "http://127.0.0.1:PORT/callback", "http://localhost:PORT", "http://[::1]:PORT/cb",
        ]
    )
    func fixed(template: String) throws {
        let free = try ListeningSocket.loopback(ipv6: template.contains("::1"))
        let port = free.port
        free.close()
        let registered = template.replacing("PORT", with: "\(port)")
        let address = try LoopbackAddress(registered)
        let socket = try address.listen()
        defer { socket.close() }
        #expect(socket.port == port)
        #expect(address.redirectURI(port: port) == registered)
    }

    @Test(
        "refuses",
        arguments: [
            ("https://127.0.0.1/cb", "not_loopback"), ("https://localhost:8443", "not_loopback"),
            ("HTTP://127.0.0.1/cb", "not_loopback"), ("http://127.0.0.1/cb?a=b", "not_loopback"),
            ("http://127.0.0.1/cb?", "not_loopback"),
            // Loopback, but not where the listener is.
            ("http://127.0.0.2/cb", "not_loopback"), ("http://127.1.2.3:80", "not_loopback"),
            ("https://app.example/cb", "not_loopback"),
            ("http://app.example/cb", "insecure"), ("http://0.0.0.0/cb", "insecure"),
            ("http://localhost.evil.example/cb", "insecure"), ("http://127.1/cb", "insecure"),
            ("http://user@127.0.0.1/cb", "user_info"), ("http://127.0.0.1/cb#f", "fragment"),
            ("http://127.0.0.1:0/cb", "port_malformed"),
            ("http://127.0.0.1:65536/cb", "port_malformed"),
            ("http://127.0.0.1:/cb", "port_malformed"),
            ("com.example.app:/cb", "not_http"), ("urn:ietf:wg:oauth:2.0:oob", "not_http"),
            ("", "not_http"), ("http://", "host_missing"), ("http://[::1/cb", "host_malformed"),
        ]
    )
    func refused(registered: String, reason: String) {
        let error = #expect(throws: VaultError.self) { try LoopbackAddress(registered) }
        #expect(error?.code == .invalidInput)
        #expect(error?.facts == [.field: "redirect_uri", .reason: reason])
    }

    @Test func aPortInUseIsNamed() throws {
        let other = try ListeningSocket.loopback()
        defer { other.close() }
        let address = try LoopbackAddress("http://127.0.0.1:\(other.port)/cb")
        let error = #expect(throws: VaultError.self) { try address.listen() }
        #expect(error?.code == .busy)
        #expect(
            error?.facts
                == [.reason: "port_in_use", .found: "\(other.port)", .field: "redirect_uri"]
        )
    }

    /// Connecting to 127.0.0.2 reaches whoever listens on all addresses.
    @Test func listensOnTheOneAddressAlone() async throws {
        let socket = try LoopbackAddress(nil).listen()
        defer { socket.close() }
        let port = socket.port
        _ = try Browser(port: port)
        #expect(throws: SystemError.connectionRefused) {
            try Browser(port: port, address: 0x7f00_0002)
        }
    }
}
