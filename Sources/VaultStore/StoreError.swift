package import Platform

/// Why the store could not do what it was asked.
package enum StoreError: Error, Sendable, Equatable {
    /// There is no vault at this path.
    case noVault(path: String)
    /// There is one already.
    case vaultExists(path: String)
    /// Neither a path for the key file was given nor is there a home directory to put it in.
    case noPlaceForKeyFile
    /// The key file would be copied along with the vault it opens.
    case keyFileInsideVault(path: String)
    /// No account has this name.
    case noSuchAccount(AccountName)
    /// An account has this name already.
    case nameTaken(AccountName)
    /// The grant is here already, or was spent here.
    case grantKnown(Grant)
    /// The vault does not open with what there is.
    case locked(LockReason)
    /// Something in the file is not what was sealed into it.
    case tampered(Part)
    /// The file is no vault: another program's, cut short, or overwritten.
    case damaged(path: String)
    /// The schema is newer than this program.
    case newerFormat(version: Int64)
    /// The schema is older than this program's, and could not be brought up to it.
    case notMigrated(version: Int64, path: String, reason: String)
    /// The vault would be on a file system whose locks and syncs cannot be trusted.
    case networkFileSystem(path: String, kind: String)
    /// Another process kept the file locked; its number, where the kernel tells it.
    case busy(holder: Int32?)
    /// The account changed between reading and writing it.
    case superseded
    /// A refresh is in flight, and goes on; or another process works on the whole vault.
    case inUse
    /// The file cannot be read or written.
    case file(path: String, SystemError)

    /// Which part of the file does not hold what it should.
    package enum Part: Sendable, Equatable {
        case keyring
        case slot(number: Int64)
        case account(String)
        case selection
        case schema
    }

    /// Why a refresh token was not taken in.
    package enum Grant: Sendable, Equatable {
        /// Another account holds it.
        case stored(in: AccountName)
        /// It was spent: its successor is, or was, here.
        case spent
    }

    /// Why no slot opens.
    package enum LockReason: Sendable, Equatable {
        case keyFileMissing(path: String)
        case keyFileWrong(path: String)
        case keyFileMalformed(path: String)
        case noKeyFileSlot
        case noPassphraseSlot
        case noRecoverySlot
        case keyWrong
        case passphraseWrong
        case recoveryKeyWrong
        /// Its check characters are not those of the rest: mistyped.
        case recoveryKeyMalformed
        /// Another process gave the vault new keys: unlock again.
        case keysReplaced
        /// The system does not give the memory that Argon2id needs.
        case outOfMemory
    }
}
