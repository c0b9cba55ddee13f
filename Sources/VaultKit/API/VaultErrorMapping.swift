internal import OAuth
internal import Platform
package import VaultCrypto
internal import VaultSQLite
internal import VaultStore

extension VaultError {
    /// Whatever a lower layer threw, as the one error that callers see.
    package init(_ error: any Error, account: AccountName? = nil) {
        switch error {
        case let error as VaultError:
            self =
                error.account == nil
                ? VaultError(error.code, account: account, facts: error.facts) : error
        case let error as StoreError: self = VaultError(error).named(account)
        case let error as PermissionProblem: self = VaultError(error)
        case let error as SQLiteError: self = VaultError(error).named(account)
        case let error as SystemError:
            self.init(.storage, account: account, facts: [.reason: error.description])
        case is SealingError: self.init(.tampered, account: account)
        case let error as HTTPTransportError: self = VaultError(error).named(account)
        case is CancellationError: self.init(.closed, account: account)
        default: self.init(.storage, account: account, facts: [.reason: "\(type(of: error))"])
        }
    }

    /// The same error with the file it is about: SQLite's own errors do not name it.
    func placed(in location: VaultLocation) -> VaultError {
        guard code == .storage || code == .damaged, facts[.path] == nil else { return self }
        let path = [Fact.path: location.database]
        return VaultError(code, account: account, facts: facts.merging(path) { found, _ in found })
    }

    private func named(_ account: AccountName?) -> VaultError {
        VaultError(code, account: self.account ?? account, facts: facts)
    }

    private init(_ error: StoreError) {
        switch error {
        case .noVault(let path): self.init(.noVault, facts: [.path: path])
        case .vaultExists(let path): self.init(.vaultExists, facts: [.path: path])
        case .noPlaceForKeyFile: self.init(.invalidInput, facts: [.reason: "no_home"])
        case .keyFileInsideVault(let path):
            self.init(.invalidInput, facts: [.reason: "key_file_inside_vault", .path: path])
        case .keyFileInUse(let path):
            self.init(.invalidInput, facts: [.reason: "key_file_in_use", .path: path])
        case .passphraseUnfit(let problem):
            self.init(.invalidInput, facts: [.field: "passphrase", .reason: problem.rawValue])
        case .noSuchKeySlot(let number):
            self.init(.invalidInput, facts: [.reason: "no_such_key_slot", .found: "\(number)"])
        // By its type: the case of the store's error would lead here again.
        case .noSuchClient: self.init(Code.noSuchClient)
        case .ambiguousClient(let endpoints):
            self.init(
                .invalidInput,
                facts: [
                    .reason: "ambiguous_client", .found: endpoints.joined(separator: ", "),
                ]
            )
        case .lastKeySlot: self.init(.invalidInput, facts: [.reason: "last_key_slot"])
        case .keySlotKind(let number, let kind):
            self.init(
                .invalidInput,
                facts: [.reason: "key_slot_kind", .found: "\(number)", .wanted: kind.name]
            )
        case .keySlotsLeft(let numbers):
            self.init(
                .invalidInput,
                facts: [
                    .reason: "key_slots_left",
                    .found: numbers.map { "\($0)" }.joined(separator: ", "),
                ]
            )
        case .rotationUnfinished(let parts):
            self.init(
                .tampered,
                facts: [
                    .reason: "rotation_unfinished",
                    .found: parts.map(\.name).joined(separator: ", "),
                ]
            )
        case .noSuchAccount(let name): self.init(.noSuchAccount, account: name)
        case .nameTaken(let name): self.init(.nameTaken, account: name)
        case .grantAlive(let name): self.init(.grantAlive, account: name)
        case .grantKnown(.stored(let other)):
            self.init(.grantKnown, facts: [.reason: "stored", .otherAccount: other.text])
        case .grantKnown(.spent): self.init(.grantKnown, facts: [.reason: "spent"])
        case .locked(let reason): self.init(.locked, facts: reason.facts)
        case .tampered(let part): self.init(.tampered, facts: [.found: part.name])
        case .damaged(let path): self.init(.damaged, facts: [.path: path])
        case .newerFormat(let version): self.init(.newerFormat, facts: [.version: "\(version)"])
        case .notMigrated(let version, let path, let reason):
            self.init(
                .storage,
                facts: [.path: path, .version: "\(version)", .reason: reason]
            )
        case .networkFileSystem(let path, let kind):
            self.init(.networkFileSystem, facts: [.path: path, .found: kind])
        case .busy(let holder):
            self.init(.busy, facts: holder.map { [.pid: "\($0)"] } ?? [:])
        case .fileExists(let path):
            self.init(.invalidInput, facts: [.reason: "file_exists", .path: path])
        case .sameFile(let path):
            self.init(.invalidInput, facts: [.reason: "same_file", .path: path])
        case .companionFile(let path):
            self.init(.invalidInput, facts: [.reason: "companion_file", .path: path])
        case .otherVault(let path):
            self.init(.invalidInput, facts: [.reason: "other_vault", .path: path])
        case .unsound(let path, let report):
            var facts: [Fact: String] = [.path: path, .found: "\(report.findings.count)"]
            // Nothing is lost, and no backup has to be brought back.
            if report.isRestorable {
                let hasTagHints = report.findings.contains(where: \.isOfTagHints)
                facts[.reason] = hasTagHints ? "tag_hints" : "log_rows"
            }
            self.init(.damaged, facts: facts)
        case .export(let error): self.init(export: error)
        case .exportMalformed(let member):
            self.init(
                .invalidInput,
                facts: [.field: "export", .reason: "malformed", .found: member]
            )
        case .leftPaused(let path):
            self.init(.storage, facts: [.reason: "left_paused", .path: path])
        case .unverified(let name): self.init(.verifyBeforeUse, account: name)
        case .superseded: self.init(.busy)
        case .inUse: self.init(.busy, facts: [.reason: "vault_in_use"])
        case .file(let path, let error):
            let isFull = [.noSpace, .overQuota].contains(error)
            let reason = isFull ? Self.diskFull : error.description
            self.init(.storage, facts: [.path: path, .reason: reason])
        }
    }

