internal import Platform
internal import VaultCrypto
internal import VaultKit
internal import VaultStore

/// A passphrase from a descriptor, from the person at the terminal, or from standard input: never
/// from an argument.
struct PassphraseInput: Sendable {
    private static let limit = Passphrase.lengths.upperBound
    /// How often a new one is asked for when the two times differ.
    private static let rounds = 3

    /// The descriptor that `--passphrase-fd` named.
    let descriptor: Int32?
    /// Asks the person at the terminal; nil without one.
    let ask: (@Sendable (_ prompt: String) throws -> Secret)?
    /// Whether standard input is data that may be the passphrase.
    let readsStandardInput: Bool

    /// The passphrase of a command; one whose standard input is something else does not read it.
    init(descriptor: Int32?, readsStandardInput: Bool = true) {
        self.init(
            descriptor: descriptor,
            ask: ControllingTerminal.isThere ? Self.askHidden : nil,
            readsStandardInput: readsStandardInput && !Descriptor.isTerminal(0)
        )
    }

    init(
        descriptor: Int32?,
        ask: (@Sendable (_ prompt: String) throws -> Secret)?,
        readsStandardInput: Bool
    ) {
        self.descriptor = descriptor
        self.ask = ask
        self.readsStandardInput = readsStandardInput
    }

    /// Whether a person types it, who may mistype.
    var isTyped: Bool { descriptor == nil && ask != nil }

    /// A passphrase that exists already.
    func read(prompt: String = "Passphrase: ") throws -> Secret {
        if let descriptor { return try Self.read(from: descriptor) }
        if let ask { return try Self.checked(ask(prompt)) }
        guard readsStandardInput else { throw Self.missing }
        let passphrase = try Self.line(from: 0)
        // Nobody meant an empty standard input.
        guard !passphrase.isEmpty else { throw Self.missing }
        return try Self.checked(passphrase)
    }

    /// A new passphrase, which a person at the terminal types twice.
    func readNew(
        prompt: String = "New passphrase: ",
        again: String = "The same again: ",
        terminal: Terminal
    ) throws -> Secret {
        guard descriptor == nil, let ask else { return try read() }
        for round in 1...Self.rounds {
            let first = try Self.checked(ask(prompt))
            if try ask(again) == first { return first }
            if round < Self.rounds { terminal.words("they differ: once more") }
        }
        throw Self.invalid("differ")
    }

    // MARK: - Where it comes from

    @Sendable private static func askHidden(_ prompt: String) throws -> Secret {
        do {
            var bytes = try ControllingTerminal.ask(prompt, isHidden: true, limit: limit)
            return Secret(wiping: &bytes)
        } catch let error where error == .inputEnded || error == .noTerminal {
            throw missing
        } catch let error where error == .lineTooLong {
            throw invalid("too_long")
        } catch {
            throw VaultError(
                .storage,
                facts: [.path: "the terminal", .reason: error.description]
            )
        }
    }

    private static func read(from descriptor: Int32) throws -> Secret {
        try checked(line(from: descriptor))
    }

    /// All of a descriptor but one line end.
    private static func line(from descriptor: Int32) throws -> Secret {
        var bytes: [UInt8]
        do {
            // With its line end.
            bytes = try Descriptor.readToEnd(descriptor, limit: limit + 2)
        } catch let error where error == .tooLarge {
            throw invalid("too_long")
        } catch {
            throw VaultError(
                .storage,
                facts: [.path: "descriptor \(descriptor)", .reason: error.description]
            )
        }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return Secret(wiping: &bytes)
    }

    // MARK: - What is one

    private static func checked(_ passphrase: Secret) throws -> Secret {
        if let problem = Passphrase.problem(with: passphrase) { throw invalid(problem.rawValue) }
        return passphrase
    }

    private static func invalid(_ reason: String) -> VaultError {
        VaultError(.invalidInput, facts: [.field: "passphrase", .reason: reason])
    }

    private static var missing: UsageError {
        .missing("the passphrase (there is no terminal: --passphrase-fd N)")
    }
}

/// A question to the person at the terminal, whose answer shows as it is typed.
enum TerminalQuestion {
    /// The answer without blanks around it; nil without a terminal, or when there is no answer.
    static func ask(_ prompt: String) throws -> String? {
        do {
            let bytes = try ControllingTerminal.ask(prompt, isHidden: false, limit: 1024)
            let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let words = bytes.drop(while: blank).reversed().drop(while: blank).reversed()
            return String(decoding: words, as: UTF8.self)
        } catch let error where error == .noTerminal || error == .inputEnded {
            return nil
        } catch {
            throw VaultError(
                .storage,
                facts: [.path: "the terminal", .reason: error.description]
            )
        }
    }
}
