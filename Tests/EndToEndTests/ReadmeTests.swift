import Glibc
import Testing

/// What the README shows is true: its library example builds in a package of a stranger's, and its
/// commands exist.
@Suite(.serialized) struct ReadmeTests {
    private static func readme() throws -> String {
        try Files.text("\(Programs.packageRoot)/README.md")
    }

    /// The text between a fence of this language and the next fence.
    private static func block(_ language: String) throws -> String {
        let lines = try readme().split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "```\(language)"))
        return lines[(start + 1)...].prefix { $0 != "```" }.joined(separator: "\n") + "\n"
    }

    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "stranger",
            dependencies: [.package(name: "vault", path: "\(Programs.packageRoot)")],
            targets: [
                .executableTarget(
                    name: "stranger",
                    dependencies: [
                        .product(name: "VaultHTTP", package: "vault"),
                        .product(name: "VaultKit", package: "vault"),
                    ]
                )
            ]
        )

        """

    @Test func theLibraryInTenLinesBuildsInAPackageOfAStrangers() throws {
        let example = try Self.block("swift")
        try withStage { stage in
            let package = "\(stage.root)/stranger"
            for directory in [package, "\(package)/Sources", "\(package)/Sources/stranger"] {
                mkdir(directory, 0o700)
            }
            try Files.write(Self.manifest, to: "\(package)/Package.swift")
            try Files.write(example, to: "\(package)/Sources/stranger/main.swift")
            // Kept between runs: only what changed is built again.
            let scratch = "\(Programs.packageRoot)/.build/stranger"
            var launch = stage.launch(
                "/bin/sh",
                [
                    "-c", "exec swift build --package-path \"$0\" --scratch-path \"$1\" 2>&1",
                    package, scratch,
                ]
            )
            launch.environment["PATH"] = getenv("PATH").map { String(cString: $0) }
            let built = try stage.run(launch, seconds: 600)
            #expect(built.code == 0, "\(built.out.suffix(4000))")
        }
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
