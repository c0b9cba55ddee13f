import Testing

extension EndToEndTests {
    /// `vault init` with a person at the terminal.
    @Suite struct InitTests {
        private static let passphrase = "correct horse battery"
        private static let kind = "Type \"passphrase\" or \"key file\": "
        private static let again = "Type passphrase or key file: "
        private static let recovery = "Type \"yes\" or \"no\": "

        @Test func aPassphraseIsTypedTwiceAndARecoveryKeyShownOnce() throws {
            try withStage { stage in
                var shown = ""
                let made = try stage.atTerminal(["init"]) { person in
                    try person.answer(Self.kind, "")
                    try person.answer(Self.again, "Passphrase")
                    try person.answer("New passphrase: ", Self.passphrase)
                    try person.answer("The same again: ", "something else")
                    try person.answer("New passphrase: ", Self.passphrase)
                    try person.answer("The same again: ", Self.passphrase)
                    try person.answer(Self.recovery, "yes")
                    try person.answer("Write it down, then press Return: ", "")
                    shown = person.seen
                }
                #expect(made.code == 0 && made.stdout.isEmpty, "\(made)")
                #expect(!shown.contains(Self.passphrase))
                let line = shown.split(separator: "\n").first { $0.hasPrefix("    ") }
                let recoveryKey = String(line?.dropFirst(4) ?? "")
                #expect(recoveryKey.count == 67 && !made.err.contains(recoveryKey))
                for (option, secret) in [
                    ("--passphrase-fd", Self.passphrase), ("--recovery-key-fd", recoveryKey),
                ] {
                    let opened = try stage.vault(
                        ["key", "rotate", option, "3"],
                        descriptors: [3: secret]
                    )
                    #expect(opened.code == 0, "\(opened)")
                }
            }
        }

        @Test func aMistypedPassphraseMayBeTypedAgain() throws {
            try withStage { stage in
                let made = try stage.vault(
                    ["init", "--passphrase-fd", "3"],
                    descriptors: [3: Self.passphrase]
                )
                #expect(made.code == 0, "\(made)")
                let question = "Passphrase of the vault: "
                let rotated = try stage.atTerminal(["key", "rotate"]) { person in
                    try person.answer(question, "something else")
                    try person.answer(question, Self.passphrase)
                }
                #expect(rotated.code == 0, "\(rotated)")
                let added = try stage.atTerminal(["key", "add", "passphrase"]) { person in
                    try person.answer(question, Self.passphrase)
                    try person.answer("New passphrase: ", "short")
                    try person.answer("The same again: ", "short")
                }
                #expect(added.code == 0 && added.err.contains("fewer than 12 bytes"), "\(added)")
                let rekeyed = try stage.atTerminal(["key", "rekey"]) { person in
                    try person.answer(question, Self.passphrase)
                    try person.answer("Passphrase of slot 2: ", "short")
                }
                #expect(rekeyed.code == 0, "\(rekeyed)")
            }
        }

        @Test func aKeyFileIsChosenInWordsToo() throws {
            try withStage { stage in
                let made = try stage.atTerminal(["init"]) { person in
                    try person.answer(Self.kind, "key file")
                    try person.answer(Self.recovery, "no")
                }
                #expect(made.code == 0, "\(made)")
                _ = try stage.keyFile()
                #expect(try stage.vault("list").code == 0)
                let second = try stage.atTerminal(["init"]) { _ in }
                #expect(second.code == 1, "\(second)")
            }
        }

        @Test func noAnswerIsNoChoice() throws {
            try withStage { stage in
                let made = try stage.atTerminal(["init"]) { person in
                    try person.answer(Self.kind, "")
                    try person.answer(Self.again, "y")
                    try person.answer(Self.again, "1")
                }
                #expect(made.code == 2, "\(made)")
                #expect(!Files.exists(stage.database))
            }
        }
    }
}
