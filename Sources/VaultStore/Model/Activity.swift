internal import Platform

/// What can be done with a vault, by the names that its log has for it.
package enum ActivityAction: String, Sendable, CaseIterable {
    case vaultMade = "vault_made"
    case accountAdded = "account_added"
    case signedIn = "signed_in"
    case signedOut = "signed_out"
    case accountRenamed = "account_renamed"
    case accountRemoved = "account_removed"
    case accountSelected = "account_selected"
    case tagsChanged = "tags_changed"
    case renewalChanged = "renewal_changed"
    case endpointsChanged = "endpoints_changed"
    case secretChanged = "secret_changed"
    case refreshed
    case refreshFailed = "refresh_failed"
    case grantRefused = "grant_refused"
    case grantVerified = "grant_verified"
    case grantEnding = "grant_ending"
    case slotAdded = "slot_added"
    case slotRemoved = "slot_removed"
    case slotChanged = "slot_changed"
    case keysRotated = "keys_rotated"
    case keysReplaced = "keys_replaced"
    case backedUp = "backed_up"
    case restored
    case exported
    case moved
    case imported
}

/// Who does something with a vault.
///
/// A program says who it is once, around all it does: that goes along with its tasks to where the
/// vault is written, as a caller's name does in a trace, and decides nothing.
package enum ActivityActor {
    /// Bytes of the name.
    private static let limit = 64

    @TaskLocal private static var given: String?

    /// Runs `body`, and all its tasks, as the work of somebody.
    package static func named<Result>(
        _ name: String,
        _ body: () throws -> Result
    ) rethrows -> Result {
        try $given.withValue(fit(name), operation: body)
    }

    /// The same for what waits.
    package static func named<Result>(
        _ name: String,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $given.withValue(fit(name), operation: body)
    }

    /// The one who is at work: the one that was named, else this program and its process.
    static var current: String { given ?? ofProcess }

    private static let ofProcess = fit("\(ProcessIdentity.name) \(ProcessIdentity.current)")

    /// Printable ASCII of a bounded length: it goes to terminals as it is.
    static func fit(_ name: String) -> String {
        let bytes = name.utf8.prefix(limit).map { (0x20...0x7e).contains($0) ? $0 : 0x3f }
        return String(decoding: bytes, as: UTF8.self)
    }
}
