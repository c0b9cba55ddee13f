internal import Platform

/// The directory of one vault and the files in it.
public struct VaultLocation: Sendable, Hashable {
    /// The directory.
    public let directory: String
    /// Whether it is a copy that nobody but this process knows of, wherever that lies.
    package let isPrivateCopy: Bool

    /// A vault in a directory, made absolute by the working directory.
    public init(directory: String) {
        self.directory = FileSystem.absolute(directory)
        isPrivateCopy = false
    }

    /// A copy in a directory that this process has just made.
    package init(copyIn directory: String) {
        self.directory = directory
        isPrivateCopy = true
    }

    /// Where this user's vault is: `VAULT_HOME`, else `XDG_DATA_HOME/vault`, else
    /// `HOME/.local/share/vault`; nil when none of the three is set.
    public static func fromEnvironment() -> VaultLocation? {
        if let home = Environment["VAULT_HOME"] { return VaultLocation(directory: home) }
        return ownPlace()
    }

    /// The same for a user who does not say which vault.
    package static func ownPlace() -> VaultLocation? {
        // "All paths set in these environment variables must be absolute" (XDG base directories).
        if let data = Environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return VaultLocation(directory: data + "/vault")
        }
        guard let home = Environment["HOME"] else { return nil }
        return VaultLocation(directory: home + "/.local/share/vault")
    }

    /// The database.
    package var database: String { directory + "/" + Self.databaseName }
    /// What SQLite may keep beside the database and takes for a part of it.
    package var companions: [String] { [journal, database + "-wal", database + "-shm"] }
    /// The rollback journal.
    package var journal: String { database + "-journal" }
    /// The accounts' locks.
    package var lock: String { directory + "/vault.lock" }
    /// Room that is given back when the disk is full.
    package var reserve: String { directory + "/vault.reserve" }
    /// Says that the vault may be on a network file system.
    package var networkPermission: String { directory + "/allow-network-file-system" }
    /// The agent's socket, by its name in the directory.
    package static let socketName = "agent.sock"
    /// The database, by its name there.
    package static let databaseName = "vault.db"
    package var socket: String { directory + "/" + Self.socketName }
    /// What a person decided for it.
    package var configuration: String { directory + "/config.json" }
    /// A person's own providers.
    package var providers: String { directory + "/providers" }
    /// How far the program that is told of events has got.
    package var eventProgress: String { directory + "/agent.events" }
    /// Says that it was said when renewal ends.
    package var renewalNotice: String { directory + "/renewal.notice" }
    /// The agent's log.
    package var log: String { directory + "/agent.log" }

    /// Where the key file of a new vault goes: outside its directory, so that a copy of that does
    /// not open itself.
    package static func defaultKeyFile(vaultID: String) -> String? {
        if let state = Environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return "\(state)/vault/\(vaultID).key"
        }
        return Environment["HOME"].map { "\($0)/.local/state/vault/\(vaultID).key" }
    }
}
