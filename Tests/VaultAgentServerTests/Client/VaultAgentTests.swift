import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultAgentClient
import VaultCrypto
import VaultKit
import VaultStore
import VaultTesting

@testable import VaultAgentServer

/// What a program without keys gets from the agent is what it would get from the vault.
@Suite(.timeLimit(.minutes(1))) struct VaultAgentTests {
    @Test func aTokenIsTheVaultsOwn() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work", scope: Scope(["a", "b"]))
            let token = try await agent.client.accessToken(for: "work")
            #expect(try await token == agent.vault.accessToken(for: "work"))
            #expect(token.text == "work-1" && token.generation == 1 && token.warning == nil)
            #expect(token.grantedScope == Scope(["a", "b"]) && token.expiry != nil)
            #expect(agent.server.exchanges.isEmpty)
        }
    }

    @Test func aRejectedGenerationIsReplacedOnce() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.grantNext("work-2")
            async let first = agent.client.accessToken(for: "work", newerThan: 1)
            async let second = agent.client.accessToken(for: "work", newerThan: 1)
            #expect(try await [first, second].map(\.text) == ["work-2", "work-2"])
            let late = try await agent.client.accessToken(for: "work", newerThan: 1)
            #expect(late.generation == 2)
            #expect(agent.server.exchanges.count == 1)
        }
    }

    @Test func aTokenIsForWhatWasAsked() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.grantNext("narrow", scope: "a")
            let token = try await agent.client.accessToken(
                for: "work",
                scope: Scope(["a"]),
                resource: "https://api.example/x?y=z"
            )
            #expect(token.text == "narrow" && token.grantedScope == Scope(["a"]))
            let body = agent.server.exchanges.first ?? ""
            #expect(body.contains("scope=a"), "\(body)")
            #expect(body.contains("resource=https%3A%2F%2Fapi.example%2Fx%3Fy%3Dz"), "\(body)")
        }
    }

    @Test("a lifetime that no token has is refused", arguments: [7200, .infinity])
    func lifetime(seconds: Double) async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.grantNext("work-2")
            let error = await vaultError {
                try await agent.client.accessToken(for: "work", minimumLifetime: seconds)
            }
            #expect(error == VaultError(.lifetimeTooShort) && error?.account == "work")
            let token = try await agent.client.accessToken(for: "work", minimumLifetime: -1)
            #expect(token.text == "work-2")
        }
    }

    @Test func whatIsNoNumberIsRefusedBeforeAnythingIsAsked() async throws {
        try await ServedAgent.use { agent in
            for (lifetime, deadline, field) in [
                (.nan, 1, "minimum_lifetime"), (1, .nan, "deadline"),
            ] as [(Double, Double, String)] {
                let error = await vaultError {
                    try await agent.client.accessToken(
                        for: "nobody",
                        minimumLifetime: lifetime,
                        deadline: deadline
                    )
                }
                #expect(error == VaultError(.invalidInput) && error?.account == "nobody")
                #expect(error?.facts == [.field: field])
            }
            let error = await vaultError {
                try await agent.client.refresh("nobody", deadline: .nan)
            }
            #expect(error == VaultError(.invalidInput) && error?.facts == [.field: "deadline"])
        }
    }

    @Test func aTokenOfADeadGrantComesWithItsWarning() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.server.answerNext(400, #"{"error":"invalid_grant"}"#)
            let refused = await vaultError { try await agent.client.refresh("work") }
            #expect(refused == VaultError(.signInNeeded) && refused?.account == "work")
            #expect(refused?.facts[.error] == "invalid_grant")
            let token = try await agent.client.accessToken(for: "work")
            #expect(token.text == "work-1" && token.warning == .signInNeeded)
        }
    }

    @Test func aRefreshGivesTheNewToken() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.grantNext("work-2")
            #expect(try await agent.client.refresh("work").text == "work-2")
            agent.server.answerNext(400, #"{"error":"invalid_grant"}"#)
            _ = await vaultError { try await agent.client.refresh("work") }
            #expect(agent.server.exchanges.count == 2)
            // Known to be refused, it is sent only when somebody insists.
            #expect(await vaultError { try await agent.client.refresh("work") } != nil)
            #expect(agent.server.exchanges.count == 2)
            agent.grantNext("work-3")
            #expect(try await agent.client.refresh("work", isForced: true).text == "work-3")
        }
    }

    @Test func aDeadlineEndsTheWaitAndTheRefreshGoesOn() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            agent.server.gate.shut()
            agent.grantNext("work-2")
            let error = await vaultError {
                try await agent.client.accessToken(for: "work", newerThan: 1, deadline: 0)
            }
            #expect(error == VaultError(.busy) && error?.facts[.reason] == "deadline")
            agent.server.gate.open()
            let token = try await agent.client.accessToken(for: "work", newerThan: 1)
            #expect(token.text == "work-2")
            #expect(agent.server.exchanges.count == 1)
        }
    }

    @Test func accountsAreTheVaultsOwn() async throws {
        try await ServedAgent.use { agent in
            #expect(try await agent.client.accounts().isEmpty)
            #expect(try await agent.client.currentAccount() == nil)
            for name in ["home", "work", "current"] as [AccountName] { try await agent.add(name) }
            agent.server.answerNext(429, "")
            _ = await vaultError { try await agent.client.refresh("work") }

            let accounts = try await agent.client.accounts()
            #expect(try await json(accounts) == json(agent.vault.accounts()))
            #expect(accounts.map(\.name) == ["current", "home", "work"])
            #expect(accounts.last?.failureCount == 1 && accounts.last?.lastFailure != nil)
            let work = try await agent.client.account("work")
            #expect(try await json([work]) == json([agent.vault.account("work")]))
            #expect(try await agent.client.damagedAccounts() == [])
        }
    }

    @Test("accounts are found by their tags, as in an open vault")
    func finding() async throws {
        try await ServedAgent.use { agent in
            for name in ["b", "a", "c"] as [AccountName] { try await agent.add(name) }
            try await agent.vault.setTags(["x & y=z", "ü"], of: "b")
            try await agent.vault.setTags(["x & y=z"], of: "a")
            for tags in [["x & y=z"], ["x & y=z", "ü"], ["x"]] as [Set<AccountTag>] {
                let found = try await agent.client.find(tags)
                #expect(try await json(found) == json(agent.vault.find(tags)))
            }
            #expect(try await agent.client.find(["x & y=z"]).map(\.name) == ["a", "b"])
            let error = await vaultError { try await agent.client.find([]) }
            #expect(error == VaultError(.invalidInput) && error?.facts == [.field: "tags"])
            // No request is made that is too long for the agent to read.
            for count in [33, 2000] {
                let tags = Set((1...count).compactMap { AccountTag("\($0)") })
                let many = await vaultError { try await agent.client.find(tags) }
                #expect(many?.code == .invalidInput)
                #expect(many?.facts == [.field: "tags", .wanted: "at most 32"])
            }
        }
    }

    @Test func anAccountIsMadeTheCurrentOne() async throws {
        try await ServedAgent.use { agent in
            for name in ["home", "current"] as [AccountName] { try await agent.add(name) }
            #expect(try await agent.client.currentAccount() == "home")
            try await agent.client.switchAccount(to: "current")
            #expect(try await agent.client.currentAccount() == "current")
            #expect(try await agent.vault.currentAccount() == "current")
            let error = await vaultError { try await agent.client.switchAccount(to: "no") }
            #expect(error == VaultError(.noSuchAccount))
        }
    }

    @Test func theRenewalOfAnAccountIsChangedAndShown() async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            #expect(try await agent.client.account("work").renewal == .normal)
            try await agent.client.setRenewal(.manual, of: "work")
            #expect(try await agent.client.account("work").renewal == .manual)
            #expect(try await agent.vault.account("work").due == nil)
            let error = await vaultError { try await agent.client.setRenewal(.eager, of: "no") }
            #expect(error == VaultError(.noSuchAccount))
        }
    }

    @Test func clientsAreTheVaultsOwn() async throws {
        try await ServedAgent.use { agent in
            for name in ["home", "work"] as [AccountName] { try await agent.add(name) }
            let clients = try await agent.client.clients()
            #expect(try await clients == agent.vault.clients())
            #expect(clients.first?.accountCount == 2)
        }
    }

    @Test func nobodyOfThisNameIsThere() async throws {
        try await ServedAgent.use { agent in
            for error in [
                await vaultError { try await agent.client.accessToken(for: "no") },
                await vaultError { try await agent.client.account("no") },
                await vaultError { try await agent.client.refresh("no") },
            ] {
                #expect(error == VaultError(.noSuchAccount) && error?.account == "no")
            }
        }
    }

    @Test(
        "what cannot be asked for is refused as the vault does",
        arguments: [
            (["a b"], nil, "scope"), (["ä"], nil, "scope"), (nil, "no URI", "resource"),
            (nil, "", "resource"),
        ] as [([String]?, String?, String)]
    )
    func flaws(names: [String]?, resource: String?, field: String) async throws {
        try await ServedAgent.use { agent in
            try await agent.add("work")
            let scope = names.map { Scope($0) }
            for source in [agent.client, try agent.vault] as [any AccessTokenSource] {
                let error = await vaultError {
                    try await source.accessToken(
                        for: "work",
                        scope: scope,
                        resource: resource,
                        minimumLifetime: nil,
                        newerThan: nil,
                        deadline: 5
                    )
                }
                #expect(error == VaultError(.invalidInput) && error?.account == "work")
                #expect(error?.facts[.field] == field)
            }
        }
    }

    @Test("swift PE-09: a locked agent is locked, and serves the same after it was unlocked")
    func locked() async throws {
        let passphrase = Secret("canary-passphrase")
        let slots = [NewKeySlot.passphrase(passphrase, AgentFixture.cheap)]
        try await ServedAgent.use(slots: slots) { agent in
            let error = await vaultError { try await agent.client.accessToken(for: "work") }
            #expect(error == VaultError(.locked) && error?.account == "work")
            #expect(error?.isTransient == false)
            #expect(await vaultError { try await agent.client.accounts() } == VaultError(.locked))
            let isSignedIn = await vaultError { try await agent.client.currentAccount() }
            #expect(isSignedIn == VaultError(.locked))

            try await agent.fixture.service.vault.unlock(.passphrase(passphrase), lockAfter: nil)
            try await agent.add("work")
            try await agent.fixture.service.vault.lock(because: .asked)
            let again = await vaultError { try await agent.client.accessToken(for: "work") }
            #expect(again == VaultError(.locked))
            try await agent.fixture.service.vault.unlock(.passphrase(passphrase), lockAfter: nil)
            #expect(try await agent.client.accessToken(for: "work").text == "work-1")
        }
    }

    /// Accounts in every detail that goes over the socket: times in whole seconds.
    private func json(_ accounts: [Account]) throws -> [String] {
        try accounts.map {
            String(decoding: try WireJSON.encode(AccountStatusDocument($0)), as: UTF8.self)
        }
    }
}
