import FoundationEssentials
import Testing
import VaultCrypto
import VaultTesting

@testable import VaultKit
@testable import VaultStore

/// The model's store against the real one: every kind of history that the explorer finds is written
/// to both.
@Suite struct ModelStoreTests {
    @Test func theRealStoreDoesTheSame() async throws {
        var histories: [String: [StoreWrite]] = [:]
        for profile in ModelServer.Profile.allCases {
            let explorer = Explorer(Scenario(profile: profile, events: 1))
            for index in explorer.settled {
                let writes = explorer.writes(to: index)
                histories[writes.map(\.call.kind).joined(separator: ", ")] = writes
            }
        }
        #expect(histories.count >= 15)
        let start = Scenario(profile: .none).start
        for (kinds, writes) in histories {
            try await TemporaryVault.use { home in
                let store = try await home.open().store
                var replay = Replay(store, try await store.insert(NewAccount(start)))
                for write in writes { try await replay.make(write, "\(kinds)") }
            }
        }
    }

    /// Writes to the real store what the model wrote to its own.
    private struct Replay {
        let store: SQLiteStore
        let real: StoredAccount
        var claims: [ClaimedIntent: Claim] = [:]
        var newest: [UInt64: Claim] = [:]

        init(_ store: SQLiteStore, _ real: StoredAccount) {
            self.store = store
            self.real = real
        }

        mutating func make(_ write: StoreWrite, _ comment: Comment) async throws {
            try await make(write.call)
            var expected = write.account
            let found = try #require(try store.account(real.id))
            expected.number = found.number
            expected.id = found.id
            #expect(found == expected, comment)
            let client = try store.clientState(of: found)
            #expect(client.retries == write.client.retries, comment)
            #expect(client.pausedUntil == write.client.pausedUntil, comment)
            #expect(client.refused.count == write.client.refused.count, comment)
        }

        private mutating func make(_ call: StoreCall) async throws {
            switch call {
            case .claim(let account, let intent): try await claim(account.value.generation, intent)
            case .install(let pair, let generation):
                let claim = try #require(newest[generation])
                _ = try await store.install(pair.value.pair(hashing: store), for: claim)
            case .abandon(let end, let claimed):
                try await store.abandon(#require(claims[claimed]), as: end.value)
            case .postpone(let generation, let health, let date):
                var seen = try #require(try store.account(real.id))
                seen.generation = generation
                try await store.postpone(seen, as: health, at: date)
            case .replace(let accessToken, let refreshToken, let now):
                let seen = try #require(try store.account(real.id))
                let new = NewAccount(accessToken, refreshToken, seen.settings, at: now, .fixture)
                _ = try await store.replace(seen, with: new)
            }
        }

        /// A claim on what has moved on is refused by both.
        private mutating func claim(_ generation: UInt64, _ intent: Intent) async throws {
            var seen = real
            seen.generation = generation
            do {
                let claim = try await store.claim(seen, intent: intent)
                claims[ClaimedIntent(generation: generation, intent: intent)] = claim
                newest[generation] = claim
            } catch StoreError.superseded {
                #expect(try store.account(real.id)?.generation != generation)
            }
        }
    }
}

extension NewAccount {
    /// What an exploration begins with.
    fileprivate init(_ start: ModelState) {
        let account = start.account
        self.init(
            settings: account.settings,
            tokens: account.tokens,
            health: account.health,
            expiry: account.tokens.accessTokens.first?.expiry(at: start.moment)
        )
    }
}

extension ModelPair {
    /// The pair, with the spent token remembered as the real store does.
    fileprivate func pair(hashing store: SQLiteStore) throws -> NewPair {
        let spent = try spentTokenHash.map { hash in
            try store.spentTokenHash(of: Secret(String(decoding: hash, as: UTF8.self)))
        }
        return NewPair(
            tokens: tokens,
            spentTokenHash: spent,
            now: now,
            expiry: expiry,
            due: due,
            effect: effect
        )
    }
}

extension StoreCall {
    /// What it does, without the particulars: histories of one kind are as good as one.
    fileprivate var kind: String {
        switch self {
        case .claim(let account, let intent): "claim \(account.value.generation).\(intent.attempt)"
        case .install(let pair, let generation):
            "install \(generation)\(pair.value.spentTokenHash == nil ? "" : " spent")"
        case .abandon(let end, let claimed):
            "abandon \(claimed.generation).\(claimed.intent.attempt) \(end.value.health.state) \(end.value.outcomeIsUnknown)"
        case .postpone(let generation, let health, _): "postpone \(generation) \(health.state)"
        case .replace: "replace"
        }
    }
}
