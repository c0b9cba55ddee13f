import FoundationEssentials
import Testing

@testable import VaultStore

/// Clear columns: they order and show, and never decide what an account is or where it leads.
@Suite struct HintTamperingTests {
    @Test(arguments: [
        "account_id = randomblob(16)", "account_id = x''", "account_id = 'text'",
        "account_id = NULL", "revision = revision + 1", "revision = 0", "revision = -1",
        "revision = 9223372036854775807", "generation = generation + 1", "generation = 0",
        "generation = -1", "generation = 9223372036854775807", "account_box = NULL",
        "tokens_box = NULL", "intent_box = x''",
    ])
    func aHintThatTheSealContradictsIsRefused(_ assignment: String) async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            try Editor(vault).rebuild(assignment)
            let file = try vault.open()
            #expect(throws: StoreError.tampered(.account("work"))) {
                try file.account(named: "work")
            }
            #expect(try file.account(named: "home") == accounts["home"])
        }
    }

    @Test(arguments: [
        "number = 77", "state = 'paused'", "state = 'nonsense'", "state = x'ff'",
        "expires_at = NULL", "expires_at = 9223372036854775807", "due_at = NULL", "due_at = 0",
        "due_at = -9223372036854775808", "due_at = 9223372036854775807", "due_at = 'text'",
        "failure_count = 9223372036854775807", "failure_count = -1", "failure = x'00ff'",
        "failed_at = 9223372036854775807", "refresh_token_hash = NULL",
        "refresh_token_hash = zeroblob(32)",
    ])
    func anyOtherHintChangesNothingThatIsSealed(_ assignment: String) async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            try Editor(vault).rebuild(assignment)
            let file = try vault.open()
            let found = try file.account(named: "work")
            let expected = try #require(accounts["work"])
            #expect(found.id == expected.id)
            #expect(found.settings == expected.settings)
            #expect(found.tokens == expected.tokens)
            #expect(found.intent == expected.intent)
            #expect(found.generation == expected.generation)
            // Whether a sign-in is needed is sealed.
            #expect(found.health.state == .signInNeeded)
            _ = try file.due(before: .distantFuture, limit: 9)
            _ = try file.nextDue()
            _ = try file.hints(after: nil, limit: 9)
        }
    }

    @Test(arguments: ["sign_in_needed", "verify_before_use", "paused", "nonsense"])
    func aStateThatOnlyTheColumnClaimsDoesNotAskForAPerson(_ state: String) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            try Editor(vault).run("UPDATE account SET state = '\(state)'")
            #expect(try file.account(named: "work").health.state == .active)
        }
    }

    @Test(arguments: [
        (Hold.Reason.restored, AccountState.verifyBeforeUse), (.moved, .paused),
    ])
    func aHoldIsSealed(_ reason: Hold.Reason, _ state: AccountState) async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            var account = Fixture.account("work")
            account.tokens.hold = Hold(reason: reason, since: Fixture.now)
            _ = try file.insert(account)
            try Editor(vault).run("UPDATE account SET state = 'active'")
            #expect(try file.account(named: "work").health.state == state)
            #expect(try file.account(named: "work").tokens == account.tokens)
        }
    }

    @Test(arguments: ["'other'", "'home '", "'Work'", "x'ff'", "''"])
    func anAccountThatWasRenamedByHandIsRefused(_ name: String) async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            try Editor(vault).rebuild("name = \(name)")
            let file = try vault.open()
            let work = try #require(accounts["work"])
            #expect(throws: StoreError.self) { try file.account(work.id) }
            #expect(throws: StoreError.noSuchAccount("work")) { try file.account(named: "work") }
            #expect(try file.account(named: "home") == accounts["home"])
        }
    }

    @Test func namesThatWereExchangedAreRefused() async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            try Editor(vault).run(
                """
                UPDATE account SET name = 'x' WHERE name = 'work';
                UPDATE account SET name = 'work' WHERE name = 'home';
                UPDATE account SET name = 'home' WHERE name = 'x'
                """
            )
            let file = try vault.open()
            for name in ["work", "home"] as [AccountName] {
                #expect(try file.tokenAtHand(of: name, for: nil) == nil)
                #expect(throws: StoreError.tampered(.account(name.text))) {
                    try file.account(named: name)
                }
            }
            #expect(try file.account(named: "third") == accounts["third"])
        }
    }
}

extension Editor {
    /// Changes the row of "work" to whatever is asked for, past what STRICT and NOT NULL allow.
    fileprivate func rebuild(_ assignment: String) throws {
        let schema = "SELECT sql FROM sqlite_schema WHERE name = 'account'"
        try run(
            """
            CREATE TEMP TABLE kept AS \(schema);
            UPDATE sqlite_schema SET sql = replace(replace(replace(sql, 'STRICT', ''), \
            'NOT NULL', ''), 'INTEGER,', 'BLOB,') WHERE name = 'account';
            PRAGMA schema_version = 1000
            """
        )
        try run("UPDATE account SET \(assignment) WHERE name = 'work'")
        try run(
            """
            UPDATE sqlite_schema SET sql = (SELECT sql FROM temp.kept) WHERE name = 'account';
            PRAGMA schema_version = 1001
            """
        )
    }
}
