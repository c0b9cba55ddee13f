import Testing

@testable import VaultCommandLine

/// One line of words, read as a command with one flag, one option, one that repeats and two words.
struct ReadingRow: Sendable, CustomTestStringConvertible {
    let words: [String]
    let expected: Result<Reading, UsageError>

    init(_ words: String, _ expected: Result<Reading, UsageError>) {
        self.words = words.split(separator: " ").map { $0 == "''" ? "" : String($0) }
        self.expected = expected
    }

    var testDescription: String { words.joined(separator: " ") }
}

/// What was read.
struct Reading: Sendable, Equatable {
    var isJSON = false
    var issuer: String?
    var scope: [String] = []
    var values: [String] = []

    init(
        json isJSON: Bool = false,
        issuer: String? = nil,
        scope: [String] = [],
        _ values: String...
    ) {
        self.isJSON = isJSON
        self.issuer = issuer
        self.scope = scope
        self.values = values
    }

    init(_ words: [String]) throws(UsageError) {
        var arguments = ArgumentReader(words)
        issuer = try arguments.option("--issuer", "-i")
        scope = try arguments.options("--scope")
        isJSON = try arguments.flag("--json")
        values = [try arguments.value(named: "NAME")]
        if let second = try arguments.optionalWord() { values.append(second) }
        try arguments.finish()
    }
}

@Suite struct ArgumentReaderTests {
    @Test(
        "reads",
        arguments: [
            ReadingRow("a", .success(Reading("a"))),
            ReadingRow("a b", .success(Reading("a", "b"))),
            ReadingRow("a b c", .failure(.strayWord("c"))),
            ReadingRow("''", .success(Reading(""))),
            ReadingRow("-", .success(Reading("-"))),
            ReadingRow("", .failure(.missing("NAME"))),

            ReadingRow("--issuer u a", .success(Reading(issuer: "u", "a"))),
            ReadingRow("a --issuer u", .success(Reading(issuer: "u", "a"))),
            ReadingRow("a --issuer u b", .success(Reading(issuer: "u", "a", "b"))),
            ReadingRow("--issuer=u a", .success(Reading(issuer: "u", "a"))),
            ReadingRow("--issuer= a", .success(Reading(issuer: "", "a"))),
            ReadingRow("--issuer '' a", .success(Reading(issuer: "", "a"))),
            ReadingRow("--issuer=u=v a", .success(Reading(issuer: "u=v", "a"))),
            ReadingRow("--issuer - a", .success(Reading(issuer: "-", "a"))),
            ReadingRow("-i u a", .success(Reading(issuer: "u", "a"))),
            ReadingRow("--issuer u", .failure(.missing("NAME"))),
            ReadingRow("a --issuer", .failure(.missingValue(option: "--issuer"))),
            ReadingRow("a -i", .failure(.missingValue(option: "-i"))),
            ReadingRow("a --issuer -- u", .failure(.missingValue(option: "--issuer"))),
            ReadingRow("a --issuer u --issuer u", .failure(.repeatedOption("--issuer"))),
            ReadingRow("a --issuer u -i v", .failure(.repeatedOption("--issuer"))),
            ReadingRow("a --issuer=u --issuer v", .failure(.repeatedOption("--issuer"))),

            ReadingRow("a --scope s", .success(Reading(scope: ["s"], "a"))),
            ReadingRow("--scope s a --scope=t", .success(Reading(scope: ["s", "t"], "a"))),
            ReadingRow("--scope= a", .success(Reading(scope: [""], "a"))),

            ReadingRow("--json a", .success(Reading(json: true, "a"))),
            ReadingRow("a --json", .success(Reading(json: true, "a"))),
            ReadingRow("--json a --json", .failure(.repeatedOption("--json"))),
            ReadingRow("--json=yes a", .failure(.unexpectedValue(option: "--json"))),
            ReadingRow("--json= a", .failure(.unexpectedValue(option: "--json"))),
        ]
    )
    func reads(row: ReadingRow) {
        #expect(Result { () throws(UsageError) in try Reading(row.words) } == row.expected)
    }

    /// A forgotten value swallows neither the option behind it nor what only became its neighbour.
    @Test(
        "takes no option for a value",
        arguments: [
            ReadingRow("a --issuer --json", .failure(.missingValue(option: "--issuer"))),
            ReadingRow("a --issuer --scope s", .failure(.missingValue(option: "--issuer"))),
            ReadingRow("a --scope --issuer u b", .failure(.missingValue(option: "--scope"))),
            ReadingRow("--scope --json a", .failure(.missingValue(option: "--scope"))),
            ReadingRow("a --issuer -u", .failure(.missingValue(option: "--issuer"))),
            ReadingRow("a --issuer=-u", .success(Reading(issuer: "-u", "a"))),
            ReadingRow("a --issuer=--json", .success(Reading(issuer: "--json", "a"))),
        ]
    )
    func options(row: ReadingRow) {
        #expect(Result { () throws(UsageError) in try Reading(row.words) } == row.expected)
    }

