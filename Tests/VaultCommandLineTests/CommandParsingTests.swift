import Testing

@testable import VaultCommandLine

/// Words behind `vault`, and the usage error they end in; nil when they are right.
struct ParsingRow: Sendable, CustomTestStringConvertible {
    let words: String
    let error: UsageError?

    init(_ words: String, _ error: UsageError? = nil) {
        self.words = words
        self.error = error
    }

    var testDescription: String { words }

    func command() throws -> any Command {
        let words = words.split(separator: " ").map { $0 == "''" ? "" : String($0) }
        let command = try HelpPages.command(words[0])
        var arguments = ArgumentReader(Array(words.dropFirst()))
        return try command.init(&arguments)
    }
}

@Suite struct CommandParsingTests {
    private static let noName = UsageError.missing("the account's NAME")

    private static func badName(_ word: String) -> UsageError {
        .malformed(
            "the name",
            value: word,
            wanted: "a letter or digit and up to 127 letters, digits and ._@+-"
        )
    }

    private static func noSlot(_ word: String) -> UsageError {
        .malformed("the slot", value: word, wanted: "the number of one (vault key list)")
    }

    @Test(
        "takes right words and refuses wrong ones",
        arguments: [
            ParsingRow("init --key-file"), ParsingRow("init --key-file=/k"),
            ParsingRow("init"), ParsingRow("init --passphrase-fd 3 --recovery-key"),
            ParsingRow("init --passphrase-fd x", .notADescriptor(option: "--passphrase-fd")),
            ParsingRow("init --passphrase", .unknownOption("--passphrase", nearest: nil)),
            ParsingRow("init --key-file=", .missingValue(option: "--key-file")),
            ParsingRow("init --key-file /k", .strayWord("/k")),

            ParsingRow("list"), ParsingRow("list --json"),
            ParsingRow("list --tag t --tag=u --json"), ParsingRow("list a", .strayWord("a")),
            ParsingRow(
                "list" + (0...32).map { " --tag \($0)" }.joined(),
                .tooMany(option: "--tag", limit: 32)
            ),
            ParsingRow("list" + (0...32).map { " --tag \($0 / 2)" }.joined()),
            ParsingRow("list --jsn", .unknownOption("--jsn", nearest: "--json")),

            ParsingRow("switch a"), ParsingRow("switch", noName),
            ParsingRow("switch a b", .strayWord("b")),
            ParsingRow("switch -- -a", badName("-a")), ParsingRow("switch a/b", badName("a/b")),
            ParsingRow("switch ''", badName("")), ParsingRow("switch -", badName("-")),
            ParsingRow("switch me@work.example+1"),

            ParsingRow("status"), ParsingRow("status a"), ParsingRow("status --json a"),
            ParsingRow("status a b", .strayWord("b")), ParsingRow("status --all"),
            ParsingRow("status a --check"),
            ParsingRow("status --check --json", .strayWord("--json")),
            ParsingRow(
                "status --watch",
                .missing("a terminal for --watch (vault status --json for programs)")
            ),

            ParsingRow("log"), ParsingRow("log a --since 2d --limit 7 --follow --json"),
            ParsingRow("log --since=2026-11-30 --all"), ParsingRow("log a b", .strayWord("b")),
            ParsingRow("log --all --limit 1", .strayWord("--all")),
            ParsingRow(
                "log --limit 0",
                .malformed("--limit", value: "0", wanted: "a number from 1")
            ),
            ParsingRow(
                "log --since never",
                .malformed(
                    "--since",
                    value: "never",
                    wanted: "a time such as 90s, 15m, 8h, 2d, 2026-11-30 or 2026-11-30T08:00:00Z"
                )
            ),

            ParsingRow("refresh a"), ParsingRow("refresh", noName),
            ParsingRow("tag a --add t --remove u --add v"), ParsingRow("tag --add t", noName),
            ParsingRow("tag a", .missing("--add TEXT or --remove TEXT")),
            ParsingRow(
                "tag a --remove=\u{85}",
                .malformed(
                    "--remove",
                    value: "\u{85}",
                    wanted: "1 to 128 bytes of text in one line, without a blank at either end"
                )
            ),
            ParsingRow("remove a"), ParsingRow("remove", noName),
            ParsingRow("remove --purge-backups a"), ParsingRow("remove a b", .strayWord("b")),

            ParsingRow("backup /f"), ParsingRow("backup", .missing("FILE")),
            ParsingRow("backup --anyway /f"), ParsingRow("backup a b", .strayWord("b")),
            ParsingRow("restore /f"), ParsingRow("restore", .missing("FILE")),
            ParsingRow("restore --json --replace --key-file=/k /f"),
            ParsingRow("restore --replce /f", .unknownOption("--replce", nearest: "--replace")),
            ParsingRow("verify"), ParsingRow("verify /f"), ParsingRow("verify --json"),
            ParsingRow("verify a b", .strayWord("b")),
            ParsingRow(
                "verify --passphrase-fd x",
                .notADescriptor(option: "--passphrase-fd")
            ),

            ParsingRow("export f"), ParsingRow("export f --move --account a --account b"),
            ParsingRow("export --plaintext"), ParsingRow("export --plaintext --account a"),
            ParsingRow("export f --export-passphrase-fd 3 --passphrase-fd 4"),
            ParsingRow("export", .missing("FILE")), ParsingRow("export f g", .strayWord("g")),
            ParsingRow("export --plaintext f", .strayWord("f")),
            ParsingRow("export --plaintext --move", .strayWord("--move")),
            ParsingRow(
                "export f --account a/b",
                .malformed("--account", value: "a/b", wanted: "the name of an account")
            ),
            ParsingRow("export f --mov", .unknownOption("--mov", nearest: "--move")),
            ParsingRow(
                "export f --export-passphrase-fd secret",
                .notADescriptor(option: "--export-passphrase-fd")
            ),
            ParsingRow("doctor"), ParsingRow("doctor --json"),
            ParsingRow("doctor x", .strayWord("x")),
            ParsingRow("import f"), ParsingRow("import -"),
            ParsingRow("import f --dry-run --replace --json --import-passphrase-fd 3"),
            ParsingRow("import", .missing("FILE")), ParsingRow("import f g", .strayWord("g")),
            ParsingRow("import f --move", .unknownOption("--move", nearest: nil)),

            ParsingRow("key list"), ParsingRow("key list --json"),
            ParsingRow(
                "key list --passphrase-fd 3",
                .unknownOption("--passphrase-fd", nearest: nil)
            ),
            ParsingRow("key", .missing("list, add, remove, change, rotate or rekey")),
            ParsingRow(
                "key lst",
                .malformed(
                    "the action",
                    value: "lst",
                    wanted: "list, add, remove, change, rotate or rekey"
                )
            ),
            ParsingRow("key add passphrase"), ParsingRow("key add key-file"),
            ParsingRow("key add key-file /k --key-fd 3"),
            ParsingRow("key add passphrase --new-passphrase-fd 4 --recovery-key-fd 3"),
            ParsingRow(
                "key add",
                .missing("the kind (passphrase, key-file or recovery-key)")
            ),
            ParsingRow(
                "key add password",
                .malformed(
                    "the kind",
                    value: "password",
                    wanted: "passphrase, key-file or recovery-key"
                )
            ),
            ParsingRow("key add passphrase secret", .strayWord("secret")),
            ParsingRow(
                "key add key-file --new-passphrase-fd 4",
                .unknownOption("--new-passphrase-fd", nearest: nil)
            ),
            ParsingRow("key remove 2"), ParsingRow("key remove 2 --purge-backups"),
            ParsingRow("key remove", .missing("the slot's NUMBER")),
            ParsingRow("key remove two", noSlot("two")),
            ParsingRow("key remove 65536", noSlot("65536")),
            ParsingRow("key remove -1", .unknownOption("-1", nearest: nil)),
            ParsingRow("key change 2"), ParsingRow("key change 2 /k --purge-backups"),
            ParsingRow("key change 2 /k /l", .strayWord("/l")),
            ParsingRow("key rotate"), ParsingRow("key rotate 2", .strayWord("2")),
            ParsingRow("key rekey"), ParsingRow("key rekey --drop 2 --drop=3 --slot-fd 4:5"),
            ParsingRow("key rekey --drop two", noSlot("two")),
            ParsingRow(
                "key rekey --slot-fd 4",
                .notADescriptor(option: "--slot-fd NUMBER:N")
            ),
            ParsingRow(
                "key rekey --slot-fd 4:secret",
                .notADescriptor(option: "--slot-fd NUMBER:N")
            ),
            ParsingRow(
                "key rekey --slot-fd 4:5 --slot-fd 4:6",
                .repeatedOption("--slot-fd 4:N")
            ),

            ParsingRow("client list"), ParsingRow("client list --json"),
            ParsingRow("client list c", .strayWord("c")),
            ParsingRow("client", .missing("list or set")),
            ParsingRow(
                "client lst",
                .malformed("the action", value: "lst", wanted: "list or set")
            ),
            ParsingRow("client set c --client-secret-fd 3"),
            ParsingRow(
                "client set c --client-secret-fd 3 --keep-old --client-auth client_secret_post"
                    + " --token-endpoint https://as.example/token"
            ),
            ParsingRow("client set c", .missing("--client-secret-fd N")),
            ParsingRow("client set --client-secret-fd 3", .missing("the client's ID")),
            ParsingRow("client set '' --client-secret-fd 3", .missing("the client's ID")),
            ParsingRow("client set c s --client-secret-fd 3", .strayWord("s")),
            ParsingRow(
                "client set c --client-secret-fd hunter2",
                .notADescriptor(option: "--client-secret-fd")
            ),
            ParsingRow(
                "client set c --client-secret-fd 3 --client-auth none",
                .malformed(
                    "--client-auth",
                    value: "none",
                    wanted: "client_secret_basic or client_secret_post"
                )
            ),
            ParsingRow(
                "client set c --client-secret-fd 3 --token-endpoint http://as.example",
                .malformed(
                    "--token-endpoint",
                    value: "http://as.example",
                    wanted: "https (http is for this machine alone)"
                )
            ),

            ParsingRow("unlock"), ParsingRow("unlock --passphrase-fd 3 --lock-after 8h"),
            ParsingRow("unlock --key-fd 3"), ParsingRow("unlock --recovery-key-fd=3"),
            ParsingRow("unlock --key-file /k"),
            ParsingRow("unlock --passphrase-fd 3 --key-fd 4", .strayWord("--key-fd")),
            ParsingRow(
                "unlock --passphrase-fd hunter2",
                .notADescriptor(option: "--passphrase-fd")
            ),
            ParsingRow("unlock hunter2", .strayWord("hunter2")),
            ParsingRow("lock"), ParsingRow("lock --after 15m"),
            ParsingRow("lock x", .strayWord("x")),
            ParsingRow("lock --after", .missingValue(option: "--after")),

            ParsingRow("agent run"), ParsingRow("agent start"), ParsingRow("agent stop"),
            ParsingRow("agent status"), ParsingRow("agent start x", .strayWord("x")),
            ParsingRow("agent", .missing("run, start, stop, status, install or uninstall")),
            ParsingRow(
                "agent restart",
                .malformed(
                    "the action",
                    value: "restart",
                    wanted: "run, start, stop, status, install or uninstall"
                )
            ),
            ParsingRow("agent --on-demand", .unknownOption("--on-demand", nearest: nil)),
        ]
    )
    func parses(row: ParsingRow) {
        expect(row)
    }

