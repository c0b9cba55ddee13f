internal import VaultCrypto
internal import VaultKit
internal import VaultStore

struct KeyCommand: Command {
    static let name = "key"
    static let summary = "Show and change what opens the vault"
    static let help = """
        vault key list [--json]
        vault key add passphrase|key-file [PATH]|recovery-key
        vault key remove NUMBER
        vault key change NUMBER [PATH]
        vault key rotate
        vault key rekey [--drop NUMBER]… [--slot-fd NUMBER:N]…

        A vault has key slots, each a way in: a passphrase, a key file, a recovery key.

          list      Show the slots; wants no key
          add       Make another way in. A key file goes to PATH, else to
                    ~/.local/state/vault. A recovery key is printed on standard
                    output, this once
          remove    Close a way in. The last one stays
          change    Give a slot another secret of its kind, in one step
          rotate    Seal everything under a new data key. Cut short, it goes on with
                    that the next time
          rekey     Make a new root key as well: what the old one opens is old copies
                    alone. Every slot's secret is needed, or the slot is dropped; key
                    files that are where they were need not be given

        All but list ask for the secret of a slot, also when the vault is unlocked:

        \(UnlockInput.help)
        Without one of these the key file is tried, then the terminal asks, and where
        there is none standard input is read.

          --new-passphrase-fd N   Read the new passphrase from file descriptor N
          --drop NUMBER           This slot goes
          --slot-fd NUMBER:N      Read the secret of this slot from file descriptor N
          --purge-backups         Erase the vault's own backups that the old secret or
                                  key still opens; without it they are named
          --json                  {"schemaVersion":1,"slots":[{"number","kind",
                                  "keyFile","passes","memory","changedAt"}]}

        """

    private enum Action: String, CaseIterable {
        case list
        case add
        case remove
        case change
        case rotate
        case rekey
    }

    private let subcommand: any KeySubcommand

    init(_ arguments: inout ArgumentReader) throws {
        // It comes first, because it says which options there are.
        let word = try arguments.value(named: Self.actions)
        guard let action = Action(rawValue: word) else {
            throw UsageError.malformed("the action", value: word, wanted: Self.actions)
        }
        subcommand =
            switch action {
            case .list: try KeyList(&arguments)
            case .add: try KeyAdd(&arguments)
            case .remove: try KeyRemove(&arguments)
            case .change: try KeyChange(&arguments)
            case .rotate: try KeyRotate(&arguments)
            case .rekey: try KeyRekey(&arguments)
            }
        try arguments.finish()
    }

    private static let actions = "list, add, remove, change, rotate or rekey"

    func run(in context: CommandContext) throws {
        try subcommand.run(on: VaultFile(context.location), in: context)
    }
}

/// One action of `vault key`.
protocol KeySubcommand: Sendable {
    init(_ arguments: inout ArgumentReader) throws
    func run(on file: VaultFile, in context: CommandContext) throws
}

extension ArgumentReader {
    /// The number of a key slot.
    mutating func slotNumber() throws(UsageError) -> UInt16 {
        let word = try value(named: "the slot's NUMBER")
        guard let number = UInt16(word) else { throw Self.noSlotNumber(word) }
        return number
    }

    static func noSlotNumber(_ word: String) -> UsageError {
        .malformed("the slot", value: word, wanted: "the number of one (vault key list)")
    }
}

extension UnlockInput {
    /// The secret that authorizes a change: it has opened the file, so that a person who mistypes
    /// learns it before anything else is asked.
    func authorize(
        _ file: VaultFile,
        in context: CommandContext
    ) throws -> (unlock: Unlock, slot: UInt16) {
        try attempt(file, in: context) { ($0, try file.unlock(with: $0)) }
    }
}

/// What is said after a change of keys.
enum KeyReport {
    /// What the owner of a new slot has to know.
    static func added(_ slot: AddedKeySlot, _ terminal: Terminal) {
        if let keyFile = slot.keyFile {
            terminal.words("the key file of slot \(slot.number) is \(keyFile)")
            terminal.hint("keep it apart from copies of the vault")
        }
        if slot.recoveryKey != nil {
            terminal.words("the recovery key is in force, in slot \(slot.number)")
        }
    }
}
