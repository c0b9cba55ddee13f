import FoundationEssentials
import Platform
import Testing

@testable import VaultCommandLine

@Suite struct HelpPagesTests {
    /// Every command there is.
    @Test func listsEveryCommand() {
        let names = HelpPages.commands.map { $0.name }
        #expect(
            names == [
                "init", "login", "add", "list", "switch", "token", "status", "log", "refresh",
                "logout", "remove", "rename", "tag", "renewal", "client", "provider", "unlock",
                "lock", "key", "backup", "restore", "verify",
                "doctor",
                "export",
                "import", "agent",
            ]
        )
        for command in HelpPages.commands {
            #expect(HelpPages.overview.contains("\n  \(command.name) "))
            #expect(HelpPages.overview.contains("  \(command.summary)\n"))
        }
    }

    static let topics =
        [nil, "help", "exit-codes", "providers"] + HelpPages.commands.map { $0.name }

    @Test("a page fits a terminal", arguments: topics)
    func page(topic: String?) throws {
        let page = try HelpPages.page(topic)
        #expect(page.hasSuffix("\n") && !page.hasSuffix("\n\n"))
        #expect(page.allSatisfy { !$0.isNewline || $0 == "\n" } && !page.contains("\t"))
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            #expect(line.count <= 80, "\(line)")
            #expect(!line.hasSuffix(" "), "\(line)")
        }
    }

    @Test("a page is as in its snapshot", arguments: topics)
    func snapshot(topic: String?) throws {
        guard topic != "help" else { return }
        try Snapshot.check(HelpPages.page(topic), named: topic ?? "overview")
    }

    @Test func everyPageBeginsWithItsUsage() {
        for command in HelpPages.commands {
            #expect(command.help.hasPrefix("vault \(command.name)"))
        }
    }

    /// The options there are: later versions add, none is renamed.
    @Test(
        "a page names its options",
        arguments: [
            ("init", ["--key-file[=PATH]", "--passphrase-fd N", "--recovery-key"]),
            (
                "key",
                [
                    "list", "add", "remove", "change", "rotate", "rekey", "--passphrase-fd N",
                    "--key-fd N", "--recovery-key-fd N", "--key-file PATH",
                    "--new-passphrase-fd N", "--drop NUMBER", "--slot-fd NUMBER:N",
                    "--purge-backups", "--json",
                ]
            ),
            (
                "add",
                [
                    "--token-endpoint URL", "--client-id ID", "--client-secret-fd N",
                    "--client-auth METHOD", "--issuer URL", "--scope S", "--tag TEXT",
                    "--provider PROVIDER", "--rotation KIND", "--send-scope",
                    "--refresh-param NAME=VALUE", "--refresh-endpoint URL",
                    "--proxy URL", "--ca-file PATH", "--client-cert PATH", "--client-key PATH",
                    "--param NAME=VALUE",
                ]
            ),
            (
                "login",
                [
                    "--issuer URL", "--client-id ID", "--client-secret-fd N", "--scope S",
                    "--redirect-uri URI", "--no-browser", "--refresh-param NAME=VALUE",
                    "--proxy URL", "--ca-file PATH", "--client-cert PATH", "--client-key PATH",
                    "--param NAME=VALUE",
                ]
            ),
            (
                "unlock",
                [
                    "--passphrase-fd N", "--key-fd N", "--recovery-key-fd N", "--key-file PATH",
                    "--lock-after DURATION",
                ]
            ),
            ("lock", ["--after DURATION"]),
            (
                "client",
                [
                    "list", "set", "--client-secret-fd N", "--token-endpoint URL",
                    "--client-auth METHOD", "--keep-old", "--json",
                ]
            ),
            ("tag", ["--add TEXT", "--remove TEXT"]),
            ("renewal", ["eager", "normal", "manual"]),
            ("list", ["--tag TEXT", "--json"]), ("doctor", ["--json"]), ("status", ["--json"]),
            ("token", ["--min-valid SECONDS", "--json"]),
            (
                "export",
                [
                    "--account NAME", "--move", "--plaintext", "--export-passphrase-fd N",
                    "--passphrase-fd N",
                ]
            ),
            (
                "import",
                [
                    "--dry-run", "--replace", "--json", "--import-passphrase-fd N",
                    "--passphrase-fd N",
                ]
            ),
            ("agent", ["run", "start", "stop", "status"]),
        ]
    )
    func options(name: String, options: [String]) throws {
        let page = try HelpPages.page(name)
        for option in options { #expect(page.contains(option)) }
    }

    @Test(
        "guesses a topic",
        arguments: [
            ("tokens", "token"), ("exit-code", "exit-codes"), ("provider-", "provider"),
            ("halp", "help"), ("bogus", nil),
        ] as [(String, String?)]
    )
    func unknown(topic: String, nearest: String?) {
        #expect(throws: UsageError.unknownCommand(topic, nearest: nearest)) {
            try HelpPages.page(topic)
        }
    }

    @Test func aTopicIsNoCommand() {
        #expect(throws: UsageError.self) { try HelpPages.command("exit-codes") }
        #expect(throws: UsageError.unknownCommand("Token", nearest: "token")) {
            try HelpPages.command("Token")
        }
    }
}

/// Texts that people read, as files: a change of words shows in a review.
enum Snapshot {
    /// Compares with `Snapshots/<name>.txt`, or writes it when VAULT_RECORD_SNAPSHOTS is set.
    static func check(_ text: String, named name: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Snapshots/\(name).txt")
        if Environment["VAULT_RECORD_SNAPSHOTS"] != nil {
            try Data(text.utf8).write(to: file)
        }
        #expect(text == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
