internal import Platform
internal import VaultCrypto
internal import VaultStore

/// `vault key add`.
struct KeyAdd: KeySubcommand {
    private let unlock: UnlockInput
    private let kind: KeySlot.Kind
    private let secret: NewSecret

    init(_ arguments: inout ArgumentReader) throws {
        unlock = try UnlockInput(&arguments)
        var secret = try NewSecret(&arguments)
        kind = try NewSecret.kind(
            arguments.value(named: "the kind (passphrase, key-file or recovery-key)")
        )
        secret.path = try arguments.optionalWord()
        try secret.check(for: kind)
        self.secret = secret
    }

    func run(on file: VaultFile, in context: CommandContext) throws {
        let (unlock, _) = try unlock.authorize(file, in: context)
        let new = try secret.make(kind, context.terminal)
        let added = try ShownKey.committing([new], context.terminal) {
            try file.addKeySlot(new, authorizedBy: unlock, now: context.clock.now().wall)
        }
        context.terminal.words("added key slot \(added.number)")
        KeyReport.added(added, context.terminal)
    }
}

/// `vault key remove`.
struct KeyRemove: KeySubcommand {
    private let unlock: UnlockInput
    private let number: UInt16
    private let backups: OldBackups

    init(_ arguments: inout ArgumentReader) throws {
        unlock = try UnlockInput(&arguments)
        backups = try OldBackups(&arguments)
        number = try arguments.slotNumber()
    }

    func run(on file: VaultFile, in context: CommandContext) throws {
        // Before a person is asked for anything: this is the slot they mean.
        let seen = try file.keySlots().first { $0.number == number }
        let (unlock, _) = try unlock.authorize(file, in: context)
        let removed = try file.removeKeySlot(number, seen: seen, authorizedBy: unlock)
        context.terminal.words("removed key slot \(number)")
        if let keyFile = removed.keyFile {
            context.terminal.hint("its key file opens nothing here any more: \(keyFile)")
        }
        try backups.report(openedBy: removed, in: context)
    }
}

/// `vault key change`.
struct KeyChange: KeySubcommand {
    private let unlock: UnlockInput
    private let number: UInt16
    private let secret: NewSecret
    private let backups: OldBackups

    init(_ arguments: inout ArgumentReader) throws {
        unlock = try UnlockInput(&arguments)
        backups = try OldBackups(&arguments)
        var secret = try NewSecret(&arguments)
        number = try arguments.slotNumber()
        secret.path = try arguments.optionalWord()
        self.secret = secret
    }

    func run(on file: VaultFile, in context: CommandContext) throws {
        guard let old = try file.keySlots().first(where: { $0.number == number }) else {
            throw StoreError.noSuchKeySlot(number)
        }
        try secret.check(for: old.kind)
        let (unlock, _) = try unlock.authorize(file, in: context)
        let new = try secret.make(old.kind, context.terminal)
        let changed = try ShownKey.committing([new], context.terminal) {
            try file.changeKeySlot(
                number,
                seen: old,
                to: new,
                authorizedBy: unlock,
                now: context.clock.now().wall
            )
        }
        context.terminal.words("changed key slot \(number)")
        if let keyFile = old.keyFile {
            context.terminal.hint("its old key file opens nothing here any more: \(keyFile)")
        }
        KeyReport.added(changed, context.terminal)
        try backups.report(openedBy: old, in: context)
    }
}
