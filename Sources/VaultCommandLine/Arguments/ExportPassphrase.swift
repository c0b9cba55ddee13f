internal import VaultCrypto

/// The passphrase that an export has of its own, so that the vault's need not be told to anybody.
struct ExportPassphrase: Sendable {
    /// How often a person may mistype.
    static let tries = 3

    private let option: String
    let input: PassphraseInput

    init(_ arguments: inout ArgumentReader, option: String) throws {
        self.option = option
        input = PassphraseInput(descriptor: try arguments.descriptor(option))
    }

    func readNew(terminal: Terminal) throws -> Secret {
        try naming {
            try input.readNew(
                prompt: "New passphrase for the export: ",
                again: "The same again: ",
                terminal: terminal
            )
        }
    }

    func read() throws -> Secret {
        try naming { try input.read(prompt: "Passphrase of the export: ") }
    }

    /// The option that is wanted is this one, not that of the vault's passphrase.
    private func naming(_ body: () throws -> Secret) throws -> Secret {
        do {
            return try body()
        } catch UsageError.missing {
            throw UsageError.missing(
                "the export's passphrase (there is no terminal: \(option) N)"
            )
        }
    }
}
