import Testing

/// What the documentation shows is true: each piece of Swift in it compiles in a package of a stranger's,
/// and the test in it passes.
@Suite(.serialized) struct DocumentationTests {
    private static let articles = "\(Programs.packageRoot)/Sources/VaultKit/VaultKit.docc"

    @Test func everyPieceOfSwiftIsRight() throws {
        try withStage { stage in
            let package = try StrangerPackage(stage)
            let stranger = "\(Programs.packageRoot)/Tests/EndToEndTests/Documentation/Stranger"
            try package.write(
                Files.text("\(stranger)/AsyncHTTPClient.swift"),
                to: "Sources/AsyncHTTPClient/AsyncHTTPClient.swift"
            )
            let readme = try Snippet.all(in: Files.text("\(Programs.packageRoot)/README.md"))
            try package.write(#require(readme.first).code, to: "Sources/readme/main.swift")
            try write(Array(readme.dropFirst()), of: "readme", to: package)
            var counts: [Int] = []
            for page in try Files.names(in: Self.articles).sorted() where page.hasSuffix(".md") {
                let snippets = try Snippet.all(in: Files.text("\(Self.articles)/\(page)"))
                counts.append(snippets.count)
                try write(snippets, of: String(page.dropLast(3)), to: package)
            }
            #expect(counts.reduce(0, +) >= 15)

            let built = try package.swift("build", "--build-tests")
            #expect(built.code == 0, "\(built.out.suffix(4000))")
            let tested = try package.swift("test", "--skip-build", "--disable-xctest")
            #expect(tested.code == 0, "\(tested.out.suffix(4000))")
            #expect(tested.out.contains("Test run with 2 tests"))
        }
    }

    private func write(
        _ snippets: [Snippet],
        of page: String,
        to package: StrangerPackage
    ) throws {
        for (number, snippet) in snippets.enumerated() where snippet.kind != .other {
            let name = "\(page)\(number)"
            let folder = snippet.kind == .test ? "Tests/ArticleTests" : "Sources/Articles"
            try package.write(snippet.file(named: name), to: "\(folder)/\(name).swift")
        }
    }
}
