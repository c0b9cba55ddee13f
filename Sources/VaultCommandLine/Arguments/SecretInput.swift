internal import Platform
internal import VaultCrypto
internal import VaultKit

/// Secrets that reach a command: by a descriptor, never by an argument.
enum SecretInput {
    /// The most that is read: what a token response may have.
    private static let limit = 1 << 20

    /// All of a descriptor, as it is.
    static func all(from descriptor: Int32) throws -> Secret {
        var bytes = try bytes(from: descriptor)
        return Secret(wiping: &bytes)
    }

    /// All of a descriptor without the line feed at its end.
    static func line(from descriptor: Int32, _ field: String = "client_secret") throws -> Secret {
        var bytes = try bytes(from: descriptor)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard !bytes.isEmpty else {
            throw VaultError(.invalidInput, facts: [.field: field, .reason: "empty"])
        }
        return Secret(wiping: &bytes)
    }

    private static func bytes(from descriptor: Int32) throws -> [UInt8] {
        do {
            return try Descriptor.readToEnd(descriptor, limit: limit)
        } catch {
            throw VaultError(
                .storage,
                facts: [.path: "descriptor \(descriptor)", .reason: "\(error)"]
            )
        }
    }
}