    @Test(
        "reads vault token",
        arguments: [
            (
                "token",
                "TokenCommand(account: nil, request: nil, minimumLifetime: nil, isJSON: false)"
            ),
            (
                "token a",
                "TokenCommand(account: Optional(a), request: nil, minimumLifetime: nil, isJSON: false)"
            ),
            (
                "token --json a --min-valid 60",
                "TokenCommand(account: Optional(a), request: nil, minimumLifetime: Optional(60.0), isJSON: true)"
            ),
            (
                "token --min-valid=0",
                "TokenCommand(account: nil, request: nil, minimumLifetime: Optional(0.0), isJSON: false)"
            ),
        ]
    )
    func token(words: String, command: String) throws {
        #expect(try "\(ParsingRow(words).command())" == command)
    }

    @Test(
        "refuses a wrong minimum",
        arguments: ["1.5", "1h", "4294967296", "nan", "0x10", "-1", ""]
    )
    func minimum(text: String) {
        expect(
            ParsingRow(
                "token --min-valid=\(text)",
                .malformed("--min-valid", value: text, wanted: "a number of seconds")
            )
        )
    }

    private static let addition = "add a --token-endpoint https://as.example/token --client-id c"

    @Test(
        "reads vault add",
        arguments: [
            ParsingRow(addition),
            ParsingRow(addition + " --issuer https://as.example --scope s --scope t"),
            ParsingRow(addition + " --tag t --tag=u"),
            ParsingRow(
                addition + " --tag=a\u{7}",
                .malformed(
                    "--tag",
                    value: "a\u{7}",
                    wanted: "1 to 128 bytes of text in one line, without a blank at either end"
                )
            ),
            ParsingRow(addition + " --client-secret-fd 3"),
            ParsingRow(addition + " --client-secret-fd 3 --client-auth client_secret_post"),
            ParsingRow(addition + " --client-secret-fd 3 --client-auth client_secret_basic"),
            ParsingRow(addition + " --client-auth none"),
            ParsingRow(
                addition + " --client-auth none --client-secret-fd 3",
                .malformed("--client-auth", value: "none", wanted: "a way to use a secret")
            ),
            ParsingRow(
                addition + " --client-auth client_secret_post",
                .missing("--client-secret-fd N")
            ),
            ParsingRow(
                addition + " --client-auth private_key_jwt",
                .malformed(
                    "--client-auth",
                    value: "private_key_jwt",
                    wanted: "none, client_secret_basic or client_secret_post"
                )
            ),
            ParsingRow(
                addition + " --client-secret-fd x",
                .notADescriptor(option: "--client-secret-fd")
            ),
            ParsingRow(addition + " b", .strayWord("b")),
            ParsingRow("add a --client-id c", .missing("--token-endpoint URL")),
            ParsingRow("add a --token-endpoint https://as.example", .missing("--client-id ID")),
            ParsingRow("add --token-endpoint https://a.example --client-id c", noName),
            ParsingRow(
                "add a --token-endpoint https://as.example --client-id=",
                .missing("--client-id ID")
            ),
            ParsingRow(
                "add a --token-endpoint http://as.example --client-id c",
                .malformed(
                    "--token-endpoint",
                    value: "http://as.example",
                    wanted: "https (http is for this machine alone)"
                )
            ),
            ParsingRow(
                addition + " --issuer as.example",
                .malformed("--issuer", value: "as.example", wanted: "an https address")
            ),
        ]
    )
    func add(row: ParsingRow) {
        expect(row)
    }

