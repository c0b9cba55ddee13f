// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]

// Above the C wrappers every unsafe expression must be marked.
let safeSettings = settings + [.strictMemorySafety()]

// A fault put in on purpose: Tests/Faults/mutants.py shows that the tests see it.
let mutant: [SwiftSetting] =
    Context.environment["VAULT_MUTANT"].map { [.define("MUTANT_\($0)")] } ?? []

// libFuzzer over the parsers: Scripts/fuzz, which has its runtime and its flags.
let fuzzing: [Target] =
    Context.environment["VAULT_FUZZ"] == nil
    ? []
    : [
        .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "vault-fuzz",
            dependencies: ["CFuzzer", "ParserChecks"],
            path: "Tests/Fuzz/vault-fuzz",
            swiftSettings: settings
        ),
    ]

let package = Package(
    name: "vault",
    products: [
        .library(name: "VaultKit", targets: ["VaultKit"]),
        .library(name: "VaultHTTP", targets: ["VaultHTTP"]),
        .library(name: "VaultAgentClient", targets: ["VaultAgentClient"]),
        .library(name: "VaultTesting", targets: ["VaultTesting"]),
        .executable(name: "vault", targets: ["vault"]),
        .executable(name: "vault-agent", targets: ["vault-agent"]),
        .executable(name: "vault-test-server", targets: ["vault-test-server"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .systemLibrary(
            name: "CSodium",
            pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"])]
        ),
        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
        .systemLibrary(
            name: "CQREncode",
            pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]
        ),
        .target(name: "CPlatform"),

        .target(name: "Platform", dependencies: ["CPlatform"], swiftSettings: settings),
        .target(
            name: "VaultCrypto",
            dependencies: ["CSodium", "Platform"],
            swiftSettings: settings
        ),
        .target(
            name: "VaultSQLite",
            dependencies: ["CSQLite", "Platform"],
            swiftSettings: settings + mutant
        ),
        .target(
            name: "VaultMigrations",
            path: "Migrations",
            resources: [
                .embedInCode("0001_create_vault.sql"),
                .embedInCode("0002_date_key_slots.sql"),
                .embedInCode("0003_keep_client_states.sql"),
                .embedInCode("0004_find_accounts.sql"),
                .embedInCode("0005_plan_and_remember.sql"),
            ],
            swiftSettings: safeSettings
        ),
        .target(
            name: "VaultInterface",
            path: "Documentation/Interface",
            resources: [.embedInCode("openapi.json")],
            swiftSettings: safeSettings
        ),
        .target(
            name: "OAuth",
            dependencies: ["Platform", "VaultCrypto"],
            resources: [.embedInCode("providers.json")],
            swiftSettings: safeSettings
        ),
        .target(
            name: "VaultAccess",
            dependencies: ["Platform", "OAuth", "VaultCrypto"],
            swiftSettings: safeSettings
        ),
        .target(
            name: "VaultStore",
            dependencies: [
                "Platform", "VaultSQLite", "VaultMigrations", "VaultCrypto", "OAuth", "VaultAccess",
            ],
            swiftSettings: safeSettings
        ),
        .target(
            name: "VaultKit",
            dependencies: ["Platform", "VaultStore", "VaultAccess", "OAuth", "VaultCrypto"],
            swiftSettings: safeSettings + mutant
        ),
        .target(
            name: "VaultHTTP",
            dependencies: ["CCurl", "Platform", "OAuth", "VaultAccess", "VaultCrypto"],
            swiftSettings: settings
        ),
        .target(
            name: "VaultHTTPServer",
            dependencies: ["CMicroHTTPD", "Platform"],
            swiftSettings: settings
        ),
        .target(name: "VaultQRCode", dependencies: ["CQREncode"], swiftSettings: settings),
        .target(
            name: "VaultAgentClient",
            dependencies: ["Platform", "OAuth", "VaultAccess", "VaultCrypto"],
            swiftSettings: safeSettings
        ),
        .target(
            name: "VaultAgentServer",
            dependencies: [
                "Platform", "OAuth", "VaultCrypto", "VaultStore", "VaultKit", "VaultHTTP",
                "VaultHTTPServer", "VaultAgentClient", "VaultInterface", "VaultQRCode",
            ],
            swiftSettings: safeSettings
        ),
        .target(
            name: "VaultCommandLine",
            dependencies: [
                "Platform", "OAuth", "VaultCrypto", "VaultStore", "VaultKit", "VaultAgentClient",
            ],
            swiftSettings: safeSettings
        ),
        .target(
            name: "VaultTesting",
            dependencies: [
                "Platform", "OAuth", "VaultCrypto", "VaultAccess", "VaultStore", "VaultKit",
                "VaultHTTPServer",
            ],
            swiftSettings: safeSettings
        ),

        .executableTarget(
            name: "vault",
            dependencies: ["Platform", "VaultCommandLine"],
            swiftSettings: safeSettings
        ),
        .executableTarget(
            name: "vault-agent",
            dependencies: [
                "Platform", "VaultAgentClient", "VaultAgentServer", "VaultCommandLine",
            ],
            swiftSettings: safeSettings
        ),
        .executableTarget(
            name: "vault-test-server",
            dependencies: ["Platform", "VaultCrypto", "VaultTesting"],
            swiftSettings: safeSettings
        ),

        .testTarget(
            name: "PlatformTests",
            dependencies: ["CPlatform", "Platform"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultCryptoTests",
            dependencies: ["CSodium", "VaultCrypto"],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultSQLiteTests",
            dependencies: ["Platform", "VaultSQLite"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OAuthTests",
            dependencies: ["OAuth", "VaultCrypto"],
            exclude: ["Fixtures"],
            swiftSettings: safeSettings
        ),
        .testTarget(
            name: "VaultAccessTests",
            dependencies: ["Platform", "OAuth", "VaultAccess"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultKitTests",
            dependencies: [
                "Platform", "OAuth", "VaultCrypto", "VaultSQLite", "VaultStore", "VaultKit",
                "VaultTesting",
            ],
            exclude: ["StateModel/terminal-states.txt"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultStoreTests",
            dependencies: [
                "CSQLite", "VaultStore", "VaultMigrations", "VaultSQLite", "VaultCrypto", "OAuth",
                "Platform",
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultHTTPServerTests",
            dependencies: ["Platform", "VaultHTTPServer"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultQRCodeTests",
            dependencies: ["VaultQRCode"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultHTTPTests",
            dependencies: [
                "Platform", "VaultCrypto", "OAuth", "VaultAccess", "VaultKit", "VaultHTTP",
                "VaultHTTPServer", "VaultTesting",
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultCommandLineTests",
            dependencies: [
                "Platform", "OAuth", "VaultCrypto", "VaultStore", "VaultKit", "VaultAgentClient",
                "VaultCommandLine",
            ],
            exclude: ["Snapshots"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultAgentServerTests",
            dependencies: [
                "Platform", "OAuth", "VaultCrypto", "VaultSQLite", "VaultStore", "VaultKit",
                "VaultHTTPServer", "VaultAgentClient", "VaultAgentServer", "VaultInterface",
                "VaultQRCode", "VaultTesting",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultAgentClientTests",
            dependencies: ["Platform", "VaultCrypto", "OAuth", "VaultAgentClient", "VaultTesting"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaultTestingTests",
            dependencies: ["Platform", "VaultCrypto", "OAuth", "VaultHTTP", "VaultTesting"],
            swiftSettings: settings
        ),
        // What holds of every parser of what comes from outside, whatever it is given.
        .target(
            name: "ParserChecks",
            dependencies: [
                "Platform", "VaultCrypto", "OAuth", "VaultAccess", "VaultStore", "VaultHTTPServer",
                "VaultAgentClient",
            ],
            path: "Tests/Fuzz/ParserChecks",
            swiftSettings: settings
        ),
        .testTarget(
            name: "ParserChecksTests",
            dependencies: ["ParserChecks"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEndTests",
            exclude: ["Servers", "Documentation/Stranger"],
            swiftSettings: settings
        ),
        // A stranger's program over the library, which the end-to-end tests run.
        .executableTarget(
            name: "vaultkit-client",
            dependencies: ["VaultKit", "VaultHTTP"],
            path: "Tests/Programs/vaultkit-client",
            swiftSettings: safeSettings
        ),
        // The program that Tests/Faults kills, starves and lies to.
        .executableTarget(
            name: "fault-driver",
            dependencies: [
                "Platform", "VaultCrypto", "VaultSQLite", "OAuth", "VaultStore", "VaultKit",
                "VaultHTTP",
            ],
            path: "Tests/Programs/fault-driver",
            swiftSettings: safeSettings
        ),
        // What `make bench` runs beside the programs.
        .executableTarget(
            name: "crowd",
            dependencies: ["Platform", "OAuth", "VaultStore", "VaultKit", "VaultTesting"],
            path: "Benchmarks/crowd",
            swiftSettings: safeSettings
        ),
        .target(name: "CAllocations", path: "Benchmarks/CAllocations"),
        .executableTarget(
            name: "lookup",
            dependencies: [
                "CAllocations", "Platform", "VaultCrypto", "OAuth", "VaultStore", "VaultKit",
                "VaultTesting",
            ],
            path: "Benchmarks/lookup",
            swiftSettings: safeSettings
        ),
        .executableTarget(
            name: "scale",
            dependencies: ["Platform", "VaultCrypto", "OAuth", "VaultStore"],
            path: "Benchmarks/scale",
            swiftSettings: safeSettings
        ),
    ] + fuzzing,
    swiftLanguageModes: [.v6]
)
