import Testing

extension EndToEndTests {
    /// Tags by the command, from the file and from an agent that alone has the keys.
    @Suite struct TagTests {
        private static let passphrase = "canary words of a person"

        private func names(_ stage: Stage, _ words: String...) throws -> [String] {
            let list = try stage.vault(["list", "--json"] + words)
            #expect(list.code == 0, "\(list)")
            return try JSON(list.word)["accounts"]?.items.compactMap { $0["name"]?.string } ?? []
        }

        @Test func accountsAreListedByTheirTags() throws {
            try withStage { stage in
                let made = try stage.vault(
                    ["init", "--passphrase-fd", "3"],
                    descriptors: [3: Self.passphrase]
                )
                #expect(made.code == 0, "\(made)")
                let unlocked = try stage.vault(
                    ["unlock", "--passphrase-fd", "3"],
                    descriptors: [3: Self.passphrase]
                )
                #expect(unlocked.code == 0, "\(unlocked)")
                for (name, tags) in [
                    ("a", ["--tag", "canary tag", "--tag=x"]), ("b", ["--tag=x"]),
                ] {
                    let added = try stage.vault(
                        ["add", name, "--client-id", "c", "--provider", "github"] + tags,
                        input: #"{"access_token":"t","refresh_token":"\#(name)"}"#
                    )
                    #expect(added.code == 0, "\(added)")
                }
                #expect(try names(stage, "--tag", "x") == ["a", "b"])
                #expect(try names(stage, "--tag", "x", "--tag", "canary tag") == ["a"])
                let changed = try stage.vault("tag", "b", "--add=y", "--remove=x")
                #expect(changed.code == 0 && changed.stdout.isEmpty, "\(changed)")
                #expect(changed.err == "vault: changed the tags of account b\n")
                #expect(try names(stage, "--tag", "x") == ["a"])
                #expect(try names(stage, "--tag", "z") == [])
                let all = try JSON(stage.vault("list", "--json").word)
                #expect(all["accounts"]?[1]?["tags"]?.items == [.string("y")])
                #expect(try stage.vault("list", "--tag", "y").out.contains("b"))
                #expect(try stage.vault("tag", "none", "--add=y").code == 3)

                #expect(try stage.vault("lock").code == 0)
                let locked = try stage.vault("list", "--tag", "x")
                #expect(locked.code == 5 && locked.stdout.isEmpty, "\(locked)")
                #expect(locked.err.contains("vault unlock"), "\(locked)")
                let hints = try JSON(stage.vault("list", "--json").word)
                #expect(hints["accounts"]?[0]?["tags"] == .null)
            }
        }
    }
}
