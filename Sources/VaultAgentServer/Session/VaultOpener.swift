internal import OAuth
internal import Platform
internal import VaultKit
internal import VaultStore

/// Deriving a key from a passphrase takes a thread for a third of a second: this one.
actor VaultOpener {
    private let executor = SerialQueueExecutor(label: "vault.unlock")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func open(
        _ location: VaultLocation,
        _ unlock: Unlock,
        _ transport: any HTTPTransport,
        _ clock: any VaultClock
    ) async throws -> Vault {
        try await Vault.open(location, unlock: unlock, transport: transport, clock: clock)
    }
}

extension Unlock {
    /// The name in the log.
    var name: String {
        switch self {
        case .keyFile, .keyFileAt: "key_file"
        case .key: "key"
        case .passphrase: "passphrase"
        case .recoveryKey: "recovery_key"
        }
    }

    var needsPerson: Bool {
        switch self {
        case .keyFile, .keyFileAt: false
        case .key, .passphrase, .recoveryKey: true
        }
    }
}

extension VaultError {
    /// Whether it is about a secret that somebody may be guessing.
    var isWrongSecret: Bool {
        let reasons = ["passphrase_wrong", "recovery_key_wrong", "key_wrong"]
        return code == .locked && reasons.contains(facts[.reason] ?? "")
    }
}
