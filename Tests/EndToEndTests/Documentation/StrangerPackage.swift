import Glibc

/// A package of somebody else's, which depends on this one by its path.
struct StrangerPackage {
    private let stage: Stage
    private let root: String

    init(_ stage: Stage) throws {
        self.stage = stage
        root = "\(stage.root)/stranger"
        try write(Self.manifest, to: "Package.swift")
    }

    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        func product(_ name: String) -> Target.Dependency { .product(name: name, package: "vault") }

        let package = Package(
            name: "stranger",
            dependencies: [.package(name: "vault", path: "\(Programs.packageRoot)")],
            targets: [
                .executableTarget(
                    name: "readme",
                    dependencies: [product("VaultHTTP"), product("VaultKit")],
                    swiftSettings: [.treatAllWarnings(as: .error)]
                ),
                .target(name: "AsyncHTTPClient"),
                .target(
                    name: "Articles",
                    dependencies: [
                        "AsyncHTTPClient", product("VaultHTTP"), product("VaultKit"),
                        product("VaultAgentClient"), product("VaultTesting"),
                    ]
                ),
                .testTarget(
                    name: "ArticleTests",
                    dependencies: [product("VaultKit"), product("VaultTesting")]
                ),
            ],
            swiftLanguageModes: [.v6]
        )

        """

    /// Writes a file at a path in the package.
    func write(_ text: String, to path: String) throws {
        var directory = root
        mkdir(directory, 0o700)
        for part in path.split(separator: "/").dropLast() {
            directory += "/\(part)"
            mkdir(directory, 0o700)
        }
        try Files.write(text, to: "\(root)/\(path)")
    }

    /// Runs `swift` with a command and its options in the package, both streams together.
    func swift(_ command: String...) throws -> Ended {
        // Kept between runs: only what changed is built again.
        let scratch = "\(Programs.packageRoot)/.build/stranger"
        let line =
            #"cd "$0" && scratch=$1 && shift && exec swift "$@" --scratch-path "$scratch" 2>&1"#
        var launch = stage.launch("/bin/sh", ["-c", line, root, scratch] + command)
        launch.environment["PATH"] = getenv("PATH").map { String(cString: $0) }
        return try stage.run(launch, seconds: 900)
    }
}
