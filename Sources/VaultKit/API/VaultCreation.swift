internal import FoundationEssentials
internal import Platform
public import VaultAccess
internal import VaultStore

extension Vault {
    /// Makes an empty vault that a key file opens.
    ///
    /// The key file is on disk before the vault is: killed at any point, there is either no vault or one
    /// that opens. A vault with a passphrase or a recovery key is made by `vault init`.
    ///
    /// - Parameters:
    ///   - location: The directory; the one of the environment unless told. It is made if need be.
    ///   - keyFile: Where the key file goes, outside the vault's directory; one that is there already
    ///     is used as it is. Unless told, a place in the user's directory for state.
    /// - Returns: Where the key file is. The vault remembers it: `unlock: .keyFile` opens it.
    /// - Throws: ``VaultError``: `vault_exists`, `no_vault` when there is no place for it,
    ///   `invalid_input`, `unsafe_permissions`, `network_file_system`, `storage`.
    @discardableResult
    @concurrent
    public static func create(
        _ location: VaultLocation? = nil,
        keyFile: String? = nil
    ) async throws -> String {
        let location = try place(location)
        do {
            return try VaultFile.create(location, keyFile: keyFile, now: SystemClock().now().wall)
        } catch {
            throw VaultError(error).placed(in: location)
        }
    }

    /// The directory that was told, or the one of the environment.
    static func place(_ location: VaultLocation?) throws(VaultError) -> VaultLocation {
        guard let location = location ?? VaultLocation.fromEnvironment() else {
            throw VaultError(.noVault, facts: [.reason: "no_home"])
        }
        return location
    }
}
