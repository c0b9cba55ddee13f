internal import VaultCrypto
internal import VaultStore

/// Recovery keys, which are shown before they come into force.
///
/// A process may be killed, and standard output may be closed, at any moment: a key that nobody has
/// seen must not be the only one. A key that was shown in vain opens nothing.
enum ShownKey {
    /// Makes a recovery key and writes it to standard output.
    ///
    /// - Throws: when it did not arrive there, and then nothing was changed.
    static func make(_ terminal: Terminal) throws -> NewKeySlot {
        let recoveryKey = NewKeySlot.makeRecoveryKey()
        terminal.words("a recovery key, shown this once, and in force when this says so:")
        try recoveryKey.reveal { try terminal.data($0 + "\n") }
        return .shownRecoveryKey(recoveryKey)
    }

    /// Puts new slots in force; if that fails, says of a recovery key that it was shown in vain.
    static func committing<Result>(
        _ slots: [NewKeySlot],
        _ terminal: Terminal,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            if slots.contains(where: { $0.kind == .recoveryKey }) {
                terminal.words("the recovery key just shown is not in force: it opens nothing")
            }
            throw error
        }
    }
}
