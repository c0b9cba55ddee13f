import OAuth
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// Whose account it is: another person never takes one over unasked.
@Suite(.timeLimit(.minutes(1))) struct OtherIdentityTests {
    private static func registration(
        _ name: AccountName = "work",
        of subject: String?,
        issuer: String = "https://as.example",
        shown: String? = nil
    ) -> AccountRegistration {
        var registration = SignOutTests.registration(name)
        registration.issuer = issuer
        registration.identity = subject.flatMap { Identity(subject: $0, name: shown) }
        return registration
    }

    private static func tokens(_ name: String) -> TokenResponse {
        .testing(accessToken: "\(name)-access", refreshToken: "\(name)-refresh")
    }

    private static func signIn(
        _ registration: AccountRegistration,
        _ token: String,
        in scene: Scene,
        replacesIdentity: Bool = false
    ) async throws {
        try await scene.vault.signIn(
            registration,
            tokens(token),
            sent: scene.clock.now(),
            replacesIdentity: replacesIdentity
        )
    }

    @Test("E08: another person's sign-in is refused, its tokens are revoked, nothing is changed")
    func refused() async throws {
        let transport = ScriptedTransport { _ in .response(200) }
        try await withScene(transport) { scene in
            try await Self.signIn(
                Self.registration(of: "a", shown: "a@x.example"),
                "one",
                in: scene
            )
            let before = try scene.stored()
            let error = await vaultError {
                try await Self.signIn(Self.registration(of: "b"), "two", in: scene)
            }
            #expect(error?.code == .otherIdentity && error?.facts[.reason] == "revoked")
            #expect(error?.facts[.found] == "b (https://as.example)")
            #expect(error?.facts[.wanted] == "a@x.example (https://as.example)")
            #expect(try scene.stored() == before)
            let revoked = transport.requests.compactMap { $0.parameter("token")?.reveal { $0 } }
            #expect(revoked == ["two-refresh", "two-access"])
            try await Self.signIn(
                Self.registration(of: "b"),
                "three",
                in: scene,
                replacesIdentity: true
            )
            #expect(try await scene.vault.account("work").identity?.subject == "b")
        }
    }

    @Test("E08: what cannot be revoked, or is shared with another account, is dropped and told")
    func dropped() async throws {
        try await withScene(ScriptedTransport(.response(503))) { scene in
            try await Self.signIn(Self.registration(of: "a"), "one", in: scene)
            let failed = await vaultError {
                try await Self.signIn(Self.registration(of: "b"), "two", in: scene)
            }
            #expect(failed?.facts[.reason] == "revocation_failed")
            // Revoking might sign out the other account of that person.
            try await Self.signIn(Self.registration("home", of: "b"), "home", in: scene)
            let shared = await vaultError {
                try await Self.signIn(Self.registration(of: "b"), "three", in: scene)
            }
            #expect(shared?.facts[.reason] == "shared")
            var silent = Self.registration(of: "c")
            silent.revocationEndpoint = nil
            let unsaid = await vaultError { [silent] in
                try await Self.signIn(silent, "four", in: scene)
            }
            #expect(unsaid?.facts[.reason] == "no_endpoint")
        }
    }

    @Test("E10: the same person's sign-in replaces a dead grant, and all else stays")
    func replacesADeadGrant() async throws {
        let transport = ScriptedTransport(
            .refusal("invalid_grant"),
            .grant(accessToken: "three-access", refreshToken: "three")
        )
        try await withScene(transport) { scene in
            try await Self.signIn(Self.registration(of: "a"), "one", in: scene)
            try await scene.vault.setTags(["t"], of: "work")
            scene.clock.advance(by: 3601)
            let dead = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(dead?.code == .signInNeeded)
            try await Self.signIn(Self.registration(of: "a"), "two", in: scene)
            let account = try await scene.vault.account("work")
            #expect(account.state == .active && account.tags == ["t"] && account.isCurrent)
            _ = try await scene.vault.refresh("work")
            #expect(transport.requests.last?.refreshToken == Secret("two-refresh"))
        }
    }

    @Test("E09: one address at two issuers is two accounts, and one subject does not make them one")
    func twoIssuers() async throws {
        try await withScene(ScriptedTransport { _ in .response(200) }) { scene in
            let issuers = ["https://one.example", "https://two.example"]
            for (name, issuer) in zip(["one", "two"] as [AccountName], issuers) {
                let registration = Self.registration(
                    name,
                    of: "s",
                    issuer: issuer,
                    shown: "me@x.example"
                )
                try await Self.signIn(registration, name.text, in: scene)
            }
            let accounts = try await scene.vault.accounts()
            #expect(accounts.map(\.identity?.name) == ["me@x.example", "me@x.example"])
            #expect(accounts.compactMap(\.issuer) == issuers)
            let error = await vaultError {
                try await Self.signIn(
                    Self.registration("one", of: "s", issuer: issuers[1]),
                    "three",
                    in: scene
                )
            }
            #expect(error?.code == .otherIdentity)
        }
    }

    @Test("where a server does not say who signed in, nobody is taken for another or forgotten")
    func unknown() async throws {
        try await withScene(ScriptedTransport { _ in .response(200) }) { scene in
            try await Self.signIn(Self.registration(of: nil), "one", in: scene)
            try await Self.signIn(Self.registration(of: "a"), "two", in: scene)
            try await Self.signIn(Self.registration(of: nil), "three", in: scene)
            #expect(try await scene.vault.account("work").identity?.subject == "a")
            let other = await vaultError {
                try await Self.signIn(Self.registration(of: "b"), "four", in: scene)
            }
            #expect(other?.code == .otherIdentity)
            // Whoever it becomes by somebody's word need not be who it was.
            try await Self.signIn(
                Self.registration(of: nil),
                "five",
                in: scene,
                replacesIdentity: true
            )
            #expect(try await scene.vault.account("work").identity == nil)
        }
    }

    @Test("E08: an account that does not know its issuer may be of the same grant")
    func sharedByProvider() async throws {
        let transport = ScriptedTransport { _ in .response(200) }
        try await withScene(transport) { scene in
            var named = Self.registration("bob", of: nil)
            named.issuer = nil
            try await Self.signIn(named, "bob", in: scene)
            try await Self.signIn(Self.registration("alice", of: "a"), "alice", in: scene)
            let error = await vaultError {
                try await Self.signIn(Self.registration("alice", of: "b"), "two", in: scene)
            }
            #expect(error?.code == .otherIdentity && error?.facts[.reason] == "shared")
            #expect(transport.requestCount == 0)
        }
    }
}
