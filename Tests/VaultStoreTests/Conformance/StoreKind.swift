import Testing

@testable import VaultStore

/// A kind of store: whatever the conformance suites say of one has to hold for every kind.
struct StoreKind: Sendable, CustomTestStringConvertible {
    /// Opens the store that a test was given; several at once are of different processes.
    typealias Opener = @Sendable () throws -> any AccountStore

    let testDescription: String
    /// Runs a test with a store of its own, empty at first.
    let withStore: @Sendable (_ test: (Opener) async throws -> Void) async throws -> Void

    static let all = [
        StoreKind(testDescription: "SQLite") { test in
            try await withTemporaryVault { vault in
                try await test { try vault.openStore() }
            }
        }
    ]
}
