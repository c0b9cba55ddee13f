import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// Accounts whose access tokens are obtained without a refresh token, or not at all.
@Suite(.timeLimit(.minutes(2))) struct GrantKindTests {
    private static func machine(_ name: AccountName = "work") -> AccountRegistration {
        AccountRegistration(
            name: name,
            client: Client(
                id: ClientID(rawValue: "machine"),
                secret: Secret("secret"),
                authentication: .clientSecretPost
            ),
            tokenEndpoint: EndpointURL(unchecked: "https://as.example/token"),
            requestedScope: Scope(["read", "write"]),
            refresh: RefreshOptions(parameters: [RequestParameter("audience", "api")]),
            grantKind: .clientCredentials
        )
    }

    private static let first = TokenResponse.testing(accessToken: "access-1")

    /// Numbers its access tokens.
    private static func server(refreshToken: String? = nil) -> ScriptedTransport {
        let count = Shared(1)
        return ScriptedTransport { _ in
            count.update { $0 += 1 }
            return .grant(accessToken: "access-\(count.value)", refreshToken: refreshToken)
        }
    }

    // MARK: - Client credentials

    @Test("client credentials are renewed by asking again as at first")
    func asksAgain() async throws {
        let transport = Self.server()
        try await withScene(transport) { scene in
            let added = try await scene.vault.add(Self.machine(), Self.first)
            #expect(added.grantKind == .clientCredentials && added.state == .active)
            #expect(added.due != nil)
            scene.clock.advance(by: 3601)
            #expect(try await scene.vault.accessToken(for: "work").text == "access-2")
            let sent = try #require(transport.requests.first)
            let parameters = [
                "grant_type": "client_credentials", "scope": "read write", "audience": "api",
                "client_id": "machine", "client_secret": "secret",
            ]
            for (name, value) in parameters {
                #expect(sent.parameter(name)?.reveal { $0 } == value)
            }
            #expect(sent.refreshToken == nil)
            #expect(try scene.stored().intent == nil)
        }
    }

    @Test("client credentials are renewed ahead of time, whatever the lifetime of refresh tokens")
    func renewedAhead() async throws {
        let transport = Self.server()
        try await withScene(transport) { scene in
            try await scene.vault.add(Self.machine(), Self.first)
            try await run(scene, for: 86_400)
            #expect((24...40).contains(transport.requestCount))
            #expect(try await scene.vault.account("work").state == .active)
            #expect(try await scene.vault.accessToken(for: "work").warning == nil)
        }
    }

    @Test("a crowd that asks for a machine's token causes one request")
    func crowd() async throws {
        let hold = VaultTesting.Hold()
        let transport = ScriptedTransport(.grant(accessToken: "access-2").held(by: hold))
        try await withScene(transport) { scene in
            try await scene.vault.add(Self.machine(), Self.first)
            scene.clock.advance(by: 3601)
            let callers = (0..<10).map { _ in
                Task { try await scene.vault.accessToken(for: "work").text }
            }
            try await hold.waitForArrivals()
            hold.release()
            for caller in callers { #expect(try await caller.value == "access-2") }
            #expect(transport.requestCount == 1)
        }
    }

    @Test("a refresh token that comes with client credentials is not kept")
    func strayRefreshToken() async throws {
        try await withScene(Self.server(refreshToken: "stray")) { scene in
            let tokens = TokenResponse.testing(accessToken: "access-1", refreshToken: "stray")
            try await scene.vault.add(Self.machine(), tokens)
            #expect(try scene.stored().tokens.refreshToken == nil)
            _ = try await scene.vault.refresh("work")
            #expect(try scene.stored().tokens.refreshToken == nil)
            #expect(try scene.stored().tokens.grant == nil)
        }
    }

    @Test("an answer to client credentials that is lost leaves nothing in doubt")
    func lostAnswer() async throws {
        let transport = ScriptedTransport(
            .failure(.ambiguous(.connectionLost)),
            .response(502),
            .grant(accessToken: "access-2")
        )
        try await withScene(transport) { scene in
            try await scene.vault.add(Self.machine(), Self.first)
            scene.clock.advance(by: 3601)
            for _ in 1...2 {
                let error = await vaultError { try await scene.vault.refresh("work") }
                #expect(error?.code == .outcomeUnknown)
                #expect(try scene.stored().intent == nil)
                #expect(try await scene.vault.account("work").state == .backingOff)
            }
            #expect(try await scene.vault.refresh("work").text == "access-2")
        }
    }

    @Test("what a process that died has asked with client credentials is asked again at once")
    func crash() async throws {
        let transport = Self.server()
        try await withScene(transport) { scene in
            try await scene.vault.add(Self.machine(), Self.first)
            scene.clock.advance(by: 3601)
            let hash = try scene.vault.store.spentTokenHash(of: Secret(""))
            let intent = Intent(refreshTokenHash: hash, claimed: scene.clock.now(), attempt: 1)
            _ = try await scene.vault.store.claim(scene.stored(), intent: intent)
            #expect(try await scene.vault.account("work").state == .active)
            #expect(try await scene.vault.accessToken(for: "work").text == "access-2")
        }
    }

    @Test(
        "a machine is never sent to a sign-in: it is its client that is refused",
        arguments: [
            ScriptedAnswer.refusal("invalid_client", status: 401), .refusal("invalid_grant"),
            .refusal("unauthorized_client"), .refusal("interaction_required"),
        ]
    )
    func refused(answer: ScriptedAnswer) async throws {
        try await withScene(ScriptedTransport(answer)) { scene in
            try await scene.vault.add(Self.machine(), Self.first)
            scene.clock.advance(by: 3601)
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == .clientRefused)
            let account = try await scene.vault.account("work")
            #expect(account.state == .clientRefused && account.reason == "client_refused")
            #expect(try !scene.stored().needsSignIn(at: scene.clock.now()))
        }
    }

    @Test("client credentials ask for a part of their scope as any account does")
    func partOfTheScope() async throws {
        let transport = Self.server()
        try await withScene(transport) { scene in
            try await scene.vault.add(Self.machine(), Self.first)
            let token = try await scene.vault.accessToken(for: "work", scope: Scope(["read"]))
            #expect(token.text == "access-2")
            #expect(transport.requests.first?.parameter("scope")?.reveal { $0 } == "read")
            #expect(try await scene.vault.accessToken(for: "work").text == "access-1")
        }
    }

    // MARK: - Static tokens

    private static let key = AccountRegistration(staticToken: "key", issuer: "https://as.example")

    @Test("a static token is handed out until its end, and then it is to be added again")
    func staticToken() async throws {
        try await withScene { scene in
            let added = try await scene.vault.add(
                Self.key,
                .testing(accessToken: "token", lifetime: 7200)
            )
            #expect(added.grantKind == .static && added.state == .static && added.due == nil)
            try await run(scene, for: 7100)
            #expect(try await scene.vault.accessToken(for: "key").text == "token")
            #expect(try await scene.vault.account("key").state == .static)
            scene.clock.advance(by: 101)
            let error = await vaultError { try await scene.vault.accessToken(for: "key") }
            #expect(error?.code == .signInNeeded)
            #expect(error?.facts[.reason] == "token_expired")
            let account = try await scene.vault.account("key")
            #expect(account.state == .signInNeeded && account.reason == "token_expired")
            // Another one in its place.
            let next = TokenResponse.testing(accessToken: "next", lifetime: nil)
            try await scene.vault.add(Self.key, next, replacing: .ifSignInNeeded)
            #expect(try await scene.vault.account("key").state == .static)
            #expect(try await scene.vault.accessToken(for: "key").text == "next")
        }
    }

    @Test("the end of a static token is told by the scheduler, and nothing is sent")
    func toldOfTheEnd() async throws {
        try await withScene { scene in
            try await scene.vault.add(Self.key, .testing(accessToken: "t", lifetime: 600))
            let events = scene.vault.events
            try await run(scene, for: 700)
            let kinds = await everything(of: events, closing: scene.vault)
            #expect(kinds == [.signInNeeded])
        }
    }

    @Test("a static token whose end nobody told has none, and is not refreshed")
    func withoutAnEnd() async throws {
        try await withScene { scene in
            try await scene.vault.add(Self.key, .testing(accessToken: "token", lifetime: nil))
            try await run(scene, for: 86_400)
            #expect(try await scene.vault.accessToken(for: "key").warning == nil)
            for isForced in [false, true] {
                let error = await vaultError {
                    try await scene.vault.refresh("key", isForced: isForced)
                }
                #expect(error?.code == .signInNeeded && error?.facts[.reason] == "static")
            }
            #expect(try await scene.vault.account("key").state == .static)
            #expect(try await scene.vault.clients().isEmpty)
            // One that a resource server rejects is not handed out again.
            scene.clock.advance(by: 10)
            let rejected = await vaultError {
                try await scene.vault.accessToken(for: "key", newerThan: 1)
            }
            #expect(rejected?.facts[.reason] == "static")
        }
    }

    @Test("a static token has no refresh token")
    func withARefreshToken() async throws {
        try await withScene { scene in
            let tokens = TokenResponse.testing(accessToken: "token", refreshToken: "refresh")
            let error = await vaultError { try await scene.vault.add(Self.key, tokens) }
            #expect(error?.code == .invalidInput && error?.facts[.field] == "refresh_token")
            let accounts = try await scene.vault.accounts()
            #expect(accounts.isEmpty)
        }
    }
}
