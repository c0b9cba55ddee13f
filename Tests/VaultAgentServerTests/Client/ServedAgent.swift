import OAuth
import Platform
import VaultAgentClient
import VaultCrypto
import VaultHTTPServer
import VaultKit
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// A service behind its socket, as the agent's program has it, and a client that asks it.
struct ServedAgent: Sendable {
    let fixture: AgentFixture
    let client: VaultAgent
    /// The time of both.
    let clock: ManualClock

    var server: ScriptedServer { fixture.server }
    var vault: Vault { get throws { try fixture.vault } }

    /// Runs `body` while the service is there.
    static func use(
        slots: [NewKeySlot]? = nil,
        _ body: (ServedAgent) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let fixture = try await AgentFixture.make(ScriptedServer(), slots: slots, clock: clock)
        let listener = try ListeningSocket.unix(
            directory: fixture.location.directory,
            name: VaultLocation.socketName
        )
        let routes = AgentRoutes(service: fixture.service)
        let server = try HTTPServer(on: listener) { await routes.serve($0) }
        let client = try VaultAgent(fixture.location, clock: clock)
        try await body(ServedAgent(fixture: fixture, client: client, clock: clock))
        await server.stop()
        await fixture.service.stop()
    }

    /// Adds an account whose first access token is `<name>-1`.
    func add(_ name: AccountName, scope: Scope? = nil) async throws {
        let tokens = TokenResponse.testing(
            accessToken: "\(name)-1",
            refreshToken: "\(name)-refresh-1",
            scope: scope
        )
        _ = try await vault.add(.testing(name), tokens)
        // Rejected at once it would be handed out again: the newest there is.
        clock.advance(by: 10)
    }

    /// Has the next refresh bring a token of this text.
    func grantNext(_ token: String, scope: String? = nil) {
        let scope = scope.map { #","scope":"\#($0)""# } ?? ""
        server.answerNext(
            200,
            #"{"access_token":"\#(token)","token_type":"Bearer","expires_in":3600\#(scope)}"#
        )
    }
}

extension AccessToken {
    var text: String { value.reveal { $0 } }
}

/// The error of a call that has to fail.
func vaultError(_ body: () async throws -> some Any) async -> VaultError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? VaultError
    }
}
