import FoundationEssentials
import Platform
import Testing

@testable import VaultStore

@Suite struct KeyFileTests {
    /// What is at the key file's path, and why it does not open the vault.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let content: [UInt8]?
        let reason: @Sendable (String) -> StoreError.LockReason
    }

    @Test(arguments: [
        Row(testDescription: "nothing", content: nil) { .keyFileMissing(path: $0) },
        Row(testDescription: "no byte", content: []) { .keyFileMalformed(path: $0) },
        Row(testDescription: "a byte less", content: [UInt8](repeating: 1, count: 31)) {
            .keyFileMalformed(path: $0)
        },
        Row(testDescription: "a byte more", content: [UInt8](repeating: 1, count: 33)) {
            .keyFileMalformed(path: $0)
        },
        Row(testDescription: "a mebibyte", content: [UInt8](repeating: 1, count: 1 << 20)) {
            .keyFileMalformed(path: $0)
        },
        Row(testDescription: "another key", content: [UInt8](repeating: 1, count: 32)) {
            .keyFileWrong(path: $0)
        },
    ])
    func whatIsNotTheKeyDoesNotOpen(_ row: Row) async throws {
        try await withTemporaryVault { vault in
            _ = try vault.open().insert(Fixture.account("work"))
            let path = vault.folder + "/tried.key"
            if let content = row.content { try FileSystem.writeNew(path, content.span) }
            let file = try VaultFile(vault.location)
            #expect(throws: StoreError.locked(row.reason(path))) {
                try file.unlock(with: .keyFileAt(path: path))
            }
            #expect(!file.isUnlocked)
            #expect(throws: StoreError.self) { try file.account(named: "work") }
            // A failure leaves the right key its chance.
            try file.unlock(with: .keyFileAt(path: vault.keyFile))
            #expect(try file.account(named: "work").tokens == Fixture.tokens("work"))
        }
    }

    @Test func everyByteOfTheKeyCounts() async throws {
        try await withTemporaryVault { vault in
            let key = bytes(of: vault.keyFile)
            let file = try VaultFile(vault.location)
            for index in key.indices {
                var other = key
                other[index] ^= 1
                let path = "\(vault.folder)/\(index).key"
                try FileSystem.writeNew(path, other.span)
                #expect(throws: StoreError.locked(.keyFileWrong(path: path))) {
                    try file.unlock(with: .keyFileAt(path: path))
                }
            }
        }
    }

    @Test func theVaultKnowsWhereItsKeyFileIs() async throws {
        try await withTemporaryVault { vault in
            let file = try VaultFile(vault.location)
            try file.unlock(with: .keyFile)
            #expect(file.isUnlocked)
            let moved = vault.folder + "/moved.key"
            try FileManager.default.moveItem(atPath: vault.keyFile, toPath: moved)
            let again = try VaultFile(vault.location)
            #expect(throws: StoreError.locked(.keyFileMissing(path: vault.keyFile))) {
                try again.unlock(with: .keyFile)
            }
            try again.unlock(with: .keyFileAt(path: moved))
        }
    }

    @Test func aLockedVaultStillShowsItsHints() async throws {
        try await withTemporaryVault { vault in
            _ = try vault.open().insert(Fixture.account("work"))
            let file = try VaultFile(vault.location)
            #expect(try file.hints(after: nil, limit: 9).map(\.name) == ["work"])
            #expect(try file.due(before: .distantFuture, limit: 9).count == 1)
            #expect(throws: StoreError.self) { try file.selectedAccount() }
            #expect(throws: StoreError.self) { try file.insert(Fixture.account("home")) }
            #expect(throws: StoreError.self) { try file.select("work") }
            #expect(throws: StoreError.self) { try file.remove("work") }
            #expect(try file.accountCount() == 1)
        }
    }
}
