import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// Tokens that come after their sign-in was given up: nobody has them, and nobody could end them later.
@Suite(.timeLimit(.minutes(1))) struct LateGrantTests {
    private static let revocation = #","revocation_endpoint":"https://as.example/revoke""#

    private func revoked(_ agent: AgentFixture) -> [String] {
        agent.server.asked.filter { $0.url.hasSuffix("/revoke") }
            .compactMap { $0.body.split(separator: "&").first.map(String.init) }
    }

    /// Gives a device's sign-in up while the answer that has its tokens is on its way.
    private func lateGrant(members: String, isKnown: Bool = false) async throws -> AgentFixture {
        let gate = Gate()
        gate.shut()
        let attempt = try await DeviceAttempt(
            DeviceServer([.pending, .late(gate)], members: members)
        )
        if isKnown {
            let other = try await SignInAttempt.begin(attempt.agent, account: "other")
            _ = try await other.comeBack("code=canary-code")
            #expect(await other.outcome() == "ready")
        }
        for _ in 1...2 { _ = try await attempt.wait() }
        #expect(await eventually { attempt.server.polls == 2 })
        attempt.signIns.cancel(attempt.signIn.id)
        gate.open()
        #expect(await attempt.outcome() == "sign_in_failed cancelled")
        await attempt.signIns.stop()
        #expect(try await attempt.agent.vault.accounts().map(\.name) == (isKnown ? ["other"] : []))
        let log = try attempt.agent.log()
        for word in AgentFixture.canaries { #expect(!log.contains(word), "\(word)") }
        return attempt.agent
    }

    @Test func theTokensOfADeviceAreRevoked() async throws {
        let agent = try await lateGrant(members: Self.revocation)
        #expect(revoked(agent) == ["token=canary-refresh", "token=canary-access"])
        #expect(
            try agent.log().contains(#""account":"work","time""#)
                && agent.log().contains(#""tokens":"revoked","what":"sign_in_dropped""#)
        )
        await agent.service.stop()
    }

    @Test func whereTheyCannotBeRevokedTheLogSaysSo() async throws {
        let agent = try await lateGrant(members: "")
        #expect(revoked(agent).isEmpty)
        #expect(try agent.log().contains(#""tokens":"no_endpoint","what":"sign_in_dropped""#))
        await agent.service.stop()
    }

    /// Several providers end every grant of the client and person at once.
    @Test func anAccountThatMayBeOfTheSameGrantIsSpared() async throws {
        let agent = try await lateGrant(members: Self.revocation, isKnown: true)
        #expect(revoked(agent).isEmpty)
        #expect(try agent.log().contains(#""tokens":"shared","what":"sign_in_dropped""#))
        await agent.service.stop()
    }

    @Test func theTokenOfAClientIsRevoked() async throws {
        let agent = try await AgentFixture.make(ScriptedServer(Self.revocation))
        agent.server.gate.shut()
        var document = BeginSignInDocument(
            name: "work",
            issuer: ScriptedServer.issuer,
            clientID: "client",
            clientSecret: "canary-secret",
            scope: [],
            redirectURI: nil,
            flow: "client-credentials"
        )
        document.clientAuthentication = "client_secret_post"
        let signIns = try agent.service.vault.session().signIns
        let signIn = try await signIns.begin(
            SignInRequest(document, for: "work", remembered: nil)
        )
        #expect(await eventually { agent.server.exchanges.count == 1 })
        signIns.cancel(signIn.id)
        agent.server.gate.open()
        await signIns.stop()
        guard case .failed(let error) = signIn.outcome else {
            Issue.record("\(String(describing: signIn.outcome))")
            return
        }
        #expect(error.facts[.reason] == "cancelled")
        // What came along besides is not this kind of account's.
        #expect(revoked(agent) == ["token=canary-access"])
        #expect(try await agent.vault.accounts().isEmpty)
        await agent.service.stop()
    }

    /// A code that is being exchanged is spent: its sign-in is not given up any more.
    @Test func theTokensOfACodeAreKept() async throws {
        let agent = try await AgentFixture.make(ScriptedServer(Self.revocation))
        agent.server.gate.shut()
        let attempt = try await SignInAttempt.begin(agent)
        async let page = attempt.comeBack("code=canary-code")
        #expect(await eventually { agent.server.exchanges.count == 1 })
        attempt.signIn.cancel()
        agent.server.gate.open()
        #expect(try await page?.status == 200)
        #expect(await attempt.outcome() == "ready")
        #expect(revoked(agent).isEmpty)
        #expect(try await agent.vault.accounts().map(\.name) == ["work"])
        await agent.service.stop()
    }
}
