/// The commands that make and read copies of a vault, and of single accounts.
extension CommandTour {
    private var wrong: [Int32: String] { [4: TourSecrets.wrong] }

    func copy() throws {
        let backup = "\(stage.home)/backup.db"
        let damaged = "\(stage.home)/damaged.db"
        try expect(stage.vault("backup", backup), 0)
        try expect(stage.vault("backup", backup), 1)
        for words in [["verify"], ["verify", "--json"], ["verify", backup]] {
            try expect(stage.vault(words), 0)
        }
        let passphrase = ["--passphrase-fd", "4"]
        var bytes = try Files.read(backup)
        for page in 4..<12 { bytes[page * 4096 + 2000] ^= 1 }
        try Files.write(bytes, to: damaged)
        try expect(stage.vault("verify", damaged), 8)
        try expect(stage.vault("restore", damaged), 8)
        try expect(stage.vault(["restore", backup] + passphrase, descriptors: wrong), 5)
        try expect(stage.vault("restore", backup, "--json"), 0)
        try expect(stage.vault("token", "conf"), 0)
    }

    func export() throws {
        let file = "\(stage.home)/accounts.export"
        let own = ["--export-passphrase-fd", "5"]
        let named: [Int32: String] = [4: TourSecrets.first, 5: TourSecrets.export]
        let unlock = ["--passphrase-fd", "4"]
        try expect(stage.vault(["export", file] + own + unlock, descriptors: named), 0)
        let mistaken = named.merging(wrong) { $1 }
        try expect(stage.vault(["export", "\(file)2"] + own + unlock, descriptors: mistaken), 5)
        let plain = try stage.vault("export", "--plaintext", "--account", "conf")
        try expect(plain, 0)
        guard plain.out.contains(Self.prefix) else { throw HarnessError("no secret: \(plain)") }
        try importElsewhere(file, plain.out)
    }

    /// Into a vault beside this one.
    private func importElsewhere(_ file: String, _ plain: String) throws {
        let other: [String: String?] = ["VAULT_HOME": "\(stage.home)/other-vault"]
        let own = ["--import-passphrase-fd", "5"]
        let right: [Int32: String] = [5: TourSecrets.export]
        try expect(stage.vault("init", "--key-file", environment: other), 0)
        func take(
            _ words: [String],
            _ descriptors: [Int32: String] = [:],
            input: String = ""
        )
            throws -> Ended
        {
            try stage.vault(
                ["import"] + words,
                input: input,
                environment: other,
                descriptors: descriptors
            )
        }
        try expect(take([file, "--dry-run", "--json"] + own, right), 0)
        try expect(take([file] + own, [5: TourSecrets.wrong]), 5)
        // Cut short in the middle, with a token where a number belongs, and as an unknown format.
        let token = "\"\(Self.prefix)-at-x\""
        for damage in [
            String(plain.dropLast(plain.count / 2)),
            plain.replacing("\"generation\":", with: "\"generation\":\(token),\"x\":"),
            plain.replacing("\"format\":", with: "\"format\":\(token),\"x\":"),
        ] {
            try expect(take(["-"], input: damage), 1)
        }
        try expect(take(["-"], input: plain), 0)
        try expect(take([file, "--json"] + own, right), 0)
        try expect(stage.vault(["status"], environment: other), 0)
        try expect(stage.vault(["agent", "stop"], environment: other), 0)
    }
}