    private static let signIn = "login a --issuer https://as.example --client-id c"

    @Test(
        "reads vault login",
        arguments: [
            ParsingRow(signIn),
            ParsingRow(signIn + " --no-browser --scope s --redirect-uri http://127.0.0.1:8080/cb"),
            ParsingRow(signIn + " --client-secret-fd=0"),
            ParsingRow("login a"),
            ParsingRow("login a --client-id=", .missing("--client-id ID")),
            ParsingRow("login --issuer https://as.example --client-id c", noName),
            ParsingRow(
                "login a --client-id --issuer https://as.example",
                .missingValue(option: "--client-id")
            ),
            ParsingRow(signIn + " --no-browser=1", .unexpectedValue(option: "--no-browser")),
            ParsingRow(
                signIn + " --redirect-uri ftp://x",
                .malformed("--redirect-uri", value: "ftp://x", wanted: "an https address")
            ),
            ParsingRow(
                signIn + " --client-secret s3cret",
                .unknownOption("--client-secret", nearest: nil)
            ),
        ]
    )
    func login(row: ParsingRow) {
        expect(row)
    }

    @Test(
        "an address is refused without what may be a password in it",
        arguments: [
            ("https://me:s3cret@as.example", "https://…@as.example"),
            ("me:s3cret@as.example", "…@as.example"),
            ("ftp://s3cret@a@b", "ftp://…@b"),
        ]
    )
    func userInfo(address: String, shown: String) throws {
        do {
            _ = try ParsingRow("login a --client-id c --issuer \(address)").command()
            Issue.record("taken")
        } catch UsageError.malformed(_, let value, _) {
            #expect(value == shown)
        }
    }

    private func expect(_ row: ParsingRow) {
        var found: UsageError?
        do {
            _ = try row.command()
        } catch let error as UsageError {
            found = error
        } catch {
            Issue.record(error)
        }
        #expect(found == row.error)
    }
}
