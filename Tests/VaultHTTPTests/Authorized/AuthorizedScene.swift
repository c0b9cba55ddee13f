import FoundationEssentials
import OAuth
import VaultAccess
import VaultHTTP
import VaultKit
import VaultTesting

/// An account at a real authorization server, and one transport for everything, as in a program.
struct AuthorizedScene: Sendable {
    let server: TestAuthorizationServer
    let clock: ManualClock
    let transport: CurlTransport
    let vault: Vault

    /// A client of the account that may send its token to an origin.
    func client(
        at origin: Origin,
        over resources: (any ResourceTransport)? = nil
    ) -> AuthorizedClient {
        AuthorizedClient(
            vault,
            account: "work",
            origins: [origin],
            transport: resources ?? transport
        )
    }

    /// A client that may send its token to a server of the test.
    func client(of resources: RecordingServer) -> AuthorizedClient {
        client(at: Origin(resources.url()))
    }

    /// Runs `body` with an account whose token came long enough ago for every server to know it.
    static func use(_ body: (AuthorizedScene) async throws -> Void) async throws {
        try await TemporaryVault.use(isVolatile: true) { home in
            let clock = ManualClock()
            let server = try TestAuthorizationServer(clock: {
                clock.now().wall.timeIntervalSince1970
            })
            let transport = CurlTransport()
            let vault = try await home.open(transport: transport, clock: clock)
            let pair = server.issue(subject: "somebody")
            _ = try await vault.add(
                .testing("work", client: "test-public", tokenEndpoint: server.tokenEndpoint),
                TokenResponse(
                    accessToken: pair.accessToken,
                    refreshToken: pair.refreshToken,
                    lifetime: 3600
                )
            )
            clock.advance(by: 6)
            try await body(
                AuthorizedScene(server: server, clock: clock, transport: transport, vault: vault)
            )
            await vault.close()
            await server.stop()
        }
    }
}

/// Holds back requests until so many are on their way, so that all carry the same token.
final class GatheringTransport: ResourceTransport {
    private let transport: any ResourceTransport
    private let hold = Hold()
    private let opener: Task<Void, any Error>

    init(_ transport: any ResourceTransport, until count: Int) {
        self.transport = transport
        opener = Task { [hold] in
            try await hold.waitForArrivals(count)
            hold.release()
        }
    }

    deinit {
        opener.cancel()
    }

    func send(_ request: ResourceRequest) async throws -> ResourceResponse {
        try await hold.pass()
        return try await transport.send(request)
    }
}
