import Glibc
import OAuth
import Testing
import VaultHTTP

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
