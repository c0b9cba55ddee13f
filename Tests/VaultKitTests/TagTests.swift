import OAuth
import Testing
import VaultTesting

@testable import VaultKit

/// Accounts that a program finds by what it knows of them.
@Suite(.timeLimit(.minutes(1))) struct TagTests {
    private static func registration(
        _ name: AccountName,
        _ tags: Set<AccountTag>
    ) -> AccountRegistration {
        var registration = AccountRegistration.testing(name)
        registration.tags = tags
        return registration
    }

    private static func tokens(_ name: String) -> TokenResponse {
        .testing(accessToken: "\(name)-access", refreshToken: "\(name)-refresh")
    }

    @Test("accounts are found by all of the tags asked for, in the order of their names")
    func finding() async throws {
        try await withScene { scene in
            let vault = scene.vault
            for (name, tags) in [("b", ["x", "y"]), ("a", ["x"]), ("c", ["y"])]
                as [(AccountName, Set<AccountTag>)]
            {
                let account = try await vault.add(
                    Self.registration(name, tags),
                    Self.tokens(name.text)
                )
                #expect(account.tags == tags.sorted())
            }
            #expect(try await vault.find(["x"]).map(\.name) == ["a", "b"])
            #expect(try await vault.find(["x", "y"]).map(\.name) == ["b"])
            #expect(try await vault.find(["z"]).isEmpty)
            let found = try await vault.find(["x"])
            #expect(found.map(\.isCurrent) == [false, true])
            #expect(try await vault.account("b") == found[1])
            #expect(try await vault.accounts().map(\.tags) == [["x"], ["x", "y"], ["y"]])
        }
    }

    @Test("asking for no tag is not asking for every account")
    func noTag() async throws {
        try await withScene { scene in
            let error = await vaultError { try await scene.vault.find([]) }
            #expect(error?.code == .invalidInput)
            #expect(error?.facts[.field] == "tags")
        }
    }

    @Test("tags are set in place of those there are, and other processes find by them")
    func setting() async throws {
        try await withScene { scene in
            _ = try await scene.vault.add(Self.registration("work", ["x"]), Self.tokens("work"))
            let elsewhere = try await scene.openAgain()
            #expect(try await elsewhere.setTags(["y", "a"], of: "work").tags == ["a", "y"])
            #expect(try await scene.vault.find(["x"]).isEmpty)
            #expect(try await scene.vault.find(["a"]).map(\.name) == ["work"])
            #expect(try await scene.vault.accessToken(for: "work").text == "work-access")
            #expect(try await scene.vault.setTags([], of: "work").tags == [])
            #expect(try await elsewhere.find(["a"]).isEmpty)
            let error = await vaultError { try await scene.vault.setTags([], of: "nobody") }
            #expect(error?.code == .noSuchAccount)
        }
    }

    @Test("changes at the same time lose none")
    func changesAtOnce() async throws {
        try await withScene { scene in
            try await scene.add()
            let elsewhere = try await scene.openAgain()
            let tags = (1...20).compactMap { AccountTag("\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, tag) in tags.enumerated() {
                    let vault = index.isMultiple(of: 2) ? scene.vault : elsewhere
                    group.addTask { _ = try await vault.changeTags(of: "work") { $0.union([tag]) } }
                }
                try await group.waitForAll()
            }
            #expect(try await scene.vault.account("work").tags == tags.sorted())
        }
    }

    @Test("an account has at most 32")
    func limit() async throws {
        try await withScene { scene in
            let tags = Set((1...33).compactMap { AccountTag("\($0)") })
            try await scene.add()
            let errors = [
                await vaultError { try await scene.vault.setTags(tags, of: "work") },
                await vaultError {
                    try await scene.vault.add(Self.registration("b", tags), Self.tokens("b"))
                },
            ]
            for error in errors {
                #expect(error?.code == .invalidInput)
                #expect(error?.facts[.field] == "tags")
            }
            let most = Set(tags.sorted().dropLast())
            #expect(try await scene.vault.setTags(most, of: "work").tags == most.sorted())
            #expect(try await scene.vault.find(most).map(\.name) == ["work"])
            let search = await vaultError { try await scene.vault.find(tags) }
            #expect(search?.code == .invalidInput && search?.account == nil)
            #expect(search?.facts == [.field: "tags", .wanted: "at most 32"])
        }
    }

    @Test("a sign-in keeps them, also those that were set while it went on")
    func signIn() async throws {
        try await withScene { scene in
            let vault = scene.vault
            _ = try await vault.add(Self.registration("work", ["x"]), Self.tokens("work"))
            let remembered = try #require(try await vault.registration(of: "work"))
            try await vault.setTags(["later"], of: "work")
            _ = try await vault.signIn(remembered, Self.tokens("new"), sent: scene.clock.now())
            #expect(try await vault.account("work").tags == ["later"])
            let again = Self.registration("work", ["named"])
            _ = try await vault.add(again, Self.tokens("named"), replacing: .always)
            #expect(try await vault.account("work").tags == ["named"])
            _ = try await vault.add(.testing("work"), Self.tokens("none"), replacing: .always)
            #expect(try await vault.find(["named"]).map(\.name) == ["work"])
        }
    }

    @Test("a refresh in flight is installed although the tags changed meanwhile")
    func midFlight() async throws {
        let hold = Hold()
        let server = RotatingServer()
        try await withScene(server.transport(hold: hold)) { scene in
            try await scene.addExpired()
            let caller = Task { try await scene.vault.accessToken(for: "work") }
            try await hold.waitForArrivals()
            try await scene.vault.setTags(["x"], of: "work")
            hold.release()
            #expect(try await caller.value.text == "work-access-2")
            #expect(try await scene.vault.find(["x"]).map(\.generation) == [2])
        }
    }
}
