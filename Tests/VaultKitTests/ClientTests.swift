import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// The clients of accounts: how they fare, and how one is mended.
@Suite(.timeLimit(.minutes(1))) struct ClientTests {
    private static let id = ClientID(rawValue: "client")
    private static let names: [AccountName] = ["a", "b", "c"]

    @Test("cli B06: a mended client mends all of its accounts at once")
    func mending() async throws {
        let server = RotatingServer()
        let isRight: @Sendable (SentRequest) -> Bool = {
            $0.parameter("client_secret") == Secret("right")
        }
        let transport = ScriptedTransport { request in
            isRight(request)
                ? server.answer(to: request) : .refusal("invalid_client", status: 401)
        }
        try await withScene(transport) { scene in
            for name in Self.names { try await scene.addConfidential(name, secret: "wrong") }
            scene.clock.advance(by: 3601)
            let began = scene.clock.now().wall
            for name in Self.names {
                let error = await vaultError { try await scene.vault.accessToken(for: name) }
                #expect(error?.code == .clientRefused)
            }
            var client = try #require(try await scene.vault.clients().first)
            #expect(client.state == .refused && client.accountCount == 3)
            #expect(client.since.map { abs($0.timeIntervalSince(began)) <= 1 } == true)
            #expect(client.nextTry.map { $0 > began } == true)
            #expect(client.authentication == .clientSecretPost && !client.hasOtherSecret)

            let names = try await scene.vault.setSecret(of: Self.id, to: Secret("right"))
            #expect(names == Self.names)
            client = try #require(try await scene.vault.clients().first)
            #expect(client.state == .ok && client.since == nil && client.nextTry == nil)
            for name in Self.names {
                let token = try await scene.vault.accessToken(for: name)
                #expect(token.text == "\(name)-access-2" && token.warning == nil)
            }
            #expect(transport.requestCount == 6)
        }
    }

    @Test("an unknown client and one without a secret are errors")
    func wrongInput() async throws {
        try await withScene { scene in
            try await scene.addConfidential("a", secret: "old")
            let vault = scene.vault
            let before = try scene.stored("a")
            let unknown = await vaultError {
                try await vault.setSecret(of: ClientID(rawValue: "clint"), to: Secret("x"))
            }
            #expect(unknown?.code == .noSuchClient)
            for error in [
                await vaultError { try await vault.setSecret(of: Self.id, to: Secret("")) },
                await vaultError {
                    try await vault.setSecret(
                        of: Self.id,
                        to: Secret("x"),
                        authentication: ClientAuthentication.none
                    )
                },
            ] {
                #expect(error?.code == .invalidInput)
                #expect(error?.facts == [.field: "client_secret"])
            }
            #expect(try scene.stored("a") == before)
        }
    }

    @Test("cli A21: a secret that is set while the old one is refused is the one that is sent next")
    func setDuringARefresh() async throws {
        let hold = Hold()
        let transport = ScriptedTransport { request in
            request.parameter("client_secret") == Secret("right")
                ? .grant(accessToken: "second", refreshToken: "refresh-2")
                : .refusal("invalid_client", status: 401).held(by: hold)
        }
        try await withScene(transport) { scene in
            try await scene.addConfidential("a", secret: "wrong")
            scene.clock.advance(by: 3601)
            let caller = Task { await vaultError { try await scene.vault.accessToken(for: "a") } }
            try await hold.waitForArrivals()
            try await scene.vault.setSecret(of: Self.id, to: Secret("right"))
            hold.release()
            #expect(await caller.value?.code == .clientRefused)
            #expect(try await scene.vault.accessToken(for: "a").text == "second")
            #expect(transport.requestCount == 2)
        }
    }

    // MARK: - What is shown

    private func account(
        _ name: AccountName,
        _ change: (inout StoredAccount) -> Void = { _ in }
    ) -> StoredAccount {
        var account = StoredAccount.fixture()
        account.settings.name = name
        change(&account)
        return account
    }

    private func overview(
        _ accounts: [StoredAccount],
        _ state: ClientState = ClientState()
    ) throws -> [ClientOverview] {
        try ClientOverview.all(
            at: .fixed,
            page: { _ in AccountPage(accounts: accounts) },
            state: { _ in state }
        ).clients
    }

    private func state(_ change: (inout ClientState) -> Void) -> ClientState {
        var state = ClientState()
        change(&state)
        return state
    }

    @Test func howItFares() throws {
        let now = Moment.fixed.wall
        let soon = now.addingTimeInterval(60)
        let rows: [(ClientState, ClientOverview.State)] = [
            (ClientState(), .ok),
            (state { $0.pausedUntil = soon }, .paused),
            (state { $0.pausedUntil = now.addingTimeInterval(-1) }, .ok),
            (state { $0.pausedUntil = now.addingTimeInterval(1e6) }, .ok),
            (state { $0.refused = [.fixture] }, .refused),
            (state { $0.open(.clientRefused, .fixture, at: now) }, .refused),
            (state { $0.open(.massRefusal, .fixture, at: now) }, .doubted),
            (
                state {
                    $0.open(.clientRefused, .fixture, at: now)
                    $0.pausedUntil = soon
                }, .refused
            ),
        ]
        for (state, expected) in rows {
            let client = try #require(try overview([account("a")], state).first)
            #expect(client.state == expected, "\(state)")
            #expect(client.since == state.breaker?.since)
            #expect(client.nextTry == state.breaker?.nextTry)
            #expect((client.pausedUntil == soon) == (state.pausedUntil == soon))
        }
    }

    @Test func whatIsKnownOfItsRotation() throws {
        let strict = state { $0.retries.refused = 3 }
        let told = account("a") { $0.settings.refresh.rotation = .overlap }
        let unsure = account("a") { $0.settings.refresh.rotation = .unknown }
        let kept = account("b") { $0.tokens.timesKept = TokenSet.keptCounted }
        let rows: [([StoredAccount], ClientState, ClientOverview.Rotation)] = [
            ([account("a")], ClientState(), .unknown), ([unsure], ClientState(), .unknown),
            ([account("a")], strict, .learned(.strict)), ([told], strict, .told(.overlap)),
            ([kept], strict, .learned(.none)), ([told, kept], ClientState(), .unknown),
        ]
        for (accounts, state, expected) in rows {
            #expect(try overview(accounts, state).map(\.rotation) == [expected])
        }
    }

    @Test("one identifier at two servers is two clients, in the order of their names")
    func order() throws {
        let accounts = [
            account("a") { $0.settings.client = Client(id: ClientID(rawValue: "z")) },
            account("b") {
                $0.settings.client = Client(
                    id: Self.id,
                    secret: Secret("s"),
                    authentication: .clientSecretBasic
                )
                $0.settings.otherSecret = Secret("t")
            },
            account("c") {
                $0.settings.tokenEndpoint = EndpointURL(unchecked: "https://b.example/token")
            },
            account("d"),
        ]
        let clients = try overview(accounts)
        #expect(clients.map(\.id.rawValue) == ["client", "client", "z"])
        #expect(
            clients.map(\.tokenEndpoint.string) == [
                "https://as.example/token", "https://b.example/token", "https://as.example/token",
            ]
        )
        #expect(clients.map(\.accountCount) == [2, 1, 1])
        // A public and a confidential account of one client do not agree.
        #expect(clients.map { $0.authentication?.rawValue } == [nil, "none", "none"])
        #expect(clients.map(\.hasOtherSecret) == [true, false, false])
        #expect(clients.allSatisfy { !"\($0)".contains("\"s\"") })
    }

    @Test func anAccountThatDoesNotOpenIsNamed() async throws {
        try await withScene { scene in
            try await scene.add("a")
            try await scene.add("b")
            try Saboteur(scene.home.location).spoilTokens(of: "b")
            let (clients, damaged) = try await scene.vault.allClients()
            #expect(clients.map(\.accountCount) == [1] && damaged == ["b"])
        }
    }
}
