import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultSQLite
import VaultStore
import VaultTesting

@testable import VaultKit

/// Signing out: what is revoked, what stays, and what is said.
@Suite(.timeLimit(.minutes(2))) struct SignOutTests {
    static func registration(
        _ name: AccountName,
        subject: String? = nil,
        revokes: Bool = true
    ) -> AccountRegistration {
        var registration = AccountRegistration.testing(name)
        registration.issuer = "https://as.example"
        registration.identity = subject.flatMap { Identity(subject: $0) }
        if revokes {
            registration.revocationEndpoint = EndpointURL(unchecked: "https://as.example/revoke")
        }
        return registration
    }

    /// Answers each revocation with the same, and refreshes by number.
    static func server(
        _ answer: ScriptedAnswer = .response(200),
        refreshes hold: VaultTesting.Hold? = nil
    ) -> ScriptedTransport {
        let refreshes = RotatingServer()
        return ScriptedTransport { request in
            guard request.request.url.path == "/revoke" else {
                let answer = refreshes.answer(to: request)
                return hold.map { answer.held(by: $0) } ?? answer
            }
            return answer
        }
    }

    static func revoked(_ transport: ScriptedTransport) -> [String] {
        transport.requests.compactMap { $0.parameter("token")?.reveal { $0 } }
    }

    static func add(_ registration: AccountRegistration, to scene: Scene) async throws {
        let tokens = TokenResponse.testing(
            accessToken: "\(registration.name)-access-1",
            refreshToken: "\(registration.name)-refresh-1"
        )
        try await scene.vault.add(registration, tokens)
    }

    @Test("the refresh token is revoked, then the access token, and the account is erased")
    func revokes() async throws {
        let transport = Self.server()
        try await withScene(transport) { scene in
            try await Self.add(Self.registration("work"), to: scene)
            let events = scene.vault.events
            let signOut = try await scene.vault.signOut("work")
            #expect(!signOut.isKept && signOut.failure == nil && signOut.sharing.isEmpty)
            #expect(Self.revoked(transport) == ["work-refresh-1", "work-access-1"])
            let hints = transport.requests.map { $0.parameter("token_type_hint")?.reveal { $0 } }
            #expect(hints == ["refresh_token", "access_token"])
            #expect(try await scene.vault.accounts().isEmpty)
            #expect(await everything(of: events, closing: scene.vault) == [.removed])
        }
    }

    @Test("K08: an empty 200 is success, and so is a token that is dead already")
    func success() async throws {
        for answer in [
            .response(200), .response(204), .refusal("invalid_grant"),
            .response(200, body: "<html>ok</html>"),
        ] as [ScriptedAnswer] {
            try await withScene(Self.server(answer)) { scene in
                try await Self.add(Self.registration("work"), to: scene)
                #expect(try await scene.vault.signOut("work").failure == nil)
                #expect(try await scene.vault.accounts().isEmpty)
            }
        }
    }

    @Test(
        "K08: a revocation that fails is told, and the account stays, or goes when that is forced",
        arguments: [
            (.response(503), true, "status", "503"),
            (.failure(.notSent(.connectionFailed)), true, "reason", "connection_failed"),
            (.failure(.ambiguous(.timedOut)), true, "reason", "timed_out"),
            (.refusal("invalid_client", status: 401), true, "error", "invalid_client"),
            (.response(200), false, "reason", "no_endpoint"),
        ] as [(ScriptedAnswer, Bool, String, String)]
    )
    func failure(
        answer: ScriptedAnswer,
        hasEndpoint: Bool,
        fact: String,
        value: String
    ) async throws {
        try await withScene(Self.server(answer)) { scene in
            try await Self.add(Self.registration("work", revokes: hasEndpoint), to: scene)
            let before = try scene.stored()
            let error = await vaultError { try await scene.vault.signOut("work") }
            #expect(error?.code == .revocationFailed)
            #expect(error?.facts.first { $0.key.rawValue == fact }?.value == value)
            #expect(try scene.stored() == before)
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access-1")
            let forced = try await scene.vault.signOut("work", isForced: true)
            #expect(forced.failure?.code == .revocationFailed)
            #expect(try await scene.vault.accounts().isEmpty)
        }
    }

    @Test("an access token that its server does not revoke is no failure beside a refresh token")
    func accessTokenThatStays() async throws {
        let transport = ScriptedTransport(
            .response(200),
            .refusal("unsupported_token_type"),
            .refusal("unsupported_token_type")
        )
        try await withScene(transport) { scene in
            try await Self.add(Self.registration("work"), to: scene)
            #expect(try await scene.vault.signOut("work").failure == nil)
            let tokens = TokenResponse.testing(accessToken: "alone")
            try await scene.vault.add(Self.registration("other"), tokens)
            let error = await vaultError { try await scene.vault.signOut("other") }
            #expect(error?.facts[.error] == "unsupported_token_type")
            #expect(transport.unusedAnswerCount == 0)
        }
    }

    @Test("what is kept has no tokens, and is signed in to anew without being told anything")
    func kept() async throws {
        try await withScene(Self.server()) { scene in
            try await Self.add(Self.registration("work", subject: "s"), to: scene)
            try await scene.vault.setTags(["a"], of: "work")
            #expect(try await scene.vault.signOut("work", keepingAccount: true).isKept)
            let account = try await scene.vault.account("work")
            #expect(account.state == .signInNeeded && account.reason == "signed_out")
            #expect(account.isCurrent && account.due == nil && account.expiry == nil)
            let stored = try scene.stored()
            #expect(stored.tokens.refreshToken == nil && stored.tokens.accessTokens.isEmpty)
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == .signInNeeded && error?.facts[.reason] == "signed_out")
            // Signing out of it once more has nothing to revoke.
            let again = try await scene.vault.signOut("work", keepingAccount: true)
            #expect(again.failure == nil)
            var remembered = try #require(try await scene.vault.registration(of: "work"))
            remembered.identity = Identity(subject: "s")
            let tokens = TokenResponse.testing(accessToken: "new", refreshToken: "new-refresh-1")
            try await scene.vault.signIn(remembered, tokens, sent: scene.clock.now())
            #expect(try await scene.vault.accessToken(for: "work").text == "new")
            #expect(try scene.stored().settings.tags == ["a"])
        }
    }

    @Test("PE-10: a refresh in flight is waited for, and its pair is what is revoked")
    func duringARefresh() async throws {
        let hold = VaultTesting.Hold()
        let transport = Self.server(refreshes: hold)
        try await withScene(transport) { scene in
            try await Self.add(Self.registration("work"), to: scene)
            scene.clock.advance(by: 3601)
            let caller = Task { try await scene.vault.accessToken(for: "work").text }
            try await hold.waitForArrivals()
            let signOut = Task { try await scene.vault.signOut("work") }
            try await scene.vault.waitForWaiters(2)
            hold.release()
            #expect(try await caller.value == "work-access-2")
            #expect(try await signOut.value.failure == nil)
            #expect(Self.revoked(transport) == ["work-refresh-2", "work-access-2"])
            #expect(try await scene.vault.accounts().isEmpty)
        }
    }

    @Test("PE-10: whoever asks during a sign-out waits for it, and no refresh begins beside it")
    func callersDuringASignOut() async throws {
        let hold = VaultTesting.Hold()
        let transport = Self.server(.response(200).held(by: hold))
        try await withScene(transport) { scene in
            try await Self.add(Self.registration("work"), to: scene)
            scene.clock.advance(by: 3601)
            let signOut = Task { try await scene.vault.signOut("work") }
            try await hold.waitForArrivals()
            let caller = Task {
                await vaultError { try await scene.vault.accessToken(for: "work") }
            }
            try await scene.vault.waitForWaiters(1)
            hold.release()
            _ = try await signOut.value
            #expect(await caller.value?.code == .noSuchAccount)
            #expect(Self.revoked(transport) == ["work-refresh-1"])
        }
    }

    @Test("PE-10: a sign-in that ends during a sign-out keeps its grant")
    func signInDuringASignOut() async throws {
        let hold = VaultTesting.Hold()
        try await withScene(Self.server(.response(200).held(by: hold))) { scene in
            try await Self.add(Self.registration("work"), to: scene)
            let signOut = Task { await vaultError { try await scene.vault.signOut("work") } }
            try await hold.waitForArrivals()
            try await scene.signInAgain()
            hold.release()
            #expect(await signOut.value?.facts[.reason] == "signed_in")
            #expect(try scene.stored().accessText == "new-access")
        }
    }

    @Test("a sign-out goes on when nobody waits for it any more")
    func cancelled() async throws {
        let hold = VaultTesting.Hold()
        try await withScene(Self.server(.response(200).held(by: hold))) { scene in
            try await Self.add(Self.registration("work"), to: scene)
            let signOut = Task { try await scene.vault.signOut("work") }
            try await hold.waitForArrivals()
            signOut.cancel()
            hold.release()
            _ = await signOut.result
            #expect(try await scene.vault.accounts().isEmpty)
        }
    }

    @Test("K09: accounts of the same person and client are named")
    func sharing() async throws {
        try await withScene(Self.server()) { scene in
            for (name, subject) in [("a", "s"), ("b", "s"), ("c", "t"), ("d", nil)]
                as [(AccountName, String?)]
            {
                try await Self.add(Self.registration(name, subject: subject), to: scene)
            }
            #expect(try await scene.vault.signOut("a").sharing == ["b"])
            #expect(try await scene.vault.signOut("c").sharing.isEmpty)
            #expect(try await scene.vault.signOut("d").sharing.isEmpty)
        }
    }

    @Test("a machine's token is revoked, and a static one is not from here")
    func otherKinds() async throws {
        let transport = Self.server()
        try await withScene(transport) { scene in
            var machine = Self.registration("machine")
            machine.grantKind = .clientCredentials
            try await scene.vault.add(machine, .testing(accessToken: "access"))
            _ = try await scene.vault.signOut("machine", keepingAccount: true)
            #expect(Self.revoked(transport) == ["access"])
            #expect(try await scene.vault.account("machine").state == .signInNeeded)
            let key = AccountRegistration(staticToken: "key")
            try await scene.vault.add(key, .testing(accessToken: "key", lifetime: nil))
            let error = await vaultError { try await scene.vault.signOut("key") }
            #expect(error?.facts[.reason] == "static")
        }
    }

    @Test("what was signed out of leaves none of its tokens in the file")
    func erased() async throws {
        try await withScene(Self.server()) { scene in
            try await Self.add(Self.registration("work"), to: scene)
            let before = try scene.stored().generation
            _ = try await scene.vault.signOut("work", keepingAccount: true)
            #expect(try scene.stored().generation == before + 1)
            // Another copy of the token is no grant any more.
            let error = await vaultError {
                try await Self.add(Self.registration("work"), to: scene)
            }
            #expect(error?.code == .nameTaken)
            let tokens = TokenResponse.testing(accessToken: "a", refreshToken: "work-refresh-1")
            let known = await vaultError {
                try await scene.vault.add(Self.registration("copy"), tokens)
            }
            #expect(known?.code == .grantKnown && known?.facts[.reason] == "spent")
        }
    }
}
