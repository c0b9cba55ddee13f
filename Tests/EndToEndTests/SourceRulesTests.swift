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
        let lines = try Self.lines(in: "Sources")
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

    private static func opensTheDatabase(_ line: String) -> Bool {
        let call = /\b(open|read|write|copy|fopen|openat|sqlite3_open|File|Append|Data)\w*\(/
        let file = /\b(database|companions)\b/
        // Most lines speak of something else, and that is seen sooner without a pattern.
        return (line.contains("database") || line.contains("companions"))
            && !line.drop { $0 == " " }.hasPrefix("//")
            && line.contains(call.wordBoundaryKind(.simple))
            && line.contains(file.wordBoundaryKind(.simple))
            && !line.contains("Connection(path: ")
    }

    private static func lines(in folder: String) throws -> [(file: String, text: String)] {
        let root = "\(Programs.packageRoot)/\(folder)"
        let files = try FileManager.default.subpathsOfDirectory(atPath: root)
            .filter { $0.hasSuffix(".swift") }
        return try files.flatMap { file in
            try Files.text("\(root)/\(file)").split(separator: "\n").map { (file, String($0)) }
        }
    }
}
