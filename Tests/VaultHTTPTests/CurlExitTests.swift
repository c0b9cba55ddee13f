import Glibc
import OAuth
import Testing
import VaultAccess
import VaultHTTP
import VaultHTTPServer

/// A program that exits while transports are at work, or are just being dropped, ends as it wants to.
@Suite struct CurlExitTests {
    @Test func exitInTheMiddleOfRequests() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let url = try EndpointURL("http://127.0.0.1:1/")
            let kept = CurlTransport()
            for _ in 0..<4 {
                Task.detached {
                    while true {
                        let dropped = CurlTransport()
                        _ = try? await dropped.send(HTTPRequest(.get, url))
                        _ = try? await kept.send(HTTPRequest(.get, url))
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(30))
            exit(7)
        }
    }

    @Test func exitInTheMiddleOfABody() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let bytes = [UInt8](repeating: 120, count: 1 << 20)
            let server = try RecordingServer { _, _ in
                .response(HTTPServerResponse(status: 200, body: bytes))
            }
            let transport = CurlTransport()
            for _ in 0..<4 {
                Task.detached {
                    while true {
                        let response = try await transport.send(ResourceRequest(.get, server.url()))
                        for try await _ in response.body {}
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(30))
            exit(7)
        }
    }

    @Test func exitWithAClosedTransportThatIsStillThere() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let url = try EndpointURL("http://127.0.0.1:1/")
            let transport = CurlTransport()
            _ = try? await transport.send(HTTPRequest(.get, url))
            transport.close()
            withExtendedLifetime(transport) { exit(7) }
        }
    }
}
