/// The version of everything built from this tree.
package enum VaultVersion {
    /// As `vault --version` prints it, and as agent and command compare it.
    package static let current = "0.1.0"
}
