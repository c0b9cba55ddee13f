import Testing

/// What the README shows is true: its commands exist.
///
/// Its library example is tried with the documentation.
@Suite(.serialized) struct ReadmeTests {
    private static func readme() throws -> String {
        try Files.text("\(Programs.packageRoot)/README.md")
    }

    @Test func everyCommandShownExists() throws {
        let commands = try Self.readme().matches(of: /(?:^|\s)\$ vault ([a-z]+)/).map { $0.1 }
        try #require(commands.count >= 5)
        try withStage { stage in
            for command in Set(commands) {
                let page = try stage.vault("help", String(command))
                #expect(page.code == 0, "\(command)")
            }
        }
    }
}
