package import FoundationEssentials
internal import Platform
internal import VaultCrypto
internal import VaultSQLite

/// Restoring: the content of a copy takes the place of the vault's, in the vault's own file.
///
/// The file is never replaced, so whoever has it open sees the old content or the new. Of what was
/// here the copy takes over what must not be forgotten: tokens that were spent, grants that were
/// moved away, pairs that came too late, and accounts that have not changed since. Every other
/// refresh token may have been spent since the copy was made, so it is held until a person says to
/// try it; where no vault is here that can be read, that is every one.
extension VaultCopy {
    /// What a restore was told.
    package struct Options: Sendable {
        /// Restore also over another vault than the copy's.
        package var replacesOther = false
        /// Seconds to wait for the refreshes in flight.
        package var limit = 60.0

        package init() {}
    }

    /// Makes the copy, which has to be open and sound, the vault in `vault`.
    package func restore(
        into vault: VaultLocation,
        options: Options = Options(),
        now: Date
    ) throws -> RestoreReport {
        var report = try file.verify()
        // One bad read looks like damage.
        if !report.isRestorable { report = try file.verifiedAgain() }
        guard report.isRestorable, report.wasUnlocked else {
            throw StoreError.unsound(path: path, report)
        }
        try keepJournal(of: vault)
        // An older vault is migrated when it is opened, which takes the same locks.
        if FileSystem.exists(vault.database) { _ = try Self.openable(vault) }
        return try VaultFile.withoutRefreshes(of: vault, limit: options.limit) {
            guard FileSystem.exists(vault.database) else {
                return try install(as: vault, now)
            }
            return try overwrite(vault, options, now)
        }
    }

    // MARK: - Where there is no vault

    private func install(as vault: VaultLocation, _ now: Date) throws -> RestoreReport {
        // A journal without its database is what is left of another vault, and SQLite would play it
        // back into this one.
        for path in vault.companions where FileSystem.exists(path) {
            throw StoreError.companionFile(path: path)
        }
        let report = try RestorePreparation(copy: file, live: nil, now: now).run()
        // Where it was on the machine that the copy is from says nothing here.
        if case .keyFileAt(let keyFile) = file.unlockedKeys?.unlock {
            try file.rememberKeyFile(keyFile)
        }
        do {
            try FileSystem.install(location.database, as: vault.database)
        } catch let error where error == .exists {
            throw StoreError.vaultExists(path: vault.database)
        } catch {
            throw StoreError.file(path: vault.database, error)
        }
        return report
    }

    // MARK: - Over a vault

    private func overwrite(
        _ vault: VaultLocation,
        _ options: Options,
        _ now: Date
    ) throws -> RestoreReport {
        guard let live = try readable(vault, options) else {
            return try overwriteDamaged(vault, now)
        }
        live.successor = file.vaultID
        var kept: String?
        // Everybody else's writes wait from the first moment of the transaction, so what is kept,
        // what is compared and what is replaced are the same.
        return try live.erasing {
            try live.write(confirming: { try live.currentIncarnation() == $0.incarnation }) {
                if let kept { try BackupFolder(vault).purge([kept]) }
                let path = try BackupFolder(vault).unusedName("restore", at: now)
                kept = path
                return try replace(live, keepingAt: path, options, now)
            }.report
        }
    }

    /// Runs in a transaction of the vault that is here, and again where that had to be repeated.
    private func replace(
        _ live: VaultFile,
        keepingAt kept: String,
        _ options: Options,
        _ now: Date
    ) throws -> (report: RestoreReport, incarnation: [UInt8]) {
        try Schema.check(live.connection, path: live.location.database)
        try live.shareKeys(of: file)
        try checkIdentity(of: live, options)
        // Readers are let in, and the writer's own connection would copy its transaction too.
        try VaultFile(live.location, keys: live.unlockedKeys).backup(to: kept, mayBeDamaged: true)
        let isSame = live.vaultID == file.vaultID
        return try RestorePreparation(copy: file, live: isSame ? live : nil, now: now).trying {
            var report = $0
            report.keptAt = kept
            try RowReplacement(source: file.connection, target: live.connection).run()
            return (report, try live.currentIncarnation())
        }
    }

    private func checkIdentity(of live: VaultFile, _ options: Options) throws {
        guard live.vaultID == file.vaultID || options.replacesOther else {
            throw StoreError.otherVault(path: path)
        }
    }

    /// The vault that is here, unless it is too damaged to be written to.
    private func readable(_ vault: VaultLocation, _ options: Options) throws -> VaultFile? {
        guard let live = try Self.openable(vault) else { return nil }
        try checkIdentity(of: live, options)
        let isIntact = try live.isIntact()
        return isIntact ? live : nil
    }

    private static func openable(_ vault: VaultLocation) throws -> VaultFile? {
        do {
            return try VaultFile(vault)
        } catch StoreError.damaged, StoreError.tampered {
            return nil
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }

    /// What cannot be opened is kept as it is, byte by byte.
    private func overwriteDamaged(
        _ vault: VaultLocation,
        _ now: Date
    ) throws -> RestoreReport {
        let kept = try BackupFolder(vault).unusedName("restore", at: now)
        try keep(vault, at: kept)
        var report = try RestorePreparation(copy: file, live: nil, now: now).run()
        do {
            try file.connection.overwrite(vault)
        } catch let error as SQLiteError where error.isDamage {
            try Self.empty(vault)
            try file.connection.overwrite(vault)
        }
        report.keptAt = kept
        return report
    }

    /// SQLite plays a journal back at the first look at its file, or drops it if there is nothing
    /// left of that, which may then turn out to be damaged.
    private func keepJournal(of vault: VaultLocation) throws {
        guard try Self.hasHotJournal(vault.database) else { return }
        do {
            try FileSystem.remove(directory.keptJournal)
            try FileSystem.copy(vault.journal, toNew: directory.keptJournal)
        } catch let error where error == .notFound {
            return
        } catch {
            throw StoreError.file(path: vault.journal, error)
        }
    }

    /// With the journal, in which may be what is missing in the file: played back once more, it
    /// changes nothing.
    private func keep(_ vault: VaultLocation, at kept: String) throws {
        do {
            if FileSystem.exists(directory.keptJournal) {
                try FileSystem.copy(directory.keptJournal, toNew: kept + "-journal")
            }
            try FileSystem.copy(vault.database, toNew: kept)
        } catch {
            throw StoreError.file(path: kept, error)
        }
    }

    /// SQLite does not write over what is no database, so that is emptied first: in place, for those
    /// that have it open.
    private static func empty(_ vault: VaultLocation) throws {
        do {
            try FileSystem.truncate(vault.database)
            for path in vault.companions { try FileSystem.remove(path) }
        } catch {
            throw StoreError.file(path: vault.database, error)
        }
    }
}

extension Connection {
    /// Makes the database of a vault the same as this one, in one durable transaction.
    fileprivate func overwrite(_ vault: VaultLocation) throws {
        let live = try Connection(path: vault.database, mode: .readWrite)
        try DatabaseSettings.applyForReading(to: live)
        try DatabaseSettings.applyForWriting(to: live)
        // The old content is in the backup that was kept, and nowhere else.
        try live.execute("PRAGMA journal_size_limit = 0")
        try copy(to: live)
    }
}
