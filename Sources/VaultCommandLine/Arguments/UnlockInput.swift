internal import Platform
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// The secret of one of the vault's key slots, as the words of a command and the person at the
/// terminal give it.
///
/// What the words name comes first, then the key file if it opens the vault, then a question.
struct UnlockInput: Sendable {
    /// The lines of a help page.
    static let help = """
          --passphrase-fd N    Read the passphrase from file descriptor N
          --key-fd N           Read the 32 bytes of the key file from descriptor N
          --recovery-key-fd N  Read the recovery key from file descriptor N
          --key-file PATH      Use this key file

        """

    /// How often a person may mistype.
    private static let tries = 3

    private enum Way {
        case passphrase(Int32)
        case key(Int32)
        case recoveryKey(Int32)
        case keyFile(String)
    }

    private let way: Way?

    /// Whether the words of the command say what opens the vault.
    var isNamed: Bool { way != nil }

    /// Takes the common options off the command line; at most one of them may be there.
    init(_ arguments: inout ArgumentReader) throws {
        let ways: [(name: String, way: Way?)] = [
            ("--passphrase-fd", try arguments.descriptor("--passphrase-fd").map(Way.passphrase)),
            ("--key-fd", try arguments.descriptor("--key-fd").map(Way.key)),
            (
                "--recovery-key-fd",
                try arguments.descriptor("--recovery-key-fd").map(Way.recoveryKey)
            ),
            ("--key-file", try arguments.option("--key-file").map(Way.keyFile)),
        ]
        let given = ways.filter { $0.way != nil }
        guard given.count <= 1 else { throw UsageError.strayWord(given[1].name) }
        way = given.first?.way
    }

    /// Nothing named: the key file, or a question.
    init() {
        way = nil
    }

    /// The secret of a slot, even of a vault whose keys are here.
    func read(in context: CommandContext, _ file: VaultFile) throws -> Unlock {
        if let named = try named() { return named }
        // Where nothing can be typed, what is wrong with the key file is the answer.
        guard try file.hasTypedSecret, !file.opens(with: .keyFile) else { return .keyFile }
        return try asked(PassphraseInput(descriptor: nil), file)
    }

    /// Opens the vault, and says which slot that was; a person at the terminal may try three times.
    @discardableResult
    func open(_ file: VaultFile, in context: CommandContext) throws -> UInt16 {
        try attempt(file, in: context) { try file.unlock(with: $0) }
    }

    /// Gives the secret to whoever opens something with it, again after one that was mistyped.
    func attempt<Result>(
        _ file: VaultFile,
        in context: CommandContext,
        _ body: (Unlock) throws -> Result
    ) throws -> Result {
        let unlock = try read(in: context, file)
        let input = PassphraseInput(descriptor: nil)
        guard way == nil, unlock != .keyFile, input.isTyped else { return try body(unlock) }
        var typed = unlock
        for _ in 1..<Self.tries {
            do {
                return try body(typed)
            } catch let error where Self.isMistyped(error) {
                context.terminal.words(ErrorReport(error).line)
                typed = try asked(input, file)
            }
        }
        return try body(typed)
    }

    private func named() throws -> Unlock? {
        switch way {
        case nil: nil
        case .passphrase(let descriptor):
            .passphrase(try PassphraseInput(descriptor: descriptor).read())
        case .recoveryKey(let descriptor):
            .recoveryKey(try PassphraseInput(descriptor: descriptor).read())
        case .key(let descriptor): .key(try Self.key(from: descriptor))
        case .keyFile(let path): .keyFileAt(path: FileSystem.absolute(path))
        }
    }

    private func asked(_ input: PassphraseInput, _ file: VaultFile) throws -> Unlock {
        try file.unlock(typed: input.read(prompt: "Passphrase of the vault: "))
    }

    /// The bytes of a key file, and nothing more.
    static func key(from descriptor: Int32) throws -> Secret {
        let malformed = VaultError(.invalidInput, facts: [.field: "key", .reason: "not_32_bytes"])
        do {
            var bytes = try Descriptor.readToEnd(descriptor, limit: KeyLength.key)
            guard bytes.count == KeyLength.key else {
                wipe(&bytes)
                throw malformed
            }
            return Secret(wiping: &bytes)
        } catch let error as SystemError where error == .tooLarge {
            throw malformed
        } catch let error as SystemError {
            throw VaultError(
                .storage,
                facts: [.path: "descriptor \(descriptor)", .reason: error.description]
            )
        }
    }

    /// Whether typing it again may help.
    private static func isMistyped(_ error: any Error) -> Bool {
        let error = VaultError(error)
        let reasons = ["passphrase_wrong", "recovery_key_wrong", "recovery_key_malformed"]
        return error.code == .locked && reasons.contains(error.facts[.reason] ?? "")
    }
}
