import FoundationEssentials
import Testing

/// `Tests/CASES.md` names tests that exist, and says one thing of each row.
@Suite struct CasesTests {
    private static func table() throws -> String {
        try Files.text("\(Programs.packageRoot)/Tests/CASES.md")
    }

    @Test func everyTestThatIsNamedExists() throws {
        let root = "\(Programs.packageRoot)/Tests"
        let named = Set(
            try Self.table().matches(of: /(?m)`([A-Z][A-Za-z0-9]+)(?:\.([A-Za-z0-9]+))?`/).map {
                match in [String(match.1) + "Tests", match.2.map { "func \($0)(" } ?? ""]
            }
        )
        try #require(named.count > 50)
        let sources = try FileManager.default.subpathsOfDirectory(atPath: root)
            .filter { $0.hasSuffix(".swift") }.map { try Files.text("\(root)/\($0)") }
        for words in named {
            let isThere = sources.contains { source in
                words.allSatisfy { $0.isEmpty || source.contains($0) }
            }
            #expect(isThere, "no test \(words)")
        }
    }

    @Test func aRowThatIsCoveredWaitsForNothing() throws {
        let sections = try Self.table().split(separator: #/(?m)^## /#).dropFirst()
        try #require(sections.count > 4)
        for section in sections {
            let name = section.prefix { $0 != "\n" }
            let tables = section.split(separator: #/(?m)^\| rows? \| /#).dropFirst()
            var isWaiting: [String: Bool] = [:]
            for table in tables {
                let waits = table.hasPrefix("wait for issue")
                for row in Self.rows(table) {
                    #expect(isWaiting[row] ?? waits == waits, "\(name) \(row) is in both tables")
                    isWaiting[row] = waits
                }
            }
            #expect(!isWaiting.isEmpty)
        }
    }

    /// The rows of a table; one with words in brackets is that part of a row alone.
    private static func rows(_ table: Substring) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            line.firstMatch(of: #/^\| ([^|]+) \|/#).map { String($0.1) }
        }.flatMap { cell in
            cell.matches(of: #/[^,( ]+(?: \([^)]*\))?/#).map { String($0.0) }
        }
    }
}
