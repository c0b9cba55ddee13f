import Testing

@testable import VaultStore

@Suite struct SelectionTamperingTests {
    @Test(arguments: [
        "selected_account = (SELECT account_id FROM account WHERE name = 'home')",
        "selected_account = zeroblob(16)", "selected_account = x'00'",
        "selected_hash = zeroblob(32)", "selected_hash = x''",
        "selected_hash = substr(selected_hash, 1, 31)",
    ])
    func editingTheFileDoesNotSwitchAccounts(_ assignment: String) async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            let editor = try Editor(vault)
            try editor.run("UPDATE vault SET \(assignment)")
            let file = try vault.open()
            #expect(throws: StoreError.tampered(.selection)) { try file.selectedAccount() }
            // Nothing else is touched by it, and switching mends it.
            #expect(try file.account(named: "home") == accounts["home"])
            try file.select("third")
            #expect(try file.selectedAccount() == accounts["third"]?.id)
        }
    }

    @Test func aHashOfAnotherVaultDoesNotCount() async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            try await withTemporaryVault { other in
                _ = try other.fill()
                let hash = try Editor(other).blob("SELECT selected_hash FROM vault")
                try Editor(vault).run("UPDATE vault SET selected_hash = ?1", with: hash)
            }
            let file = try vault.open()
            #expect(throws: StoreError.tampered(.selection)) { try file.selectedAccount() }
            #expect(try file.account(named: "work") == accounts["work"])
        }
    }
}
