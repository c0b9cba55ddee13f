internal import FoundationEssentials
public import OAuth
public import Platform
internal import VaultCrypto
public import VaultKit
public import VaultAccess

/// A fresh vault in a directory of its own, with its key file in another beside it.
public struct TemporaryVault: Sendable {
    /// The vault's directory (0700).
    public let location: VaultLocation
    /// The key file that opens it.
    public let keyFile: String

    private let root: URL

    /// Makes one under the system's directory for temporary files; ``remove()`` ends it.
    ///
    /// - Parameter isVolatile: Whether it may be in memory, where there is room for files in it: many
    ///   writes are quicker there, and no power cut is survived.
    /// - Throws: Whatever kept the file from being made.
    public init(isVolatile: Bool = false) throws {
        let memory = URL(filePath: "/dev/shm")
        let inMemory = isVolatile && FileManager.default.isWritableFile(atPath: memory.path)
        root = (inMemory ? memory : FileManager.default.temporaryDirectory)
            .appending(path: "vault-\(UUID().uuidString)")
        location = VaultLocation(directory: root.appending(path: "vault").path)
        do {
            keyFile = try Self.create(location, in: root)
        } catch {
            try? FileManager.default.removeItem(at: root)
            throw error
        }
    }

    /// The key file of a new vault.
    private static func create(_ location: VaultLocation, in root: URL) throws -> String {
        try FileSystem.makeDirectories(location.directory)
        let keyFile = try VaultFile.create(
            location,
            keyFile: root.appending(path: "keys/vault.key").path,
            now: Date()
        )
        // A test process keeps its umask; the vault's own programs set theirs before anything else.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: location.database
        )
        return keyFile
    }

    /// Opens the vault; any number may be open at the same time, as in several processes.
    ///
    /// - Parameters:
    ///   - transport: How token endpoints are reached; unless told, using it ends the process.
    ///   - clock: Where the time comes from.
    ///   - random: A number from 0 to 1, which spreads tries that would come together.
    ///   - faults: Where the test interferes.
    /// - Returns: The open vault.
    /// - Throws: `VaultError`.
    public func open(
        transport: any HTTPTransport = UnreachableTransport(),
        clock: any VaultClock = SystemClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        faults: FaultPoints = .none
    ) async throws -> Vault {
        try await Vault.open(
            location,
            unlock: .keyFileAt(path: keyFile),
            transport: transport,
            clock: clock,
            random: random,
            faults: faults
        )
    }

    /// Removes the vault and its key file.
    ///
    /// - Throws: Whatever kept them from being removed.
    public func remove() throws {
        try FileManager.default.removeItem(at: root)
    }

    /// Runs `body` with a vault that is removed afterwards.
    ///
    /// - Throws: What `body` throws, or whatever kept the vault from being made.
    public static func use<Result>(
        isVolatile: Bool = false,
        _ body: (TemporaryVault) async throws -> Result
    ) async throws -> Result {
        let vault = try TemporaryVault(isVolatile: isVolatile)
        defer { try? vault.remove() }
        return try await body(vault)
    }
}
