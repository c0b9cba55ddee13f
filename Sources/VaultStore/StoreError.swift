package import Platform
package import VaultCrypto

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
    /// Another key slot has this key file.
    case keyFileInUse(path: String)
    /// It could not be given again.
    case passphraseUnfit(Passphrase.Problem)
    /// No key slot has this number.
    case noSuchKeySlot(UInt16)
    /// Nothing would open the vault any more.
    case lastKeySlot
    /// A key slot keeps its kind; another kind is another slot.
    case keySlotKind(number: UInt16, KeySlot.Kind)
    /// New keys need the secrets of these slots, or the word that they are dropped.
    case keySlotsLeft([UInt16])
    /// Records do not open, so that the data key they were sealed under stays.
    case rotationUnfinished([Part])
    /// No account has this name.
    case noSuchAccount(AccountName)
    /// No account has a client of this identifier.
    case noSuchClient
    /// Accounts at several token endpoints have one.
    case ambiguousClient([String])
    /// An account has this name already.
    case nameTaken(AccountName)
    /// The account is to go only if its grant is dead, and that is not.
    case grantAlive(AccountName)
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
    /// There is a file where one was to be made.
    case fileExists(path: String)
    /// The copy is the vault itself.
    case sameFile(path: String)
    /// What lies beside a copy makes another thing of it.
    case companionFile(path: String)
    /// Parts of a vault or of a copy are not as they were written.
    case unsound(path: String, VerificationReport)
    /// The copy is of another vault than the one here.
    case otherVault(path: String)
    /// A file of exported accounts does not open.
    case export(ExportError)
    /// A file of exported accounts opens, and this member of it is not what it should be.
    case exportMalformed(member: String)
    /// The refresh token may be spent: whoever gets it could not know.
    case unverified(AccountName)
    /// No export came to be at this path, and accounts that it would have moved may be paused here.
    case leftPaused(path: String)
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
        /// A pair that was kept aside.
        case receivedToken(number: Int64)
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
