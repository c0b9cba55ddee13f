import OAuth
import Testing
import VaultCrypto
import VaultHTTP
import VaultHTTPServer
import VaultTesting

/// Requests that go through a proxy, and those that must not.
@Suite struct ProxyTests {
    private let transport = CurlTransport()
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared.get()
    }

    private func server() async throws -> NetworkPeer {
        try await NetworkPeer("tls", [certificates["server.pem"], certificates["server.key"]])
    }

    private func request(
        _ port: UInt16,
        through proxy: String,
        host: String = "as.example"
    ) throws -> HTTPRequest {
        var request = HTTPRequest(
            .post,
            try EndpointURL("https://\(host):\(port)/token"),
            headers: [HTTPHeader("Authorization", "Basic canary")],
            body: Secret("grant_type=refresh_token")
        )
        request.network.proxy = try ProxyURL(proxy)
        request.network.certificateAuthorities = try CertificateAuthorities(
            pem: certificates.pem("ca.pem")
        )
        return request
    }

    @Test func aTunnelLeadsToTheServerAndLearnsNothing() async throws {
        let (server, proxy) = (try await server(), try await NetworkPeer("proxy"))
        let response = try await transport.send(
            request(server.port, through: "http://127.0.0.1:\(proxy.port)")
        )
        #expect(response.status == 200 && response.text == "client=nobody")
        // The proxy's own answer is no part of the server's.
        #expect(response.header("X-Proxy") == nil)
        #expect(
            proxy.log == [
                "CONNECT as.example:\(server.port) HTTP/1.1 | Host, Proxy-Connection, User-Agent"
            ]
        )
        #expect(server.log.count == 1)
    }

    @Test func aProxyMayBeReachedOverTLS() async throws {
        let server = try await server()
        let proxy = try await NetworkPeer(
            "tlsproxy",
            [certificates["server.pem"], certificates["server.key"]]
        )
        let through = "https://127.0.0.1:\(proxy.port)"
        let response = try await transport.send(request(server.port, through: through))
        #expect(response.text == "client=nobody" && proxy.log.count == 1)
    }

    @Test(arguments: [("socks5h", "as.example", "name as.example")])
    func aSOCKSProxyLooksTheNameUp(scheme: String, host: String, noted: String) async throws {
        let (server, proxy) = (try await server(), try await NetworkPeer("socks"))
        let response = try await transport.send(
            request(server.port, through: "\(scheme)://127.0.0.1:\(proxy.port)", host: host)
        )
        #expect(response.text == "client=nobody")
        #expect(proxy.log == [noted])
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func whatIsOnThisMachineIsReachedDirectly(host: String) async throws {
        let (server, proxy) = (
            try RecordingServer(always: .text("ok")), try await NetworkPeer("proxy")
        )
        var request = HTTPRequest(.get, try EndpointURL("http://\(host):\(server.port)/"))
        request.network.proxy = try ProxyURL("http://127.0.0.1:\(proxy.port)")
        #expect(try await transport.send(request).text == "ok")
        #expect(await transport.canReach(request.url, through: request.network))
        #expect(proxy.log.isEmpty)
        await server.stop()
    }

    @Test(arguments: ["403", "407", "502"])
    func aProxyThatRefusesHasSpentNothing(status: String) async throws {
        let (server, proxy) = (try await server(), try await NetworkPeer("proxy", [status]))
        let request = try request(server.port, through: "http://127.0.0.1:\(proxy.port)")
        #expect(await transport.failure(of: request) == .notSent(.proxyFailed))
        var get = request
        (get.method, get.body) = (.get, nil)
        #expect(await transport.failure(of: get) == .notSent(.proxyFailed))
        #expect(server.log.isEmpty && proxy.log.count == 2)
    }

    @Test(arguments: ["http", "https", "socks5h"])
    func aProxyThatIsNotThereIsNamed(scheme: String) async throws {
        let gone = try RecordingServer(always: .drop)
        let port = gone.port
        await gone.stop()
        let request = try request(443, through: "\(scheme)://127.0.0.1:\(port)")
        #expect(await transport.failure(of: request) == .notSent(.proxyFailed))
    }

    @Test func aServersCertificateIsCheckedBehindAProxyToo() async throws {
        let proxy = try await NetworkPeer("proxy")
        let server = try await NetworkPeer(
            "tls",
            [certificates["elsewhere.pem"], certificates["elsewhere.key"]]
        )
        let request = try request(server.port, through: "http://127.0.0.1:\(proxy.port)")
        #expect(await transport.failure(of: request) == .notSent(.certificateOfAnotherHost))
        #expect(server.log.isEmpty)
    }
}