    // Labelled, because it has names in common with the codes.
    private init(export error: ExportError) {
        let reason: String
        switch error {
        case .newerFormat(let version):
            self.init(.newerFormat, facts: [.field: "export", .version: "\(version)"])
            return
        case .wrongPassphrase:
            self.init(.locked, facts: [.reason: "export_passphrase_wrong"])
            return
        case .outOfMemory:
            self.init(.locked, facts: [.reason: "out_of_memory"])
            return
        case .notAnExport: reason = "not_an_export"
        case .cutShort: reason = "cut_short"
        case .trailingBytes: reason = "trailing_bytes"
        case .tooLarge: reason = "too_large"
        case .costOutOfRange: reason = "cost_out_of_range"
        case .damaged: reason = "damaged"
        }
        self.init(.invalidInput, facts: [.field: "export", .reason: reason])
    }

    /// The reason of an error that somebody can end by making room.
    private static let diskFull = "disk_full"

    private init(_ error: SQLiteError) {
        switch error.code.primary {
        case .busy: self.init(.busy)
        case .corrupt, .notADatabase: self.init(.damaged)
        case _ where error.isFullDisk: self.init(.storage, facts: [.reason: Self.diskFull])
        default: self.init(.storage, facts: [.reason: error.description])
        }
    }

    private init(_ error: HTTPTransportError) {
        switch error {
        case .notSent(let reason): self.init(.unreachable, facts: [.reason: reason.rawValue])
        case .ambiguous(let reason): self.init(.outcomeUnknown, facts: [.reason: reason.rawValue])
        }
    }
}

extension StoreError.LockReason {
    fileprivate var facts: [VaultError.Fact: String] {
        switch self {
        case .keyFileMissing(let path): [.reason: "key_file_missing", .path: path]
        case .keyFileWrong(let path): [.reason: "key_file_wrong", .path: path]
        case .keyFileMalformed(let path): [.reason: "key_file_malformed", .path: path]
        case .noKeyFileSlot: [.reason: "no_key_file_slot"]
        case .noPassphraseSlot: [.reason: "no_passphrase_slot"]
        case .noRecoverySlot: [.reason: "no_recovery_slot"]
        case .keyWrong: [.reason: "key_wrong"]
        case .passphraseWrong: [.reason: "passphrase_wrong"]
        case .recoveryKeyWrong: [.reason: "recovery_key_wrong"]
        case .recoveryKeyMalformed: [.reason: "recovery_key_malformed"]
        case .keysReplaced: [.reason: "keys_replaced"]
        case .outOfMemory: [.reason: "out_of_memory"]
        }
    }
}

extension StoreError.Part {
    fileprivate var name: String {
        switch self {
        case .keyring: "keyring"
        case .slot(let number): "key slot \(number)"
        case .account(let name): "account \(name)"
        case .receivedToken(let number): "token kept aside \(number)"
        case .selection: "current account"
        case .schema: "schema"
        }
    }
}

extension KeySlot.Kind {
    /// The kind as every JSON document of the vault names it.
    package var name: String {
        switch self {
        case .passphrase: "passphrase"
        case .keyFile: "key_file"
        case .recoveryKey: "recovery_key"
        }
    }
}
