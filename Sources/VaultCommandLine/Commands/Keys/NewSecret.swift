internal import Platform
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// The secret of a slot to come.
struct NewSecret: Sendable {
    /// The kinds, as the words of a command name them.
    private static let kinds: [(word: String, kind: KeySlot.Kind)] = [
        ("passphrase", .passphrase), ("key-file", .keyFile), ("recovery-key", .recoveryKey),
    ]
    private static let wanted = "passphrase, key-file or recovery-key"

    private let descriptor: Int32?
    /// Where the key file goes; the word behind the kind, which is read after the options.
    var path: String?

    /// Takes the option off the command line.
    init(_ arguments: inout ArgumentReader) throws {
        descriptor = try arguments.descriptor("--new-passphrase-fd")
    }

    /// The kind that a word names.
    static func kind(_ word: String) throws(UsageError) -> KeySlot.Kind {
        guard let named = kinds.first(where: { $0.word == word }) else {
            throw .malformed("the kind", value: word, wanted: wanted)
        }
        return named.kind
    }

    /// Refuses what another kind has, before anything is asked.
    func check(for kind: KeySlot.Kind) throws(UsageError) {
        if let path, kind != .keyFile { throw .strayWord(path) }
        if path?.isEmpty == true { throw .malformed("the path", value: "", wanted: "one") }
        if descriptor != nil, kind != .passphrase {
            throw .unknownOption("--new-passphrase-fd", nearest: nil)
        }
        if kind == .recoveryKey { try Self.checkOutput() }
    }

    /// Makes it: a passphrase is asked for twice on the terminal, and a recovery key is shown.
    func make(_ kind: KeySlot.Kind, _ terminal: Terminal) throws -> NewKeySlot {
        switch kind {
        case .keyFile: return .keyFile(path: path)
        case .recoveryKey: return try ShownKey.make(terminal)
        case .passphrase:
            let input = PassphraseInput(descriptor: descriptor, readsStandardInput: false)
            guard descriptor != nil || input.isTyped else {
                throw UsageError.missing("--new-passphrase-fd N (there is no terminal)")
            }
            return .passphrase(try Self.warned(input.readNew(terminal: terminal), terminal))
        }
    }

    /// The same passphrase, after a warning if it is short.
    static func warned(_ passphrase: Secret, _ terminal: Terminal) -> Secret {
        if passphrase.count < Passphrase.advisedLength {
            terminal.warning(
                "the passphrase has fewer than \(Passphrase.advisedLength) bytes: it may be guessed"
            )
        }
        return passphrase
    }

    /// Refuses to make a recovery key that nobody would see.
    static func checkOutput() throws(UsageError) {
        guard (try? FileSystem.resolved("/proc/self/fd/1")) != "/dev/null" else {
            throw .missing("standard output for the recovery key, which is printed once,")
        }
    }
}
