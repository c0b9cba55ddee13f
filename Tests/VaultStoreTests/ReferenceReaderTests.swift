import FoundationEssentials
import OAuth
import Testing
import VaultCrypto

@testable import VaultStore

/// A reader in another language, written from the description of the format, reads what we write.
@Suite struct ReferenceReaderTests {
    /// What the reader prints.
    private struct Document {
        struct Account {
            let name: String?
            let generation: UInt64?
            let settings: AccountSettings
            let tokens: TokenSet

            init(_ value: JSONValue) throws {
                let members = try #require(value.object)
                name = members["name"]?.text
                generation = members["generation"]?.double.map { UInt64($0) }
                settings = try AccountRecord.decode(
                    JSONText.encode(#require(members["settings"]))
                )
                tokens = try TokenRecord.decode(JSONText.encode(#require(members["tokens"])))
            }
        }

        let accounts: [Account]
        let current: String?

        init(_ output: [UInt8]) throws {
            let document = JSONReader.read(output.span)
            try #require(document.isComplete)
            accounts = try #require(document.value.member(at: "accounts")?.array)
                .map { try Account($0) }
            current = document.value.member(at: "current")?.text
        }
    }

    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Reference/read_vault.py").path

    private func read(_ vault: TemporaryVault, keyFile: String? = nil) throws -> ChildProcess.Result
    {
        try ChildProcess.run(
            ["python3", Self.script, vault.database, keyFile ?? vault.keyFile],
            folder: vault.folder
        )
    }

    private func document(_ vault: TemporaryVault) throws -> Document {
        let result = try read(vault)
        #expect(String(decoding: result.errors, as: UTF8.self) == "")
        try #require(result.status == 0)
        return try Document(Array(result.output))
    }

    @Test func itReadsEveryAccountAsWeDo() async throws {
        try await withTemporaryVault { vault in
            let store = try vault.openStore()
            _ = try await store.insert(Fixture.fullAccount("full"))
            var long = Fixture.account("long")
            // More than one block of padding.
            long.tokens.refreshToken = Secret(String(repeating: "r\u{e9}", count: 700))
            long.settings.client = Client(
                id: ClientID(rawValue: String(repeating: "c", count: 600))
            )
            _ = try await store.insert(long)
            try await store.refresh("full", to: "next")
            try await store.refresh("full", to: "after that")
            try await store.select("long")
            let document = try document(vault)
            #expect(document.current == "long")
            let stored = try store.accounts(after: nil, limit: 9)
            #expect(document.accounts.map(\.name) == ["full", "long"])
            #expect(document.accounts.map(\.generation) == stored.map(\.generation))
            #expect(document.accounts.map(\.settings) == stored.map(\.settings))
            #expect(document.accounts.map(\.tokens) == stored.map(\.tokens))
        }
    }

    @Test func itReadsAnEmptyVault() async throws {
        try await withTemporaryVault { vault in
            let document = try document(vault)
            #expect(document.accounts.isEmpty)
            #expect(document.current == nil)
        }
    }

    @Test(arguments: [
        "UPDATE account SET tokens_box = account_box",
        "UPDATE account SET generation = generation + 1",
        "UPDATE account SET name = 'other' WHERE name = 'work'",
        "UPDATE vault SET selected_account = (SELECT account_id FROM account WHERE name = 'home')",
        "UPDATE vault SET root_check = zeroblob(32)",
        "UPDATE vault SET keyring_version = 2",
        "UPDATE key_slot SET commitment = zeroblob(32)",
    ])
    func itRefusesWhatWeRefuse(_ edit: String) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.fill()
            try Editor(vault).run(edit)
            let result = try read(vault)
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            let errors = String(decoding: result.errors, as: UTF8.self)
            #expect(errors.hasPrefix("read_vault.py: "), "\(errors)")
        }
    }

    @Test func itRefusesAnotherKey() async throws {
        try await withTemporaryVault { vault in
            let other = vault.folder + "/other.key"
            try write([UInt8](repeating: 1, count: 32), to: other)
            #expect(try read(vault, keyFile: other).status == 1)
        }
    }
}