    @Test(
        "ends the options at --",
        arguments: [
            ReadingRow("-- a", .success(Reading("a"))),
            ReadingRow("--json -- a", .success(Reading(json: true, "a"))),
            ReadingRow("-- --json", .success(Reading("--json"))),
            ReadingRow("-- -- a", .success(Reading("--", "a"))),
            ReadingRow("a -- --json", .success(Reading("a", "--json"))),
            ReadingRow("a --", .success(Reading("a"))),
            ReadingRow("a -- b c", .failure(.strayWord("c"))),
            ReadingRow("--", .failure(.missing("NAME"))),
        ]
    )
    func literals(row: ReadingRow) {
        #expect(Result { () throws(UsageError) in try Reading(row.words) } == row.expected)
    }

    @Test(
        "names an unknown option and what may have been meant",
        arguments: [
            ("a --jsn", "--jsn", "--json"), ("--jsno a", "--jsno", "--json"),
            ("a --isuer u", "--isuer", "--issuer"), ("a --scopes=s", "--scopes", "--scope"),
            ("a --verbose", "--verbose", nil), ("a -x", "-x", "-i"),
            // The value behind the equals sign may be a secret.
            ("a --client-secret=s3cret", "--client-secret", nil),
            // No bundling, no abbreviation, no value glued to a letter.
            ("a --iss u", "--iss", nil), ("a -iu", "-iu", "-i"), ("a -i=u", "-i", "-i"),
            ("a ---json", "---json", "--json"),
        ] as [(String, String, String?)]
    )
    func unknown(words: String, option: String, nearest: String?) {
        #expect(throws: UsageError.unknownOption(option, nearest: nearest)) {
            try Reading(words.split(separator: " ").map(String.init))
        }
    }

    @Test(
        "gives a value that may be left out by an equals sign alone",
        arguments: [
            ([], .success(.none)), (["--key-file"], .success(.some(nil))),
            (["--key-file=/k"], .success("/k")), (["--key-file=a=b"], .success("a=b")),
            (["--key-file="], .failure(.missingValue(option: "--key-file"))),
            (["--key-file", "/k"], .failure(.strayWord("/k"))),
            (["--key-file", "--key-file=/k"], .failure(.repeatedOption("--key-file"))),
            (["--", "--key-file"], .failure(.strayWord("--key-file"))),
            (
                ["--key-files"],
                .failure(.unknownOption("--key-files", nearest: "--key-file"))
            ),
        ] as [([String], Result<String??, UsageError>)]
    )
    func optionalValue(words: [String], expected: Result<String??, UsageError>) {
        let found = Result { () throws(UsageError) in
            var arguments = ArgumentReader(words)
            let value = try arguments.optionalValue("--key-file")
            try arguments.finish()
            return value
        }
        #expect(found == expected)
    }

    @Test(
        "takes a descriptor by its number",
        arguments: [
            (["--fd", "3"], .success(3)), (["--fd=0"], .success(0)), ([], .success(nil)),
            (["--fd=-1"], .failure(.notADescriptor(option: "--fd"))),
            (["--fd="], .failure(.notADescriptor(option: "--fd"))),
            (["--fd", "s3cret"], .failure(.notADescriptor(option: "--fd"))),
            (["--fd", "2147483648"], .failure(.notADescriptor(option: "--fd"))),
            (["--fd", "3 "], .failure(.notADescriptor(option: "--fd"))),
            (["--fd", "-1"], .failure(.missingValue(option: "--fd"))),
        ] as [([String], Result<Int32?, UsageError>)]
    )
    func descriptor(words: [String], expected: Result<Int32?, UsageError>) {
        let found = Result { () throws(UsageError) in
            var arguments = ArgumentReader(words)
            return try arguments.descriptor("--fd")
        }
        #expect(found == expected)
    }
}

@Suite struct SuggestionTests {
    @Test(
        "guesses up to two edits away",
        arguments: [
            ("list", "list"), ("lst", "list"), ("lists", "list"), ("ls", "list"),
            ("tokne", "token"),
            ("lgoin", "login"), ("stats", "status"), ("remov", "remove"), ("refresh!", "refresh"),
            ("delete", nil), ("xyzzy", nil), ("", nil), ("LIST", nil),
            (String(repeating: "a", count: 10_000), nil),
        ] as [(String, String?)]
    )
    func nearest(word: String, expected: String?) {
        let commands = ["list", "login", "token", "status", "remove", "refresh"]
        #expect(Suggestion.nearest(to: word, in: commands) == expected)
    }

    @Test func knowsNothingWithoutCandidates() {
        #expect(Suggestion.nearest(to: "list", in: []) == nil)
    }
}
