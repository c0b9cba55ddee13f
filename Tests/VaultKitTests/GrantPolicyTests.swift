import OAuth
import Platform
import Testing
import VaultCrypto
import VaultStore
import VaultTesting

@testable import VaultKit

/// What may take the place of an account, and what may take it away.
@Suite(.timeLimit(.minutes(1))) struct GrantPolicyTests {
    private static let fresh = TokenResponse.testing(
        accessToken: "fresh-access",
        refreshToken: "fresh-refresh"
    )

    /// A scene with an account whose grant the server refused.
    private func withDeadGrant(_ body: (Scene) async throws -> Void) async throws {
        try await withScene(ScriptedTransport(.refusal("invalid_grant"))) { scene in
            try await scene.addExpired()
            let error = await vaultError { try await scene.vault.accessToken(for: "work") }
            #expect(error?.code == .signInNeeded)
            try await body(scene)
        }
    }

    @Test(
        "a live grant stays unless it is replaced in any case",
        arguments: [
            (.never, .nameTaken), (.ifSignInNeeded, .grantAlive),
            (.always, nil),
        ] as [(ReplacementPolicy, VaultError.Code?)]
    )
    func liveGrant(policy: ReplacementPolicy, code: VaultError.Code?) async throws {
        try await withScene { scene in
            try await scene.add()
            let before = try scene.stored()
            let error = await vaultError {
                try await scene.vault.add(.testing("work"), Self.fresh, replacing: policy)
            }
            #expect(error?.code == code)
            let after = try scene.stored()
            if code != nil {
                #expect(error?.account == "work")
                #expect(after == before)
            } else {
                #expect(after.id == before.id && after.generation == 2)
                #expect(try await scene.vault.accessToken(for: "work").text == "fresh-access")
            }
        }
    }

    @Test(
        "a dead grant is replaced where that is wanted",
        arguments: [
            (.never, .nameTaken), (.ifSignInNeeded, nil),
            (.always, nil),
        ] as [(ReplacementPolicy, VaultError.Code?)]
    )
    func deadGrant(policy: ReplacementPolicy, code: VaultError.Code?) async throws {
        try await withDeadGrant { scene in
            let error = await vaultError {
                try await scene.vault.add(.testing("work"), Self.fresh, replacing: policy)
            }
            #expect(error?.code == code)
            let state = try await scene.vault.account("work").state
            #expect(state == (code == nil ? .active : .signInNeeded))
        }
    }

    @Test(
        "where there is no account of the name, every policy adds one",
        arguments: [ReplacementPolicy.never, .ifSignInNeeded, .always]
    )
    func newAccount(policy: ReplacementPolicy) async throws {
        try await withScene { scene in
            _ = try await scene.vault.add(.testing("work"), Self.fresh, replacing: policy)
            #expect(try await scene.vault.accessToken(for: "work").text == "fresh-access")
        }
    }

    @Test("only a dead grant is removed by who asks for that")
    func removal() async throws {
        try await withDeadGrant { scene in
            try await scene.add("alive")
            let events = scene.vault.events
            let error = await vaultError {
                try await scene.vault.remove("alive", only: .ifSignInNeeded)
            }
            #expect(error?.code == .grantAlive)
            #expect(error?.isTransient == false)
            #expect(try await scene.vault.accessToken(for: "alive").text == "alive-access-1")
            try await scene.vault.remove("work", only: .ifSignInNeeded)
            let gone = await vaultError {
                try await scene.vault.remove("work", only: .ifSignInNeeded)
            }
            #expect(gone?.code == .noSuchAccount)
            #expect(try await scene.vault.accounts().map(\.name) == ["alive"])
            #expect(await everything(of: events, closing: scene.vault) == [.removed])
        }
    }

    @Test("a sign-in between the decision and the removal wins")
    func signInBeforeRemoval() async throws {
        try await withDeadGrant { scene in
            // What the program that reacts has seen.
            #expect(try await scene.vault.account("work").state == .signInNeeded)
            let elsewhere = try await scene.openAgain()
            _ = try await elsewhere.signIn(.testing("work"), Self.fresh, sent: scene.clock.now())
            let error = await vaultError {
                try await scene.vault.remove("work", only: .ifSignInNeeded)
            }
            #expect(error?.code == .grantAlive)
            #expect(try scene.stored().refreshText == "fresh-refresh")
        }
    }

    @Test("of a removal and a sign-in at the same time the sign-in always stays")
    func race() async throws {
        try await withScene { scene in
            let elsewhere = try await scene.openAgain()
            for round in 1...20 {
                let name = try #require(AccountName("work-\(round)"))
                try await scene.addDead(name)
                let tokens = TokenResponse.testing(
                    accessToken: "new",
                    refreshToken: "new-\(round)"
                )
                let sent = scene.clock.now()
                async let signedIn = elsewhere.signIn(.testing(name), tokens, sent: sent)
                async let removed = vaultError {
                    try await scene.vault.remove(name, only: .ifSignInNeeded)
                }
                let (account, error) = (try await signedIn, await removed)
                #expect(error == nil || error?.code == .grantAlive)
                #expect(account.state == .active)
                #expect(try scene.stored(name).refreshText == "new-\(round)")
            }
        }
    }

    @Test("of two sign-ins that react to one dead grant the first stays")
    func twoSignIns() async throws {
        try await withDeadGrant { scene in
            let elsewhere = try await scene.openAgain()
            _ = try await elsewhere.add(
                .testing("work"),
                Self.fresh,
                replacing: .ifSignInNeeded
            )
            let late = TokenResponse.testing(accessToken: "late", refreshToken: "late-refresh")
            let error = await vaultError {
                try await scene.vault.add(.testing("work"), late, replacing: .ifSignInNeeded)
            }
            #expect(error?.code == .grantAlive)
            #expect(try await scene.vault.accessToken(for: "work").text == "fresh-access")
        }
    }

    @Test(
        "a grant without a refresh token is dead once its token is, and that only if somebody said when",
        arguments: [
            (3600, 3539, .grantAlive), (3600, 3541, nil), (nil, 3541, .grantAlive),
            (nil, 1e8, .grantAlive),
        ] as [(Double?, Double, VaultError.Code?)]
    )
    func withoutRefreshToken(lifetime: Double?, age: Double, code: VaultError.Code?) async throws {
        try await withScene { scene in
            let tokens = TokenResponse.testing(accessToken: "only", lifetime: lifetime)
            for name in ["work", "home"] as [AccountName] {
                _ = try await scene.vault.add(.testing(name), tokens)
            }
            scene.clock.advance(by: age)
            let vault = scene.vault
            let policy = ReplacementPolicy.ifSignInNeeded
            let errors = [
                await vaultError {
                    try await vault.add(.testing("work"), Self.fresh, replacing: policy)
                },
                await vaultError { try await vault.remove("home", only: .ifSignInNeeded) },
            ]
            #expect(errors.map(\.?.code) == [code, code])
        }
    }

    @Test(
        "no other trouble is a dead grant",
        arguments: [AccountState.clientRefused, .backingOff, .outcomeUnknown, .signInNeeded]
    )
    func otherTrouble(state: AccountState) async throws {
        try await withScene { scene in
            try await scene.add()
            // Whatever the column says.
            let health = StoredAccount.Health(state: state, due: scene.clock.now().wall)
            try await scene.vault.store.postpone(
                scene.stored(),
                as: health,
                at: scene.clock.now().wall
            )
            let error = await vaultError {
                try await scene.vault.remove("work", only: .ifSignInNeeded)
            }
            #expect(error?.code == .grantAlive)
        }
    }

    @Test("a paused or doubtful account is none that needs a sign-in")
    func held() async throws {
        try await withScene { scene in
            for reason in [VaultStore.Hold.Reason.moved, .restored] {
                let name: AccountName = reason == .moved ? "moved" : "restored"
                try await scene.add(name)
                try await scene.change(name) { tokens in
                    tokens.hold = VaultStore.Hold(reason: reason, since: scene.clock.now().wall)
                }
                let error = await vaultError {
                    try await scene.vault.remove(name, only: .ifSignInNeeded)
                }
                #expect(error?.code == .grantAlive)
            }
        }
    }

    @Test("where nobody can tell, nothing is removed but in any case")
    func damaged() async throws {
        try await withScene { scene in
            try await scene.addDead("work")
            try Saboteur(scene.home.location).spoilTokens(of: "work")
            let errors = [
                await vaultError { try await scene.vault.remove("work", only: .ifSignInNeeded) },
                await vaultError {
                    try await scene.vault.add(
                        .testing("work"),
                        Self.fresh,
                        replacing: .ifSignInNeeded
                    )
                },
            ]
            #expect(errors.map(\.?.code) == [.tampered, .tampered])
            #expect(try await scene.vault.damagedAccounts() == ["work"])
            try await scene.vault.remove("work")
            #expect(try await scene.vault.damagedAccounts() == [])
        }
    }

    @Test(
        "a refresh parameter that the protocol itself has is not stored",
        arguments: [
            ("refresh_parameters", RefreshOptions(parameters: [RequestParameter("code", "x")])),
            ("refresh_parameters", RefreshOptions(parameters: [RequestParameter("", "x")])),
            (
                "refresh_parameters",
                RefreshOptions(parameters: [RequestParameter("Refresh_Token", "x")])
            ),
            ("provider", RefreshOptions(provider: "no-such-provider")),
        ]
    )
    func reserved(field: String, refresh: RefreshOptions) async throws {
        try await withScene { scene in
            var registration = AccountRegistration.testing("work")
            registration.refresh = refresh
            for policy in [ReplacementPolicy.never, .always] {
                let error = await vaultError {
                    try await scene.vault.add(registration, Self.fresh, replacing: policy)
                }
                #expect(error?.code == .invalidInput)
                #expect(error?.account == "work")
                #expect(error?.facts[.field] == field)
            }
            let accounts = try await scene.vault.accounts()
            #expect(accounts == [])
        }
    }
}

extension Scene {
    /// Gives an account other tokens, as its next generation.
    fileprivate func change(
        _ name: AccountName,
        _ change: (inout TokenSet) -> Void
    ) async throws {
        let account = try stored(name)
        var tokens = account.tokens
        change(&tokens)
        let new = NewAccount(
            settings: account.settings,
            tokens: tokens,
            health: account.health,
            expiry: nil
        )
        _ = try await vault.store.replace(account, with: new)
    }

    /// Adds an account that needs a new sign-in.
    fileprivate func addDead(_ name: AccountName) async throws {
        try await add(name)
        let now = clock.now().wall
        try await change(name) { $0.signInNeeded = SignInNeeded(reason: .grantRefused, since: now) }
    }
}
