import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@testable import VaultStore

/// A client's new secret: in all of its accounts or in none, and in no other.
@Suite struct ClientMendingTests {
    private static let elsewhere = "https://other.example/token"

    private func new(
        at endpoint: String? = nil,
        _ authentication: ClientAuthentication? = nil,
        keepsOld: Bool = false
    ) -> NewClientSecret {
        NewClientSecret(
            client: Fixture.client.id,
            tokenEndpoint: endpoint.map { EndpointURL(unchecked: $0) },
            secret: Secret("new"),
            authentication: authentication,
            keepsOld: keepsOld
        )
    }

    /// Two accounts of the client, one of its namesake elsewhere, one of another client.
    private func withAccounts(_ body: (VaultFile) throws -> Void) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("b", of: Fixture.client))
            _ = try file.insert(Fixture.account("a", of: Fixture.client))
            _ = try file.insert(Fixture.account("c", of: Fixture.client, at: Self.elsewhere))
            _ = try file.insert(Fixture.account("d"))
            try body(file)
        }
    }

    private func all(_ file: VaultFile) throws -> [StoredAccount] {
        try file.accounts(after: nil, limit: 10)
    }

    @Test(arguments: [true, false])
    func everyAccountOfTheClientHasItAndNoOther(keepsOld: Bool) async throws {
        try await withAccounts { file in
            let before = try all(file)
            let mended = new(at: "https://issuer.example/token", keepsOld: keepsOld)
            #expect(try file.setSecret(mended, at: Fixture.now) == ["a", "b"])
            let after = try all(file)
            for (old, new) in zip(before, after).prefix(2) {
                var expected = old
                expected.revision += 1
                expected.settings.client = Client(
                    id: Fixture.client.id,
                    secret: Secret("new"),
                    authentication: .clientSecretPost
                )
                expected.settings.otherSecret = keepsOld ? Secret("old") : nil
                #expect(new == expected)
            }
            #expect(after.suffix(2) == before.suffix(2))
        }
    }

    @Test(
        "the way to authenticate is the one that is told, else the one before",
        arguments: [
            (ClientAuthentication.none, nil, ClientAuthentication.clientSecretBasic),
            (.none, .clientSecretPost, .clientSecretPost),
            (.clientSecretBasic, .clientSecretPost, .clientSecretPost),
            (.clientSecretPost, nil, .clientSecretPost),
        ] as [(ClientAuthentication, ClientAuthentication?, ClientAuthentication)]
    )
    func authentication(
        before: ClientAuthentication,
        told: ClientAuthentication?,
        after: ClientAuthentication
    ) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let client = Client(
                id: Fixture.client.id,
                secret: before == .none ? nil : Secret("old"),
                authentication: before
            )
            _ = try file.insert(Fixture.account("a", of: client))
            _ = try file.setSecret(new(told), at: Fixture.now)
            #expect(try file.account(named: "a").settings.client.authentication == after)
        }
    }

    private func new(_ authentication: ClientAuthentication?) -> NewClientSecret {
        new(at: nil, authentication)
    }

    @Test func whoIsNotKnownOrNotClearChangesNothing() async throws {
        try await withAccounts { file in
            let before = try all(file)
            let endpoints = ["https://issuer.example/token", Self.elsewhere]
            #expect(throws: StoreError.ambiguousClient(endpoints)) {
                try file.setSecret(new(), at: Fixture.now)
            }
            #expect(throws: StoreError.noSuchClient) {
                try file.setSecret(new(at: "https://nobody.example/token"), at: Fixture.now)
            }
            let unknown = NewClientSecret(client: ClientID(rawValue: "Shared"), secret: Secret("x"))
            #expect(throws: StoreError.noSuchClient) {
                try file.setSecret(unknown, at: Fixture.now)
            }
            #expect(try all(file) == before)
        }
    }

    private func refuse(
        _ name: AccountName,
        _ file: VaultFile,
        _ signInNeeded: SignInNeeded? = nil,
        outcomeIsUnknown: Bool = false
    ) throws {
        let failures = StoredAccount.Failures(
            count: 4,
            last: signInNeeded == nil ? "client_refused" : "sign_in_needed",
            at: Fixture.now
        )
        try file.abandon(
            file.claim(name),
            as: Abandonment(
                health: StoredAccount.Health(
                    state: signInNeeded == nil ? .clientRefused : .signInNeeded,
                    due: Fixture.now.addingTimeInterval(300),
                    failures: failures
                ),
                outcomeIsUnknown: outcomeIsUnknown,
                signInNeeded: signInNeeded,
                effect: .refused
            )
        )
    }

    @Test func whoWaitedForItIsDueAtOnceAndNobodyElse() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            for name in ["dead", "lost", "waits", "well"] as [AccountName] {
                _ = try file.insert(Fixture.account(name, of: Fixture.client))
            }
            try refuse("waits", file)
            try refuse("lost", file, outcomeIsUnknown: true)
            try refuse("dead", file, SignInNeeded(reason: .grantRefused, since: Fixture.now))
            let (dead, well) = (
                try file.account(named: "dead"), try file.account(named: "well")
            )
            let later = Fixture.now.addingTimeInterval(60)
            #expect(try file.clientState(of: well.settings).breaker?.reason == .clientRefused)
            #expect(try file.setSecret(new(), at: later).count == 4)
            let waits = try file.account(named: "waits")
            #expect(waits.health.state == .active && waits.health.failures == nil)
            #expect(waits.health.due.map { $0 <= later.addingTimeInterval(1) } == true)
            let lost = try file.account(named: "lost")
            #expect(lost.health.state == .outcomeUnknown && lost.intent != nil)
            #expect(lost.health.due.map { $0 <= later.addingTimeInterval(1) } == true)
            let still = try file.account(named: "dead")
            #expect(still.health == dead.health && still.tokens == dead.tokens)
            #expect(try file.account(named: "well").health == well.health)
            let client = try file.clientState(of: well.settings)
            #expect(client.breaker == nil && client.refused.isEmpty)
        }
    }

    @Test func aHostThatWantsPeaceAndAServerThatIsDoubtedStaySo() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let account = try file.insert(Fixture.account("a", of: Fixture.client))
            let hashes = ClientHashes(account.settings, try file.currentKeyring())
            let until = Fixture.now.addingTimeInterval(900)
            try file.write {
                try file.update(hashes, at: Fixture.now) { state in
                    state.open(.massRefusal, account.id, at: Fixture.now)
                    state.pausedUntil = until
                }
            }
            _ = try file.setSecret(new(), at: Fixture.now)
            let client = try file.clientState(of: account.settings)
            #expect(client.breaker?.reason == .massRefusal && client.pausedUntil == until)
        }
    }

    @Test("every place that the client's refreshes go to has its breaker closed")
    func otherRefreshEndpoints() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            var other = Fixture.account("b", of: Fixture.client)
            other.settings.refresh.endpoint = EndpointURL(unchecked: Self.elsewhere)
            let accounts = [
                try file.insert(Fixture.account("a", of: Fixture.client)), try file.insert(other),
            ]
            for account in accounts {
                let hashes = ClientHashes(account.settings, try file.currentKeyring())
                try file.write {
                    try file.update(hashes, at: Fixture.now) {
                        $0.open(.clientRefused, account.id, at: Fixture.now)
                    }
                }
            }
            _ = try file.setSecret(new(), at: Fixture.now)
            for account in accounts {
                #expect(try file.clientState(of: account.settings).breaker == nil)
            }
        }
    }

    @Test("cli A21: a secret that is set during a refresh survives it, and the pair is installed")
    func setDuringARefresh() async throws {
        try await withTemporaryVault { vault in
            let (one, two) = (try vault.openStore(), try vault.openStore())
            _ = try await one.insert(Fixture.account("a", of: Fixture.client))
            let claim = try await one.claim("a")
            let mended = new(at: nil, .clientSecretBasic, keepsOld: true)
            #expect(try await two.setSecret(mended, at: Fixture.now) == ["a"])
            let set = try two.account(named: "a")
            #expect(set.intent != nil)
            let pair = Fixture.pair("next")
            #expect(try await one.install(pair, for: claim) == .installed(generation: 2))
            let after = try two.account(named: "a")
            #expect(after.settings == set.settings && after.tokens == pair.tokens)
            #expect(after.settings.client.secret == Secret("new"))
            #expect(after.settings.otherSecret == Secret("old"))
        }
    }

    /// How a refresh may end that was sent with the secret of before.
    enum OldEnd: CaseIterable { case refused, swaps, withdrawn }

    @Test(
        "cli A21: how a refresh with the old secret ends says nothing of the new one",
        arguments: OldEnd.allCases
    )
    func endsDuringTheChange(how: OldEnd) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("a", of: Fixture.client))
            try refuse("a", file)
            let before = try file.account(named: "a").health
            let claim = try file.claim("a")
            _ = try file.setSecret(new(at: nil, keepsOld: true), at: Fixture.now)
            let set = try file.account(named: "a")
            #expect(set.health.state == .outcomeUnknown && set.health.due == Fixture.now)
            var end = Abandonment(
                health: before,
                outcomeIsUnknown: false,
                effect: how == .refused ? .refused : nil,
                at: Fixture.now
            )
            end.swapsSecret = how == .swaps
            end.keepsHealth = how == .withdrawn
            try file.abandon(claim, as: end)
            var expected = set
            expected.intent = nil
            expected.health.state = .active
            #expect(try file.account(named: "a") == expected)
            #expect(expected.settings.client.secret == Secret("new"))
            #expect(expected.settings.otherSecret == Secret("old"))
            #expect(try file.clientState(of: set.settings).refused.isEmpty)
        }
    }

    @Test("the secret it has already, given once more, leaves the old one in its place")
    func sameSecretTwice() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("a", of: Fixture.client))
            var secrets: [[Secret?]] = []
            func set(_ secret: String, keepsOld: Bool = true) throws {
                let new = NewClientSecret(
                    client: Fixture.client.id,
                    secret: Secret(secret),
                    keepsOld: keepsOld
                )
                _ = try file.setSecret(new, at: Fixture.now)
                let settings = try vault.open().account(named: "a").settings
                secrets.append([settings.client.secret, settings.otherSecret])
            }
            try set("old")
            try set("new")
            try set("new")
            try set("old")
            try set("old", keepsOld: false)
            #expect(
                secrets == [
                    [Secret("old"), nil], [Secret("new"), Secret("old")],
                    [Secret("new"), Secret("old")], [Secret("old"), Secret("new")],
                    [Secret("old"), nil],
                ]
            )
        }
    }
}
