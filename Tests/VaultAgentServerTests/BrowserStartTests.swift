import Glibc
import OAuth
import Platform
import Testing
import VaultKit

@testable import VaultAgentServer

/// The short address that the browser is started at.
@Suite struct BrowserStartTests {
    private func path(_ attempt: SignInAttempt) -> String {
        EndpointURL(unchecked: attempt.startURL).path
    }

    @Test func leadsToTheAuthorizationServerOnce() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        #expect(attempt.startURL.hasPrefix("http://127.0.0.1:\(attempt.port)/start-"))
        #expect(!attempt.startURL.contains(attempt.state))
        let page = try #require(try await attempt.get(path(attempt)))
        #expect(page.status == 303 && page.body.isEmpty)
        #expect(page.header("Location") == attempt.browser.authorizationURL.string)
        #expect(page.header("Cache-Control") == "no-store")
        #expect(page.header("Referrer-Policy") == "no-referrer")

        let again = try #require(try await attempt.get(path(attempt)))
        #expect(again.status == 410 && again.header("Location") == nil)
        #expect(!again.body.contains(attempt.state))
        #expect(attempt.signIn.outcome == nil)
        #expect(try await attempt.comeBack("code=c")?.status == 200)
        await agent.service.stop()
    }

    @Test(
        "leads nowhere",
        arguments: [
            ("GET", "", "Host: rebound.example", 421), ("GET", "", "Host: localhost:PORT", 421),
            ("GET", "", "Host: 127.0.0.1", 421), ("HEAD", "", "Host: 127.0.0.1:PORT", 405),
            ("POST", "", "Host: 127.0.0.1:PORT\r\nContent-Length: 0", 405),
            ("GET", "?x", "Host: 127.0.0.1:PORT", 404), ("GET", "x", "Host: 127.0.0.1:PORT", 404),
        ]
    )
    func elsewhere(method: String, suffix: String, fields: String, status: Int) async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent)
        let target = path(attempt) + suffix
        let page = try await onThread { [port = attempt.port] in
            let browser = try Browser(port: port)
            let lines = fields.replacing("PORT", with: "\(port)")
            browser.say(Array("\(method) \(target) HTTP/1.1\r\n\(lines)\r\n\r\n".utf8))
            return try browser.page(ofHead: method == "HEAD")
        }
        #expect(page?.status == status && page?.header("Location") == nil)
        if status == 405 { #expect(page?.header("Allow") == "GET") }
        // It was not used up.
        #expect(try await attempt.get(path(attempt))?.status == 303)
        attempt.signIn.cancel()
        await agent.service.stop()
    }

    @Test func twoSignInsHaveAddressesOfTheirOwn() async throws {
        let agent = try await AgentFixture.make()
        let one = try await SignInAttempt.begin(agent)
        let other = try await SignInAttempt.begin(agent)
        #expect(try await one.get(path(other))?.status == 404)
        await agent.service.stop()
    }
}

/// Where a sign-in listens.
@Suite struct LoopbackListenerTests {
    /// `localhost` may lead to either address: nobody else may be at one of them.
    @Test func localhostIsListenedToAtBothAddresses() async throws {
        let agent = try await AgentFixture.make()
        let attempt = try await SignInAttempt.begin(agent, redirectURI: "http://localhost/callback")
        #expect(throws: SystemError.addressInUse) {
            try ListeningSocket.loopback(port: attempt.port)
        }
        if hasIPv6 {
            #expect(throws: SystemError.addressInUse) {
                try ListeningSocket.loopback(port: attempt.port, ipv6: true)
            }
        }
        #expect(try await attempt.comeBack("code=c")?.status == 200)
        await agent.service.stop()
    }

    @Test func aLiteralAddressIsListenedToAlone() throws {
        let listener = try LoopbackAddress("http://127.0.0.1/cb").listen()
        defer { listener.close() }
        if hasIPv6 { try ListeningSocket.loopback(port: listener.port, ipv6: true).close() }
    }

    @Test func aPortThatIsTakenAtOneOfBothIsNotUsed() throws {
        guard hasIPv6 else { return }
        let other = try ListeningSocket.loopback(ipv6: true)
        defer { other.close() }
        let address = try LoopbackAddress("http://localhost:\(other.port)/cb")
        let error = #expect(throws: VaultError.self) { try address.listen() }
        #expect(error?.facts[.reason] == "port_in_use")
        // The half that could be had was given back.
        try ListeningSocket.loopback(port: other.port).close()
    }

    private var hasIPv6: Bool {
        guard let socket = try? ListeningSocket.loopback(ipv6: true) else { return false }
        socket.close()
        return true
    }
}
