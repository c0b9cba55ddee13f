import Testing

@testable import VaultStore

/// Sealed columns: a box opens in its own place and nowhere else, and only whole.
@Suite struct BoxTamperingTests {
    private static let columns = ["account_box", "tokens_box", "intent_box"]

    @Test(arguments: columns)
    func aBoxOfAnotherAccountIsRefused(_ column: String) async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            let editor = try Editor(vault)
            let (work, home) = (
                try editor.box(column, of: "work"), try editor.box(column, of: "home")
            )
            try editor.setBox(column, of: "work", to: home)
            try editor.setBox(column, of: "home", to: work)
            let file = try vault.open()
            for name in ["work", "home"] as [AccountName] {
                #expect(throws: StoreError.tampered(.account(name.text))) {
                    try file.account(named: name)
                }
            }
            #expect(try file.account(named: "third") == accounts["third"])
        }
    }

    @Test(arguments: [
        ("account_box", "tokens_box"), ("account_box", "intent_box"),
        ("tokens_box", "account_box"), ("tokens_box", "intent_box"),
        ("intent_box", "account_box"), ("intent_box", "tokens_box"),
    ])
    func aBoxOfAnotherColumnIsRefused(column: String, other: String) async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            let editor = try Editor(vault)
            try editor.setBox(column, of: "work", to: editor.box(other, of: "work"))
            let file = try vault.open()
            #expect(throws: StoreError.tampered(.account("work"))) {
                try file.account(named: "work")
            }
            #expect(try file.account(named: "home") == accounts["home"])
        }
    }

    @Test(arguments: columns)
    func everyByteOfABoxCounts(_ column: String) async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            let editor = try Editor(vault)
            let file = try vault.open()
            let box = try editor.box(column, of: "work")
            let id = try #require(accounts["work"]).id
            for index in box.indices {
                var other = box
                other[index] ^= 1 << UInt8(index % 8)
                try editor.setBox(column, of: "work", to: other)
                #expect(throws: StoreError.tampered(.account("work")), "byte \(index)") {
                    try file.account(id)
                }
            }
            #expect(try file.account(named: "home") == accounts["home"])
            try editor.setBox(column, of: "work", to: box)
            #expect(try file.account(named: "work") == accounts["work"])
        }
    }

    @Test(arguments: columns)
    func aBoxThatIsCutShortOrLongIsRefused(_ column: String) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            let editor = try Editor(vault)
            let file = try vault.open()
            let box = try editor.box(column, of: "work")
            let lengths = [0, 1, 4, 28, 29, 44, 512, 556, box.count - 1].filter { $0 < box.count }
            for other in lengths.map({ Array(box.prefix($0)) }) + [box + [0], box + box] {
                try editor.setBox(column, of: "work", to: other)
                #expect(throws: StoreError.tampered(.account("work")), "\(other.count) bytes") {
                    try file.account(named: "work")
                }
            }
        }
    }

    @Test func aBoxOfAnOlderGenerationIsRefused() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            let editor = try Editor(vault)
            let old = Self.columns.map { column in (column, try? editor.box(column, of: "work")) }
            let store = try vault.openStore()
            try await store.refresh("work", to: "next")
            let account = try store.account(named: "work")
            _ = try await store.replace(account, with: Fixture.account("work", grant: "again"))
            _ = try await store.claim("work")
            for (column, box) in old {
                let current = try editor.box(column, of: "work")
                try editor.setBox(column, of: "work", to: try #require(box))
                #expect(throws: StoreError.tampered(.account("work"))) {
                    try store.account(named: "work")
                }
                try editor.setBox(column, of: "work", to: current)
            }
            _ = try store.account(named: "work")
        }
    }

    @Test func aRowThatWasPutBackWholeIsNotTrusted() async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            _ = try await store.insert(Fixture.account("work"))
            let editor = try Editor(vault)
            #expect(try store.tokenAtHand(of: "work", for: nil) != nil)
            try editor.run("CREATE TEMP TABLE kept AS SELECT * FROM account")
            try await store.refresh("work", to: "next")
            try editor.run("DELETE FROM account; INSERT INTO account SELECT * FROM kept")
            // Its refresh token was spent since: using it again may end the whole grant.
            #expect(try store.account(named: "work").health.state == .verifyBeforeUse)
            #expect(try store.tokenAtHand(of: "work", for: nil) == nil)
        }
    }

    @Test func aCopyUnderAnotherNameOrIdentifierIsRefused() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            try Editor(vault).run(
                """
                CREATE TEMP TABLE copy AS SELECT * FROM account WHERE name = 'work';
                UPDATE copy SET number = 99, name = 'copy', account_id = randomblob(16);
                INSERT INTO account SELECT * FROM copy
                """
            )
            let file = try vault.open()
            #expect(throws: StoreError.tampered(.account("copy"))) {
                try file.account(named: "copy")
            }
            _ = try file.account(named: "work")
        }
    }

    @Test func anAccountThatDoesNotOpenCanBeRemoved() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            let editor = try Editor(vault)
            try editor.setBox("tokens_box", of: "work", to: editor.box("account_box", of: "work"))
            let file = try vault.open()
            try file.remove("work")
            #expect(throws: StoreError.noSuchAccount("work")) { try file.account(named: "work") }
            #expect(try file.account(named: "home").name == "home")
        }
    }
}
