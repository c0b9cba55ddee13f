import FoundationEssentials
import Testing

/// `Tests/CASES.md` names tests that exist.
@Suite struct CasesTests {
    @Test func everyTestThatIsNamedExists() throws {
        let root = "\(Programs.packageRoot)/Tests"
        let table = try Files.text("\(root)/CASES.md")
        let named = Set(
            table.matches(of: /(?m)`([A-Z][A-Za-z0-9]+)(?:\.([A-Za-z0-9]+))?`/).map { match in
                [String(match.1) + "Tests", match.2.map { "func \($0)(" } ?? ""]
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
}
