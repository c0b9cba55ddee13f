internal import Platform
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

struct InitCommand: Command {
    static let name = "init"
    static let summary = "Make a vault"
    static let help = """
        vault init [--key-file[=PATH]] [--passphrase-fd N] [--recovery-key]
                   [--allow-network-file-system]

        Makes an empty vault. Without options it asks at the terminal what opens it.

          --key-file[=PATH]  A key file opens it. Without a path it goes to
                             ~/.local/state/vault/<vault id>.key. A key file that is
                             there already is used as it is.
          --passphrase-fd N  A passphrase opens it, read from file descriptor N:
                             1 to 1024 bytes taken as they are, without the line end
          --recovery-key     A recovery key opens it as well; it is printed on standard
                             output, this once
          --allow-network-file-system
                             Make it also where other machines can reach it: two of
                             them may spend one refresh token and end the grant

        The vault is in $VAULT_HOME, else $XDG_DATA_HOME/vault, else
        ~/.local/share/vault. What it protects is every copy of it that comes without
        the key file: keep them apart. The names of accounts can be read without a key.

        """

    /// Set when a key file is wanted; the path may be left out.
    private let keyFile: String??
    private let passphrase: Int32?
    private let hasRecoveryKey: Bool
    private let allowsNetwork: Bool

    init(_ arguments: inout ArgumentReader) throws {
        keyFile = try arguments.optionalValue("--key-file")
        passphrase = try arguments.descriptor("--passphrase-fd")
        hasRecoveryKey = try arguments.flag("--recovery-key")
        allowsNetwork = try arguments.flag("--allow-network-file-system")
        try arguments.finish()
    }

    func run(in context: CommandContext) throws {
        var slots: [NewKeySlot] = []
        let terminal = context.terminal
        if let passphrase {
            let secret = try PassphraseInput(descriptor: passphrase).readNew(terminal: terminal)
            slots.append(.passphrase(NewSecret.warned(secret, terminal)))
        }
        if let keyFile { slots.append(.keyFile(path: keyFile)) }
        if hasRecoveryKey { try NewSecret.checkOutput() }
        let isAsking = slots.isEmpty
        if isAsking {
            guard ControllingTerminal.isThere else {
                throw UsageError.missing("--key-file[=PATH] or --passphrase-fd N (no terminal)")
            }
            try InitQuestions.checkPlace(context.location)
            slots = [try InitQuestions.askForKey(terminal)]
        }
        if hasRecoveryKey {
            try InitQuestions.checkPlace(context.location)
            slots.append(try ShownKey.make(terminal))
        } else if try isAsking && InitQuestions.wantsRecoveryKey() {
            slots.append(try InitQuestions.showRecoveryKey())
        }
        let added = try ShownKey.committing(slots, terminal) {
            try VaultFile.create(
                context.location,
                slots: slots,
                allowingNetworkFileSystem: allowsNetwork,
                now: context.clock.now().wall
            )
        }
        terminal.words("made a vault in \(context.location.directory)")
        for slot in added { report(slot, terminal) }
        terminal.hint("the names of accounts can be read without a key")
    }

    private func report(_ slot: AddedKeySlot, _ terminal: Terminal) {
        guard let keyFile = slot.keyFile else { return KeyReport.added(slot, terminal) }
        terminal.words("its key file is \(keyFile)")
        terminal.hint("without the key file nobody can open it: keep a copy in a safe place")
    }
}

/// What `vault init` asks at the terminal.
enum InitQuestions {
    private static let rounds = 3

    /// Nobody answers questions for a vault that cannot be made.
    static func checkPlace(_ location: VaultLocation) throws {
        guard !FileSystem.exists(location.database) else {
            throw StoreError.vaultExists(path: location.database)
        }
    }

    /// The first key slot: no answer is a choice.
    static func askForKey(_ terminal: Terminal) throws -> NewKeySlot {
        let answer = try choose(
            """
            What is to open the vault? A passphrase is typed to unlock it, after every
            start of the machine. A key file opens it unasked, and protects the copies of
            the vault that come without it.
            Type "passphrase" or "key file":\u{20}
            """,
            among: ["passphrase", "key file"]
        )
        guard answer == "passphrase" else { return .keyFile(path: nil) }
        let secret = try PassphraseInput(descriptor: nil).readNew(terminal: terminal)
        return .passphrase(NewSecret.warned(secret, terminal))
    }

    static func wantsRecoveryKey() throws -> Bool {
        try choose(
            """
            A recovery key, written down and kept elsewhere, opens the vault when the
            other key is lost. Make one? Type "yes" or "no":\u{20}
            """,
            among: ["yes", "no"]
        ) == "yes"
    }

    /// Makes a recovery key and shows it on the terminal, whatever standard output is.
    static func showRecoveryKey() throws -> NewKeySlot {
        let recoveryKey = NewKeySlot.makeRecoveryKey()
        try recoveryKey.reveal { text in
            _ = try TerminalQuestion.ask(
                """
                The recovery key, shown this once:

                    \(text)

                Write it down, then press Return:\u{20}
                """
            )
        }
        return .shownRecoveryKey(recoveryKey)
    }

    private static func choose(_ question: String, among answers: [String]) throws -> String {
        for round in 1...rounds {
            let prompt = round == 1 ? question : "Type \(answers.joined(separator: " or ")): "
            guard let answer = try TerminalQuestion.ask(prompt) else { break }
            if let answer = answers.first(where: { $0 == answer.lowercased() }) { return answer }
        }
        throw UsageError.missing("an answer (\(answers.joined(separator: " or ")))")
    }
}
