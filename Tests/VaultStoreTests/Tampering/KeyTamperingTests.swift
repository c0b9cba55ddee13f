import Testing

@testable import VaultStore

/// The keyring and the slots: an edited one opens nothing.
@Suite struct KeyTamperingTests {
    @Test(arguments: [
        ("vault", "keyring_box"), ("vault", "root_check"), ("vault", "vault_id"),
        ("key_slot", "salt"), ("key_slot", "commitment"), ("key_slot", "root_key_box"),
    ])
    func everyByteCounts(table: String, column: String) async throws {
        try await withTemporaryVault { vault in
            let editor = try Editor(vault)
            let original = try editor.blob("SELECT \(column) FROM \(table)")
            for index in original.indices {
                var other = original
                other[index] ^= 1 << UInt8(index % 8)
                try editor.run("UPDATE \(table) SET \(column) = ?1", with: other)
                let file = try VaultFile(vault.location)
                #expect(throws: StoreError.self, "byte \(index)") {
                    try file.unlock(with: .keyFileAt(path: vault.keyFile))
                }
                #expect(!file.isUnlocked)
            }
            try editor.run("UPDATE \(table) SET \(column) = ?1", with: original)
            _ = try vault.open()
        }
    }

    @Test(arguments: [
        ("UPDATE vault SET keyring_version = 2", StoreError.tampered(.keyring)),
        ("UPDATE vault SET keyring_version = -1", .tampered(.keyring)),
        ("UPDATE vault SET keyring_box = x''", .tampered(.keyring)),
        ("UPDATE vault SET keyring_box = zeroblob(24)", .tampered(.keyring)),
        ("UPDATE vault SET root_check = x''", .tampered(.keyring)),
        ("UPDATE vault SET vault_id = x''", .tampered(.keyring)),
        ("DELETE FROM vault", .tampered(.keyring)),
        ("UPDATE key_slot SET root_key_box = zeroblob(72)", .tampered(.slot(number: 1))),
        ("UPDATE key_slot SET root_key_box = x''", .tampered(.slot(number: 1))),
        ("UPDATE key_slot SET kind = 99", .tampered(.slot(number: 1))),
        ("UPDATE key_slot SET kind = -1", .tampered(.slot(number: 1))),
        ("UPDATE key_slot SET kind = 1", .locked(.noKeyFileSlot)),
        ("DELETE FROM key_slot", .locked(.noKeyFileSlot)),
    ])
    func whatIsWrongIsNamed(edit: String, error: StoreError) async throws {
        try await withTemporaryVault { vault in
            try Editor(vault).run(edit)
            #expect(throws: error) { try vault.open() }
        }
    }

    @Test(arguments: [
        "salt = x''", "salt = zeroblob(1000000)", "commitment = x''", "passes = 4294967295",
        "memory = 4398046511104", "number = 2", "number = 65536",
    ])
    func aSlotWithOtherParametersIsNotTheOneThatWasMade(_ assignment: String) async throws {
        try await withTemporaryVault { vault in
            try Editor(vault).run("UPDATE key_slot SET \(assignment)")
            #expect(throws: StoreError.locked(.keyFileWrong(path: vault.keyFile))) {
                try vault.open()
            }
        }
    }

    @Test func theKeyringOfAnotherVaultIsRefused() async throws {
        try await withTemporaryVault { vault in
            try await withTemporaryVault { other in
                let box = try Editor(other).blob("SELECT keyring_box FROM vault")
                try Editor(vault).run("UPDATE vault SET keyring_box = ?1", with: box)
            }
            #expect(throws: StoreError.tampered(.keyring)) { try vault.open() }
        }
    }

    @Test func aRowOfAnotherVaultIsRefused() async throws {
        try await withTemporaryVault { vault in
            let accounts = try vault.fill()
            try await withTemporaryVault { other in
                _ = try other.open().insert(Fixture.account("guest"))
                try Editor(vault).run(
                    """
                    ATTACH '\(other.database)' AS other;
                    INSERT INTO main.account SELECT * FROM other.account WHERE number = 1 \
                    ON CONFLICT DO NOTHING;
                    INSERT INTO main.account (number, account_id, name, revision, account_box, \
                    generation, tokens_box, intent_box, refresh_token_hash, state, expires_at, \
                    due_at, failure_count, failure, failed_at) SELECT 50, account_id, name, revision, account_box, \
                    generation, tokens_box, intent_box, refresh_token_hash, state, expires_at, \
                    due_at, failure_count, failure, failed_at FROM other.account
                    """
                )
            }
            let file = try vault.open()
            #expect(throws: StoreError.tampered(.account("guest"))) {
                try file.account(named: "guest")
            }
            #expect(try file.account(named: "work") == accounts["work"])
        }
    }
}
