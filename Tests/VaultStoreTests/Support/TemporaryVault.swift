import FoundationEssentials
import Platform
internal import Glibc
import VaultCrypto

@testable import VaultStore

/// A vault in a folder of its own, with its key file beside it.
struct TemporaryVault: Sendable {
    let folder: String

    var location: VaultLocation { VaultLocation(directory: folder + "/vault") }
    var database: String { location.database }
    var journal: String { database + "-journal" }
    var keyFile: String { folder + "/vault.key" }

    func create() throws {
        _ = try VaultFile.create(location, keyFile: keyFile, now: Fixture.now)
    }

    /// The vault, unlocked.
    func open() throws -> VaultFile {
        let file = try VaultFile(location)
        try file.unlock(with: .keyFileAt(path: keyFile))
        return file
    }

    func openStore() throws -> SQLiteStore {
        let file = try VaultFile(location)
        try file.unlock(with: .keyFileAt(path: keyFile))
        return try SQLiteStore(file)
    }

    /// Every name in the vault's directory and beside it.
    func files() throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: folder))
    }
}

/// Runs `body` with a fresh vault, in a folder that goes afterwards.
func withTemporaryVault<Result>(
    _ body: (TemporaryVault) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let vault = TemporaryVault(folder: folder)
        try vault.create()
        return try await body(vault)
    }
}

/// Runs `body` with a folder (0700) that goes afterwards.
func withTemporaryFolder<Result>(
    _ body: (String) async throws -> Result
) async throws -> Result {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// The same for a test that runs in a process of its own, where nothing may be awaited.
func inTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

private func makeTemporaryFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "vault-store-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
    )
    return folder
}

/// The bytes of a file; none when it is not there.
func bytes(of path: String) -> [UInt8] {
    guard let size = try? FileSystem.status(of: path).size else { return [] }
    return (try? FileSystem.read(path, limit: Int(size))) ?? []
}

func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
}

extension [UInt8] {
    func contains(sequence other: [UInt8]) -> Bool {
        withUnsafeBytes { bytes in
            var rest = bytes[...]
            while rest.count >= other.count,
                let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                let found = memchr(start, Int32(other[0]), rest.count - other.count + 1)
            {
                if memcmp(found, other, other.count) == 0 { return true }
                rest = rest.dropFirst(UnsafeRawPointer(found) - start + 1)
            }
            return false
        }
    }
}
