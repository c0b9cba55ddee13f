internal import Platform
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// `vault key rotate`.
struct KeyRotate: KeySubcommand {
    private let unlock: UnlockInput

    init(_ arguments: inout ArgumentReader) throws {
        unlock = try UnlockInput(&arguments)
    }

    func run(on file: VaultFile, in context: CommandContext) throws {
        let (unlock, _) = try unlock.authorize(file, in: context)
        var isSaid = false
        let rotation = try file.rotateKeys(
            authorizedBy: unlock,
            now: context.clock.now().wall
        ) { progress in
            guard progress.isResumed, !isSaid else { return }
            isSaid = true
            context.terminal.words("going on with a rotation that was cut short")
        }
        context.terminal.words(
            "everything is under data key \(rotation.epoch): \(rotation.moved) sealed again"
        )
    }
}

/// `vault key rekey`.
struct KeyRekey: KeySubcommand {
    private let unlock: UnlockInput
    private let dropped: Set<UInt16>
    private let descriptors: [UInt16: Int32]
    private let backups: OldBackups

    init(_ arguments: inout ArgumentReader) throws {
        unlock = try UnlockInput(&arguments)
        backups = try OldBackups(&arguments)
        var dropped: Set<UInt16> = []
        for word in try arguments.options("--drop") {
            guard let number = UInt16(word) else { throw ArgumentReader.noSlotNumber(word) }
            dropped.insert(number)
        }
        var descriptors: [UInt16: Int32] = [:]
        for word in try arguments.options("--slot-fd") {
            let (number, descriptor) = try Self.slotAndDescriptor(word)
            guard descriptors.updateValue(descriptor, forKey: number) == nil else {
                throw UsageError.repeatedOption("--slot-fd \(number):N")
            }
        }
        self.dropped = dropped
        self.descriptors = descriptors
    }

    /// The value is not quoted when it is wrong: somebody may have typed the secret itself.
    private static func slotAndDescriptor(_ word: String) throws(UsageError) -> (UInt16, Int32) {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt16(parts[0]), let descriptor = Int32(parts[1]),
            descriptor >= 0
        else { throw .notADescriptor(option: "--slot-fd NUMBER:N") }
        return (number, descriptor)
    }

    func run(on file: VaultFile, in context: CommandContext) throws {
        let rootCheck = file.rootCheck
        let (unlock, slot) = try unlock.authorize(file, in: context)
        let done = try file.rekey(
            authorizedBy: unlock,
            slots: secrets(of: file, besides: slot),
            dropping: dropped,
            now: context.clock.now().wall
        )
        let slots = done.slots.map { "\($0)" }.joined(separator: ", ")
        context.terminal.words("the vault has new keys, behind slot \(slots)")
        if !done.dropped.isEmpty {
            let dropped = done.dropped.map { "\($0)" }.joined(separator: ", ")
            context.terminal.words("dropped key slot \(dropped)")
        }
        if try file.hasTypedSecret {
            context.terminal.hint("an agent that was unlocked by hand wants vault unlock again")
        }
        context.terminal.hint("a secret that somebody else knows: vault key change replaces it")
        try backups.report(underRootCheck: rootCheck, in: context)
    }

    /// The secrets given by descriptor, and at the terminal those that can be typed.
    private func secrets(of file: VaultFile, besides opened: UInt16) throws -> [UInt16: Secret] {
        let slots = try file.keySlots()
        var secrets = try descriptors.reduce(into: [UInt16: Secret]()) { secrets, given in
            let isKey = slots.contains { $0.number == given.key && $0.kind == .keyFile }
            secrets[given.key] =
                try isKey
                ? UnlockInput.key(from: given.value)
                : PassphraseInput(descriptor: given.value).read()
        }
        let input = PassphraseInput(descriptor: nil, readsStandardInput: false)
        for slot in slots where isToBeTyped(slot, opened) && input.isTyped {
            let what = slot.kind == .passphrase ? "Passphrase" : "Recovery key"
            secrets[slot.number] = try input.read(prompt: "\(what) of slot \(slot.number): ")
        }
        return secrets
    }

    private func isToBeTyped(_ slot: KeySlotDescription, _ opened: UInt16) -> Bool {
        slot.kind != .keyFile && slot.number != opened && !dropped.contains(slot.number)
            && descriptors[slot.number] == nil
    }
}
