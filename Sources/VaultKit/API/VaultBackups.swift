internal import FoundationEssentials
internal import Platform
internal import VaultStore

extension Vault {
    /// Makes today's backup in the vault's directory unless there is one; its path, or nil.
    ///
    /// Copying and looking at every record takes as long as it takes, so it has a thread of its own.
    package func backUpDaily() async throws -> String? {
        try await translating {
            let now = clock.now().wall
            return try await onItsOwnThread { store in
                let file = try store.openAnother()
                let path = try BackupFolder(store.location).backUpDaily(file, now: now)
                // The copy is there, whatever becomes of the note.
                if path != nil { try? file.note(.backedUp, at: now) }
                return path
            }
        }
    }

    private func onItsOwnThread<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteStore) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try DedicatedThread.start { [store] in
                    continuation.resume(with: Swift.Result { try body(store) })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
