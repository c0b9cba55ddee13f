/// The commands about keys and locks, with every kind of secret, right and wrong.
extension CommandTour {
    /// Makes the vault; whatever opens one opens it.
    static func makeVault(_ stage: Stage) throws {
        let words = ["init", "--passphrase-fd", "4", "--key-file", "--recovery-key"]
        let ended = try stage.vault(words, descriptors: [4: "\(TourSecrets.first)\n"])
        guard ended.code == 0 else { throw HarnessError("\(ended)") }
    }

    func changeKeys() throws {
        let recoveryKey = stage.history.first { $0.words.first == "init" }?.word ?? ""
        let second: [Int32: String] = [5: TourSecrets.second]
        let third: [Int32: String] = [5: TourSecrets.third]
        let other = "\(stage.stateHome)/other.key"
        let rows: [(Int32, [String], [Int32: String])] = [
            (0, ["list"], [:]), (0, ["list", "--json"], [:]),
            (0, ["add", "passphrase", "--new-passphrase-fd", "5"], second),
            (0, ["add", "key-file", other], [:]), (0, ["add", "recovery-key"], [:]),
            (0, ["change", "4", "--new-passphrase-fd", "5"], third),
            (0, ["change", "6"], [:]), (0, ["remove", "6"], [:]),
            (0, ["rotate", "--passphrase-fd", "4"], [4: TourSecrets.first]),
            (0, ["rotate", "--recovery-key-fd", "4"], [4: recoveryKey.lowercased()]),
            (5, ["rotate", "--passphrase-fd", "4"], [4: TourSecrets.wrong]),
            (1, ["rotate", "--passphrase-fd", "4"], [4: TourSecrets.wrong + "\0"]),
            (5, ["rotate", "--recovery-key-fd", "4"], [4: String(recoveryKey.dropLast(3))]),
            (5, ["rotate", "--recovery-key-fd", "4"], [4: TourSecrets.wrong]),
            (
                0, ["rekey", "--drop", "4", "--slot-fd", "1:4", "--slot-fd", "3:6"],
                [4: TourSecrets.first, 6: recoveryKey]
            ),
            (
                5, ["rekey", "--slot-fd", "1:4", "--slot-fd", "3:6"],
                [4: TourSecrets.wrong, 6: recoveryKey]
            ),
        ]
        for (code, words, descriptors) in rows {
            try expect(stage.vault(["key"] + words, descriptors: descriptors), code)
        }
        try withKeyOnDescriptor7(["key", "rotate", "--key-fd", "7"])
    }

    func lockAndUnlock() throws {
        let recoveryKey = stage.history.first { $0.words.first == "init" }?.word ?? ""
        let rows: [(Int32, [String], [Int32: String])] = [
            (0, ["lock"], [:]), (0, ["status"], [:]), (0, ["list"], [:]),
            (5, ["unlock", "--passphrase-fd", "4"], [4: TourSecrets.wrong]),
            (5, ["unlock", "--recovery-key-fd", "4"], [4: TourSecrets.wrong]),
            (0, ["unlock", "--passphrase-fd", "4"], [4: TourSecrets.first]),
            (0, ["lock", "--after", "8h"], [:]), (0, ["status", "--json"], [:]),
            (0, ["lock"], [:]),
            (0, ["unlock", "--recovery-key-fd", "4", "--lock-after", "8h"], [4: recoveryKey]),
            (0, ["lock"], [:]), (0, ["unlock"], [:]),
        ]
        for (code, words, descriptors) in rows {
            try expect(stage.vault(words, descriptors: descriptors), code)
            try look()
        }
        try withKeyOnDescriptor7(["unlock", "--key-fd", "7"])
    }

    private func withKeyOnDescriptor7(_ words: [String]) throws {
        let vault = try stage.vaultLaunch(words)
        let line = #"exec 7<"$1"; shift; exec "$@""#
        let key = try stage.keyFile()
        let launch = stage.launch(
            try Programs.system("sh"),
            ["-c", line, "sh", key, vault.path] + vault.arguments
        )
        try expect(stage.run(launch), 0)
    }

    /// A vault beside this one, everything about which is typed at a terminal.
    func typeSecrets() throws {
        let yes = #"Type "yes" or "no": "#
        try type(["init"]) { person in
            try person.answer(#"Type "passphrase" or "key file": "#, "passphrase")
            try person.answer("New passphrase: ", TourSecrets.first)
            try person.answer("The same again: ", TourSecrets.second)
            try person.answer("New passphrase: ", TourSecrets.first)
            try person.answer("The same again: ", TourSecrets.first)
            try person.answer(yes, "yes")
            try person.answer("Write it down, then press Return: ", "")
        }
        for words in [["unlock"], ["key", "rotate"], ["list"]] {
            try type(words) { person in
                guard words != ["list"] else { return }
                if words == ["unlock"] {
                    try person.answer("Passphrase of the vault: ", TourSecrets.wrong)
                }
                try person.answer("Passphrase of the vault: ", TourSecrets.first)
            }
        }
        let other: [String: String?] = ["VAULT_HOME": "\(stage.home)/typed-vault"]
        try expect(stage.vault(["agent", "stop"], environment: other), 0)
    }

    private func type(_ words: [String], _ talk: (Person) throws -> Void) throws {
        let person = try Person()
        var launch = try stage.vaultLaunch(words)
        launch.environment["VAULT_HOME"] = "\(stage.home)/typed-vault"
        launch.terminal = person.terminal
        let run = try stage.start(launch)
        try talk(person)
        try expect(stage.finish(run), 0)
        terminals.texts.append(person.seen)
    }
}
