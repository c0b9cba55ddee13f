import FoundationEssentials
import Testing
import VaultCrypto

@testable import VaultStore

/// What becomes of a pair that came back after its account had moved on.
@Suite struct ReceivedTokenTests {
    @Test(arguments: [Move.replaced, .removed])
    func aPairThatCameTooLateIsKeptSealed(_ move: Move) async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            let seen = try await store.insert(Fixture.account("work"))
            let claim = try await store.claim("work")
            try await move.make(store, seen)
            _ = try await store.install(Fixture.pair("late"), for: claim)
            let editor = try Editor(vault)
            #expect(try editor.integer("SELECT count(*) FROM received_token") == 1)
            #expect(try editor.blob("SELECT account_id FROM received_token") == seen.id.bytes)
            let received = "SELECT received_at FROM received_token"
            #expect(try editor.integer(received) == Fixture.now.unixSeconds)
            let box = try editor.blob("SELECT tokens_box FROM received_token")
            let keyring = try vault.open().keyring()
            let plaintext = try keyring.open(
                box,
                kind: .receivedToken,
                account: seen.id,
                generation: claim.generation
            )
            let tokens = try TokenRecord.decode(plaintext)
            #expect(tokens == Fixture.tokens("late"))
            for generation in claim.generation...claim.generation + 1 {
                #expect(throws: SealingError.self) {
                    try keyring.open(box, kind: .tokens, account: seen.id, generation: generation)
                }
            }
        }
    }

    @Test func itIsGoneAWeekLater() async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            _ = try await store.insert(Fixture.account("work"))
            _ = try await store.insert(Fixture.account("home"))
            let claim = try await store.claim("work")
            try await store.refresh("work", to: "next")
            _ = try await store.install(Fixture.pair("late"), for: claim)
            let week: TimeInterval = 7 * 86_400
            for (seconds, count) in [(week - 1, 1), (week + 1, 0)] {
                let pair = Fixture.pair("\(seconds)", at: Fixture.now.addingTimeInterval(seconds))
                _ = try await store.install(pair, for: store.claim("home"))
                let kept = try Editor(vault).integer("SELECT count(*) FROM received_token")
                #expect(kept == count)
            }
        }
    }

    @Test func aClaimOfALifeBeforeARestoreInstallsNothing() async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            _ = try await store.insert(Fixture.account("work"))
            let claim = try await store.claim("work")
            // What restoring does, to a file that happens to have the same generation.
            try Editor(vault).run("UPDATE vault SET incarnation = randomblob(16)")
            let restored = try store.account(named: "work")
            let health = StoredAccount.Health(state: .paused, due: nil)
            try await store.abandon(
                claim,
                as: Abandonment(health: health, outcomeIsUnknown: false)
            )
            #expect(try store.account(named: "work") == restored)
            #expect(try await store.install(Fixture.pair("late"), for: claim) == .superseded)
            #expect(try store.account(named: "work") == restored)
            try await store.refresh("work", to: "next")
        }
    }
}
