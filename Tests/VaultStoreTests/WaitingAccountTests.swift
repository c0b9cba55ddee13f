import FoundationEssentials
import OAuth
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// Accounts that wait for their client: none is put off once it is mended, and none is forgotten.
@Suite struct WaitingAccountTests {
    private let later = Fixture.now.addingTimeInterval(2400)

    private func health(_ reason: String) -> StoredAccount.Health {
        StoredAccount.Health(
            state: reason == "client_refused" ? .clientRefused : .backingOff,
            due: later,
            failures: StoredAccount.Failures(count: 3, last: reason, at: Fixture.now)
        )
    }

    private func change(
        _ file: VaultFile,
        _ account: StoredAccount,
        _ body: (inout ClientState) -> Void
    ) throws {
        let hashes = ClientHashes(account.settings, try file.currentKeyring())
        try file.write { try file.update(hashes, at: Fixture.now, body) }
    }

    private func open(
        _ reason: ClientState.Breaker.Reason,
        _ file: VaultFile,
        _ account: StoredAccount
    ) throws {
        try change(file, account) { $0.open(reason, account.id, at: Fixture.now) }
    }

    @Test(
        "who read that its client is refused waits only if that is still so",
        arguments: ["client_refused", "mass_refusal", "throttled"]
    )
    func postponedTooLate(reason: String) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let seen = try file.insert(Fixture.account("a", of: Fixture.client))
            #expect(throws: StoreError.superseded) {
                try file.postpone(seen, as: health(reason), at: Fixture.now)
            }
            #expect(try file.account(named: "a") == seen)
            try change(file, seen) { client in
                client.open(.clientRefused, seen.id, at: Fixture.now)
                client.pausedUntil = later
            }
            try file.postpone(seen, as: health(reason), at: Fixture.now)
            #expect(try file.account(named: "a").health.due == later)
        }
    }

    @Test("nobody is put off whose client got another secret, or who signed in again")
    func postponedAfterAChange() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let seen = try file.insert(Fixture.account("a", of: Fixture.client))
            let secret = NewClientSecret(client: Fixture.client.id, secret: Secret("new"))
            _ = try file.setSecret(secret, at: Fixture.now)
            let lost = StoredAccount.Health(state: .outcomeUnknown, due: later)
            #expect(throws: StoreError.superseded) {
                try file.postpone(seen, as: lost, at: Fixture.now)
            }
            let set = try file.account(named: "a")
            #expect(set.health == seen.health)
            let again = Fixture.account("a", of: Fixture.client)
            let replaced = try file.replace(set, with: again)
            #expect(throws: StoreError.superseded) {
                try file.postpone(set, as: lost, at: Fixture.now)
            }
            #expect(try file.account(named: "a") == replaced)
        }
    }

    @Test("an account of an older vault that was only put off is called, and counts")
    func olderVault() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let waits = try file.insert(Fixture.account("a", of: Fixture.client))
            _ = try file.insert(Fixture.account("b", of: Fixture.client))
            try open(.clientRefused, file, waits)
            try file.connection.execute("UPDATE account SET client_hash = NULL")
            try file.postpone(waits, as: health("client_refused"), at: Fixture.now)
            var pair = Fixture.pair("next")
            pair.effect = .granted(isRetry: false)
            #expect(try file.install(pair, for: file.claim("b")) == .installed(generation: 2))
            #expect(try file.account(named: "a").health.due == Fixture.now)
        }
    }

    @Test("the success that mends a client calls nobody who waits for a person")
    func personsAreNotCalled() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let states = ["client_refused", "sign_in_needed", "paused", "verify_before_use"]
            for name in states {
                let account = try file.insert(
                    Fixture.account(try #require(AccountName(name)), of: Fixture.client)
                )
                try open(.clientRefused, file, account)
                try file.postpone(account, as: health("client_refused"), at: Fixture.now)
            }
            try file.connection.execute("UPDATE account SET state = name")
            _ = try file.insert(Fixture.account("well", of: Fixture.client))
            var pair = Fixture.pair("next")
            pair.effect = .granted(isRetry: false)
            _ = try file.install(pair, for: file.claim("well"))
            let due = try file.due(before: Fixture.now, limit: 10)
            #expect(due.map(\.name) == ["client_refused"])
        }
    }

    @Test("very many are called by one success after the other, and each once")
    func batches() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let waits = try file.insert(Fixture.account("a", of: Fixture.client))
            _ = try file.insert(Fixture.account("well", of: Fixture.client))
            try open(.clientRefused, file, waits)
            try file.postpone(waits, as: health("client_refused"), at: Fixture.now)
            try multiply(waits, by: 2 * WaitingCall.batch + 100, file)
            var called: [Int] = []
            for seconds in [0.0, 1, 10, 20, 30] {
                let now = Fixture.now.addingTimeInterval(seconds)
                var pair = Fixture.pair("next \(seconds)", at: now)
                pair.effect = .granted(isRetry: false)
                _ = try file.install(pair, for: file.claim("well"))
                let before = later.addingTimeInterval(-1)
                called.append(try file.due(before: before, limit: .max).count)
            }
            let batch = WaitingCall.batch
            #expect(called == [batch, batch, 2 * batch, 2 * batch + 101, 2 * batch + 101])
            #expect(file.calls.isEmpty)
        }
    }

    /// Adds copies of an account's row, which would not open.
    private func multiply(_ account: StoredAccount, by count: Int, _ file: VaultFile) throws {
        let columns = """
            revision, account_box, generation, tokens_box, state, due_at, failure_count, failure, \
            failed_at, client_hash, state_since
            """
        try file.connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
            INSERT INTO account (account_id, name, \(columns)) \
            SELECT randomblob(16), 'copy ' || i, \(columns) FROM n, account \
            WHERE number = \(account.number)
            """
        )
    }
}
