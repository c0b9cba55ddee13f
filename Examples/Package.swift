// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "vault-examples",
    dependencies: [.package(name: "vault", path: "..")],
    targets: [
        .executableTarget(
            name: "whoami",
            dependencies: [
                .product(name: "VaultHTTP", package: "vault"),
                .product(name: "VaultKit", package: "vault"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "keeper",
            dependencies: [
                .product(name: "VaultHTTP", package: "vault"),
                .product(name: "VaultKit", package: "vault"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ],
    swiftLanguageModes: [.v6]
)
