import FoundationEssentials
import Testing

/// Rules about the sources that no compiler knows.
@Suite struct SourceRulesTests {
    /// Files that may, and how often, where nobody can have a lock on what they open.
    private static let exceptions = [
        // A copy of its own that no other process knows.
        "VaultStore/Copies/PrivateCopy.swift": 2,
        // What SQLite does not open any more is kept byte by byte.
        "VaultStore/Copies/Restore.swift": 1,
    ]

    /// Row F-18: a process that opens and closes the database file by hand loses the locks that
    /// SQLite holds on it, so only SQLite opens it.
    @Test func onlyAConnectionOpensTheDatabase() throws {
        let lines = try Self.lines(["database", "companions"], in: "Sources")
        #expect(lines.contains { $0.text.contains("Connection(path: location.database") })
        let openings = lines.filter { Self.opensTheDatabase($0.text) }
        for (file, found) in Dictionary(grouping: openings, by: \.file) {
            #expect(found.count <= Self.exceptions[file, default: 0], "\(found)")
        }
    }

    @Test(
        arguments: [
            "let bytes = try FileSystem.read(location.database, limit: 16)",
            "let descriptor = open(location.database, O_RDONLY)",
            "try FileSystem.copy(vault.location.database, to: path)",
            "let file = try AppendFile(path: location.database)",
            "sqlite3_open_v2(location.database, &other, flags, nil)",
        ]
    )
    func theRuleSeesWhatIsAgainstIt(line: String) {
        #expect(Self.opensTheDatabase(line))
    }

    /// Rows 44, 59 and 60 of the security cases, F-70 and F-71, and F03 of the command's: no
    /// function that CVE-2025-69277 concerns, and no keyring of the desktop or the kernel that could
    /// be locked, hang or forget.
    @Test(
        arguments: [
            "ed25519", "crypto_sign", "keyctl", "add_key", "org.freedesktop.secrets", "libsecret",
            "dbus",
        ]
    )
    func theSourcesHaveNoneOf(word: String) throws {
        #expect(try Self.lines([word], in: "Sources").isEmpty)
    }

    private static func opensTheDatabase(_ line: String) -> Bool {
        let call =
            /\b(open|openat|fopen|read|write|writeNew|copy|sqlite3_open_v2|AppendFile|Data)\(/
        let file = /\b(database|companions)\b/
        // Most lines speak of something else, and that is seen sooner without a pattern.
        return (line.contains("database") || line.contains("companions"))
            && !line.drop { $0 == " " }.hasPrefix("//")
            && line.contains(call.wordBoundaryKind(.simple))
            && line.contains(file.wordBoundaryKind(.simple))
            && !line.contains("Connection(path: ")
    }

    /// The lines of the files that have one of the words.
    private static func lines(
        _ words: [String],
        in folder: String
    ) throws -> [(file: String, text: String)] {
        let root = "\(Programs.packageRoot)/\(folder)"
        let files = try FileManager.default.subpathsOfDirectory(atPath: root)
            .filter { $0.hasSuffix(".swift") }
        return try files.flatMap { file -> [(file: String, text: String)] in
            let bytes = try Files.read("\(root)/\(file)")
            guard words.contains(where: { SecretSearch.contains(bytes, Array($0.utf8)) }) else {
                return []
            }
            return bytes.split(separator: UInt8(ascii: "\n")).map {
                (file, String(decoding: $0, as: UTF8.self))
            }
        }
    }
}
