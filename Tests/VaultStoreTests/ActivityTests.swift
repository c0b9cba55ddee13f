import FoundationEssentials
import OAuth
import Platform
import Testing
import VaultCrypto
import VaultSQLite

@testable import VaultStore

/// What was done is written down by what does it.
@Suite struct ActivityTests {
    /// A row without its number, actor and time.
    private struct Deed: Hashable, CustomStringConvertible {
        let description: String

        init(_ row: Activity) {
            let account = row.account ?? "-"
            description =
                "\(row.action) \(account) \(row.result)\(row.isRoutine ? " routine" : "")"
        }
    }

    /// What `body` does, by the rows it leaves, which are all vouched for.
    private func deeds(
        in vault: TemporaryVault,
        _ body: (VaultFile) throws -> Void
    ) throws -> [String] {
        let file = try vault.open()
        let before = try file.newestActivity(limit: 1).last?.number
        try body(file)
        let rows = try file.activity(after: before, limit: 1000)
        #expect(rows.allSatisfy { $0.isGenuine == true })
        return rows.map { Deed($0).description }
    }

    @Test func accountsLeaveTheirRows() async throws {
        try await withTemporaryVault { vault in
            let deeds = try deeds(in: vault) { file in
                let work = try file.insert(Fixture.account("work"))
                _ = try file.insert(Fixture.account("home"))
                _ = try file.replace(work, with: Fixture.account("work", grant: "again"))
                try file.select("home")
                _ = try file.changeTags(of: "home") { _ in ["a tag"] }
                // The same tags again are no change.
                _ = try file.changeTags(of: "home") { _ in ["a tag"] }
                try file.remove("home")
                #expect(throws: StoreError.noSuchAccount("gone")) { try file.remove("gone") }
            }
            #expect(
                deeds == [
                    "account_added work ok", "account_added home ok", "signed_in work ok",
                    "account_selected home ok", "tags_changed home ok", "account_removed home ok",
                ]
            )
            #expect(try vault.open().newestActivity(limit: 100).first?.action == "vault_made")
        }
    }

    @Test func refreshesLeaveRoutineRowsAndRefusalsOthers() async throws {
        try await withTemporaryVault { vault in
            let deeds = try deeds(in: vault) { file in
                _ = try file.insert(Fixture.account("work"))
                try file.refresh("work", to: "work-2")
                try file.abandon(file.claim("work"), as: .failure("unreachable", .backingOff))
                var refused = Abandonment.failure("sign_in_needed", .signInNeeded)
                refused.signInNeeded = SignInNeeded(reason: .grantRefused, since: Fixture.now)
                try file.abandon(file.claim("work"), as: refused)
                // A probe of a grant that is refused already.
                try file.abandon(file.claim("work"), as: refused)
                // A claim that is given back unused.
                var unused = Abandonment.failure("sign_in_needed", .signInNeeded)
                unused.keepsHealth = true
                try file.abandon(file.claim("work"), as: unused)
            }
            #expect(
                deeds == [
                    "account_added work ok", "refreshed work ok routine",
                    "refresh_failed work unreachable routine",
                    "grant_refused work sign_in_needed",
                    "refresh_failed work sign_in_needed routine",
                ]
            )
        }
    }

    @Test func aSecretLeavesARowForEachAccountUpToAHundred() async throws {
        try await withTemporaryVault { vault in
            let secret = NewClientSecret(client: Fixture.client.id, secret: Secret("new"))
            for (count, rows) in [(2, 2), (101, 1)] {
                let deeds = try deeds(in: vault) { file in
                    try file.proveWritable()
                    try file.connection.execute("PRAGMA synchronous = OFF")
                    for index in try file.accountCount()..<count {
                        let name = try #require(AccountName("a\(index)"))
                        _ = try file.insert(Fixture.account(name, of: Fixture.client))
                    }
                    _ = try file.setSecret(secret, at: Fixture.now)
                }
                let told = deeds.filter { $0.hasPrefix("secret_changed") }
                #expect(told.count == rows)
                #expect((told == ["secret_changed - ok"]) == (rows == 1))
            }
        }
    }

    @Test func keysLeaveTheirRowsAndVouchForTheOldOnes() async throws {
        try await withTemporaryVault { vault in
            let unlock = Unlock.keyFileAt(path: vault.keyFile)
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let deeds = try deeds(in: vault) { file in
                let path = "\(vault.folder)/other.key"
                let new = NewKeySlot.keyFile(path: path)
                let added = try file.addKeySlot(new, authorizedBy: unlock, now: Fixture.now)
                _ = try file.changeKeySlot(
                    added.number,
                    to: .keyFile(path: path + "2"),
                    authorizedBy: unlock,
                    now: Fixture.now
                )
                try file.removeKeySlot(added.number, authorizedBy: unlock)
                _ = try file.rotateKeys(authorizedBy: unlock, now: Fixture.now)
                _ = try file.rekey(
                    authorizedBy: unlock,
                    slots: [:],
                    dropping: [],
                    now: Fixture.now
                )
            }
            #expect(
                deeds == [
                    "slot_added - ok", "slot_changed - ok", "slot_removed - ok",
                    "keys_rotated - ok", "keys_replaced - ok",
                ]
            )
            let rows = try vault.open().newestActivity(limit: 100)
            #expect(rows.count == 7)
            #expect(rows.allSatisfy { $0.isGenuine == true })
        }
    }

    @Test func newKeysDoNotVouchForARowThatWasChanged() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            try Editor(vault).run("UPDATE activity SET actor = 'me 1' WHERE number = 2")
            _ = try file.rekey(
                authorizedBy: .keyFileAt(path: vault.keyFile),
                slots: [:],
                dropping: [],
                now: Fixture.now
            )
            #expect(try file.newestActivity(limit: 9).map(\.isGenuine) == [true, false, true])
        }
    }

    @Test func exportsAndImportsLeaveTheirRows() async throws {
        try await withTemporaryVault { vault in
            let cost = PassphraseCost.cheap
            let passphrase = Secret("a passphrase for the test")
            var moved: AccountExport?
            let deeds = try deeds(in: vault) { file in
                _ = try file.insert(Fixture.account("work"))
                for (name, isMove) in [("a", false), ("b", true)] {
                    moved = try file.export(
                        moving: isMove,
                        to: "\(vault.folder)/\(name).export",
                        passphrase: passphrase,
                        cost: cost,
                        at: Fixture.moment
                    )
                }
            }
            #expect(
                deeds == ["account_added work ok", "exported work ok", "moved work ok"]
            )
            let export = try #require(moved)
            try await withTemporaryVault { other in
                let imported = try self.deeds(in: other) { file in
                    for _ in 1...2 {
                        _ = try file.importAccounts(of: export, at: Fixture.moment) { _, _ in nil }
                    }
                }
                #expect(imported == ["imported work ok"])
            }
        }
    }

    @Test func aRestoreKeepsWhatWasDoneSinceTheBackup() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            _ = try file.insert(Fixture.account("work"))
            let path = "\(vault.folder)/copy.db"
            try file.backup(to: path)
            try file.remove("work")
            let copy = try VaultCopy(path, beside: vault.location)
            try copy.file.unlock(with: .keyFileAt(path: vault.keyFile))
            _ = try copy.restore(into: vault.location, now: Fixture.now)
            let rows = try vault.open().newestActivity(limit: 100)
            #expect(
                rows.map(\.action)
                    == ["vault_made", "account_added", "account_removed", "restored"]
            )
            #expect(rows.allSatisfy { $0.isGenuine == true })
        }
    }

    @Test func theActorIsTheOneThatIsNamedElseTheProgram() async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            _ = try await ActivityActor.named("vault-agent 812 for 4711") {
                try await store.insert(Fixture.account("work"))
            }
            _ = try await ActivityActor.named(
                "a\u{1b}[31m\u{202e}é" + String(repeating: "x", count: 99)
            ) {
                try await store.insert(Fixture.account("home"))
            }
            try await store.select("work")
            let actors = try vault.open().newestActivity(limit: 3).map(\.actor)
            #expect(actors[0] == "vault-agent 812 for 4711")
            #expect(actors[1] == "a?[31m?????" + String(repeating: "x", count: 53))
            #expect(actors[2] == "\(ProcessIdentity.name) \(ProcessIdentity.current)")
            #expect(!ProcessIdentity.name.isEmpty)
        }
    }

    @Test func rowsAreFoundByAccountAndTime() async throws {
        try await withTemporaryVault { vault in
            let file = try vault.open()
            let log = ActivityLog(connection: file.connection, keyring: try file.currentKeyring())
            for second in 1...5 {
                let date = Fixture.now.addingTimeInterval(Double(second))
                try log.add(.refreshed, second.isMultiple(of: 2) ? "even" : "odd", at: date)
            }
            func numbers(
                of account: String? = nil,
                since: Double? = nil,
                limit: Int = 99
            ) throws -> [Double] {
                try file.newestActivity(
                    of: account,
                    since: since.map { Fixture.now.addingTimeInterval($0) },
                    limit: limit
                ).map { $0.at.timeIntervalSince(Fixture.now) }
            }
            #expect(try numbers() == [0, 1, 2, 3, 4, 5])
            #expect(try numbers(limit: 2) == [4, 5])
            #expect(try numbers(of: "odd") == [1, 3, 5])
            #expect(try numbers(of: "odd", limit: 2) == [3, 5])
            #expect(try numbers(since: 3.5) == [4, 5])
            #expect(try file.activity(after: 2, limit: 3).map(\.number) == [3, 4, 5])
            #expect(try file.activity(after: .max, limit: 3).isEmpty)
        }
    }
}

extension Abandonment {
    fileprivate static func failure(_ code: String, _ state: AccountState) -> Abandonment {
        let failures = StoredAccount.Failures(count: 1, last: code, at: Fixture.now)
        return Abandonment(
            health: StoredAccount.Health(state: state, due: nil, failures: failures),
            outcomeIsUnknown: false
        )
    }
}
