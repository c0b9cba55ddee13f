package import FoundationEssentials
internal import VaultCrypto
internal import VaultSQLite

/// Reading the log of what was done, also of accounts that are gone.
extension VaultFile {
    /// Rows after a number, the oldest first, or from the beginning.
    package func activity(after number: Int64?, limit: Int) throws -> [Activity] {
        try connection.read {
            let keyring = try activityKeyring()
            return try connection.activity(after: number, limit: limit).map { $0.entry(keyring) }
        }
    }

    /// The newest rows, the oldest of them first: all, or those of an account's name or since a time.
    package func newestActivity(
        of account: String? = nil,
        since: Date? = nil,
        limit: Int
    ) throws -> [Activity] {
        try connection.read {
            let keyring = try activityKeyring()
            return try connection.newestActivity(
                of: account,
                since: since?.unixSecondsNotEarlier,
                limit: limit
            ).map { $0.entry(keyring) }
        }
    }

    private func activityKeyring() throws -> Keyring? {
        isUnlocked ? try currentKeyring() : nil
    }

    /// Writes down what leaves no other trace in the file, where there are keys.
    package func note(_ action: ActivityAction, at now: Date) throws {
        guard isUnlocked else { return }
        try write { try log(currentKeyring()).add(action, at: now) }
    }

    /// Where what is done is written down, within the transaction that does it.
    func log(_ keyring: Keyring) -> ActivityLog {
        ActivityLog(connection: connection, keyring: keyring, isOff: isLogOff)
    }
}
