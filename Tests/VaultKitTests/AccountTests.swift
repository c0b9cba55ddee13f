import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit

@Suite(.timeLimit(.minutes(1))) struct AccountTests {
    @Test("the first account becomes the current one, and removing it leaves none")
    func currentAccount() async throws {
        try await withScene { scene in
            #expect(try await scene.vault.accounts().isEmpty)
            #expect(try await scene.vault.currentAccount() == nil)
            try await scene.add("a")
            try await scene.add("b")
            #expect(try await scene.vault.currentAccount() == "a")
            try await scene.vault.switchAccount(to: "b")
            try await scene.vault.switchAccount(to: "b")
            #expect(try await scene.vault.accounts().map(\.isCurrent) == [false, true])
            try await scene.vault.remove("b")
            #expect(try await scene.vault.currentAccount() == nil)
        }
    }

    @Test("E02, cli E14: each account has its own tokens, and a name that is taken stays so")
    func ownTokens() async throws {
        try await withScene { scene in
            try await scene.add("a")
            try await scene.add("b")
            #expect(try await scene.vault.accessToken(for: "a").text == "a-access-1")
            #expect(try await scene.vault.accessToken(for: "b").text == "b-access-1")
            let taken = await vaultError {
                try await scene.vault.add(.testing("a"), .testing(accessToken: "x"))
            }
            #expect(taken?.code == .nameTaken)
            #expect(try scene.stored("a").accessText == "a-access-1")
        }
    }

    @Test("K09: one grant cannot be added twice")
    func grantKnown() async throws {
        try await withScene { scene in
            try await scene.add("a")
            let copy = TokenResponse.testing(accessToken: "x", refreshToken: "a-refresh-1")
            let error = await vaultError { try await scene.vault.add(.testing("b"), copy) }
            #expect(error?.code == .grantKnown)
            #expect(error?.facts[.otherAccount] == "a")
        }
    }

    @Test("an unknown name is an error of every call, and never another account")
    func unknownName() async throws {
        try await withScene { scene in
            try await scene.add("a")
            let errors = [
                await vaultError { try await scene.vault.accessToken(for: "b") },
                await vaultError { try await scene.vault.refresh("b") },
                await vaultError { try await scene.vault.account("b") },
                await vaultError { try await scene.vault.remove("b") },
                await vaultError { try await scene.vault.switchAccount(to: "b") },
            ]
            for error in errors {
                #expect(error?.code == .noSuchAccount)
                #expect(error?.account == "b")
            }
        }
    }

    @Test("every account is listed, by name, however many there are")
    func listing() async throws {
        try await withScene { scene in
            let names = try (1...300).map { try #require(AccountName("account\($0)")) }
            for name in names {
                let tokens = TokenResponse.testing(accessToken: "\(name)")
                _ = try await scene.vault.add(.testing(name), tokens)
            }
            #expect(try await scene.vault.accounts().map(\.name) == names.sorted())
        }
    }

    @Test("what is shown of an account")
    func shown() async throws {
        try await withScene { scene in
            try await scene.add()
            let account = try await scene.vault.account("work")
            let now = scene.clock.now().wall
            #expect(account.state == .active)
            #expect(account.isCurrent)
            #expect(account.expiry == now.addingTimeInterval(3600))
            #expect(account.generation == 1)
            #expect(account.failureCount == 0)
            #expect(account.lastFailure == nil)
            let due = try #require(account.due).timeIntervalSince(now)
            #expect((1439...3240).contains(due))
        }
    }

    @Test("D05: after a reboot lifetimes go by the wall clock")
    func reboot() async throws {
        let server = RotatingServer()
        try await withScene(server.transport()) { scene in
            try await scene.add()
            scene.clock.reboot(off: 600)
            let token = try await scene.vault.accessToken(for: "work")
            #expect(token.generation == 1)
            #expect(token.expiry == scene.clock.now().wall.addingTimeInterval(3000))
            scene.clock.reboot(off: 3000)
            #expect(try await scene.vault.accessToken(for: "work").generation == 2)
        }
    }

    @Test("E6, E7: setting the wall clock refreshes nothing and shows the expiry moved along")
    func wallStep() async throws {
        try await withScene { scene in
            try await scene.add()
            for step in [7200.0, -14_400] {
                scene.clock.stepWall(by: step)
                let token = try await scene.vault.accessToken(for: "work")
                #expect(token.generation == 1)
                let shown = try await scene.vault.account("work").expiry
                #expect(shown == scene.clock.now().wall.addingTimeInterval(3600))
            }
        }
    }

    @Test("nothing of a token, an error or an event prints a secret")
    func printsNoSecret() async throws {
        let transport = ScriptedTransport(.refusal("invalid_grant", description: "x"))
        try await withScene(transport) { scene in
            try await scene.add()
            let token = try await scene.vault.accessToken(for: "work")
            let error = await vaultError { try await scene.vault.refresh("work") }
            var text = "\(token) \(String(reflecting: token)) \(String(describing: error)) "
            dump(token, to: &text)
            dump(error, to: &text)
            dump(transport.requests, to: &text)
            text += "\(transport.requests) \(String(reflecting: try scene.stored()))"
            #expect(!text.contains("work-access"))
            #expect(!text.contains("work-refresh"))
        }
    }

    @Test("every listener gets each event")
    func listeners() async throws {
        try await withScene { scene in
            let first = scene.vault.events
            let second = scene.vault.events
            try await scene.add()
            try await scene.vault.remove("work")
            let expected: [VaultEvent.Kind] = [.signedIn(generation: 1), .removed]
            #expect(await everything(of: first, closing: scene.vault) == expected)
            #expect(await everything(of: second, closing: scene.vault) == expected)
        }
    }
}
