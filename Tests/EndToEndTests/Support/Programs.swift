/// The programs under test, as `Scripts/build` leaves them.
enum Programs {
    static let packageRoot: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(4).joined(separator: "/")
    }()

    static func vault() throws -> String { try built("bin/vault") }
    static func agent() throws -> String { try built("bin/vault-agent") }
    static func testServer() throws -> String { try built("bin/vault-test-server") }
    static func vaultKitClient() throws -> String { try built("tests/vaultkit-client") }

    private static func built(_ name: String) throws -> String {
        let path = "\(packageRoot)/.build/\(name)"
        guard Files.exists(path) else {
            throw HarnessError("\(path) is missing: run Scripts/build (or make build) first")
        }
        return path
    }

    /// A program of the system, found where Debian has them.
    static func system(_ name: String) throws -> String {
        for directory in ["/usr/bin", "/bin", "/usr/sbin", "/sbin"] {
            let path = "\(directory)/\(name)"
            if Files.exists(path) { return path }
        }
        throw HarnessError("\(name) is missing: run make setup first")
    }
}
