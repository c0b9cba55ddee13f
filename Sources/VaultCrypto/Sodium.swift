internal import CSodium

/// Access to libsodium after its one-time initialisation.
enum Sodium {
    /// Prepares the library (https://doc.libsodium.org/usage); every entry point touches this.
    ///
    /// There is nothing to fall back on when the system has no randomness, so failing stops.
    static let ready: Void = {
        guard sodium_init() >= 0 else { fatalError("libsodium could not be initialised") }
    }()
}
