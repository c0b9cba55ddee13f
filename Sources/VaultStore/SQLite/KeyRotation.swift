package import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// What a rotation did.
package struct KeyRotation: Sendable, Equatable {
    /// The number of the data key that everything is sealed under now.
    package let epoch: UInt32
    /// Whether it went on with one that was cut short.
    package let isResumed: Bool
    /// Accounts and pairs kept aside that were sealed again.
    package let moved: Int
}

/// How far a rotation is: asked after each batch of rows.
package struct KeyRotationProgress: Sendable, Equatable {
    package let isResumed: Bool
    package let moved: Int
    /// Accounts there are.
    package let accounts: Int
}

/// A new data key: `vault key rotate`.
///
/// Three kinds of transaction, each leaving a vault that opens: one that writes the keyring with the
/// new key beside the old ones, many that seal rows again, one that drops the old keys. What is to
/// be done next is in the sealed keyring and nowhere else.
extension VaultFile {
    /// Seals every record under a new data key, or goes on with that.
    ///
    /// Only the beginning waits for the refreshes in flight, and keeps new ones out: after it,
    /// whoever claims or installs reads the new keyring in the same transaction. The batches run
    /// beside refreshes, because each is one transaction that reads its rows itself; the end proves
    /// in its own transaction that nothing is left under an old key.
    ///
    /// - Throws: `StoreError.rotationUnfinished` when records do not open: they are left as they are,
    ///   and the old data keys with them.
    package func rotateKeys(
        authorizedBy unlock: Unlock,
        now: Date,
        progress: (KeyRotationProgress) throws -> Void = { _ in }
    ) throws -> KeyRotation {
        try self.unlock(with: unlock)
        return try erasing {
            let begun = try Self.withoutRefreshes(of: location) { try beginRotation(now: now) }
            let accounts = try rereading { try $0.accountCount() }
            var moved = 0
            func report() throws {
                try progress(
                    KeyRotationProgress(
                        isResumed: begun.isResumed,
                        moved: moved,
                        accounts: accounts
                    )
                )
            }
            try report()
            for move in [Resealing.moveAccounts, Resealing.moveReceivedTokens] {
                var batch = Resealing.Batch(last: 0)
                while let last = batch.last {
                    batch = try reseal(begun.version) { try move($0)(last) }
                    moved += batch.moved
                    try report()
                }
            }
            let epoch = try finishRotation(begun.version, at: now)
            return KeyRotation(epoch: epoch, isResumed: begun.isResumed, moved: moved)
        }
    }

    /// The first transaction, unless it was done already.
    func beginRotation(now: Date) throws -> (version: UInt64, isResumed: Bool) {
        let begun = try writeKeys(confirming: { try isStored($0.record) }) { keys in
            try forgetReceived(at: now)
            guard !keys.keyring.isRotating else {
                return (version: keys.keyring.version, isResumed: true, record: keys.record)
            }
            let next = try Self.openingKeyring {
                try keys.withRootKey { rootKey in
                    try Keyring.beginningRotation(
                        of: header.keyringRecord,
                        version: header.keyringVersion,
                        rootKey: rootKey,
                        vaultID: vaultID
                    )
                }
            }
            try store(next)
            return (version: next.keyring.version, isResumed: false, record: next.record)
        }
        return (begun.version, begun.isResumed)
    }

    /// One batch of rows in a transaction of its own, which may be repeated.
    func reseal(
        _ version: UInt64,
        _ body: (Resealing) throws -> Resealing.Batch
    ) throws -> Resealing.Batch {
        try writeKeys { keys in
            try body(resealing(version, keys))
        }
    }

    /// The last transaction.
    func finishRotation(_ version: UInt64, at now: Date? = nil) throws -> UInt32 {
        let next = try writeKeys(confirming: { try isStored($0.record) }) { keys in
            let left = try resealing(version, keys).left()
            guard left.isEmpty else { throw StoreError.rotationUnfinished(left) }
            try log(keys.keyring).add(.keysRotated, at: now)
            let next = try Self.openingKeyring {
                try keys.withRootKey { rootKey in
                    try Keyring.finishingRotation(
                        of: header.keyringRecord,
                        version: header.keyringVersion,
                        rootKey: rootKey,
                        vaultID: vaultID
                    )
                }
            }
            try store(next)
            return next
        }
        return next.keyring.activeEpoch
    }

    /// Whether the file has this keyring.
    func isStored(_ record: [UInt8]) throws -> Bool {
        try VaultHeader(reading: connection).keyringRecord == record
    }

    private func resealing(_ version: UInt64, _ keys: VaultKeys) throws -> Resealing {
        // Another process went on with the same rotation, or put another file in this one's place.
        guard keys.keyring.version == version else { throw StoreError.superseded }
        return Resealing(connection: connection, from: keys.keyring, to: keys.keyring)
    }

    private func store(_ next: Keyring.Stored) throws {
        var update = try connection.prepare(
            "UPDATE vault SET keyring_version = ?1, keyring_box = ?2"
        )
        update.bind(Int64(next.keyring.version), at: 1)
        update.bind(next.record, at: 2)
        try update.run()
        // The keys of the transaction that commits are the ones it wrote.
        _ = try currentKeyring()
    }

    /// What does not open in a keyring that opened before was changed since.
    static func openingKeyring<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch is SealingError {
            throw StoreError.tampered(.keyring)
        }
    }
}
