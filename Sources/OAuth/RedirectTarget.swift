internal import VaultCrypto

/// A request target taken apart: the usual path and query, or the absolute form.
///
/// Paths are compared by their bytes: no dot segments are resolved, no escapes undone.
struct RedirectTarget {
    let authority: String?
    let path: String
    let query: String

    init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        // Browsers keep a fragment to themselves; a pasted address has it.
        var rest = text.prefix { $0 != "#" }
        authority = Self.takeAuthority(&rest)
        if rest.first != "/", authority != nil { rest = "/" + rest }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        query = parts.count == 2 ? String(parts[1]) : ""
    }

    private static func takeAuthority(_ rest: inout Substring) -> String? {
        for scheme in ["http://", "https://"] where rest.lowercased().hasPrefix(scheme) {
            let address = rest.dropFirst(scheme.count)
            let authority = address.prefix { $0 != "/" && $0 != "?" }
            rest = address.dropFirst(authority.count)
            return String(authority)
        }
        return nil
    }
}

/// The parameters of a redirect, each of the standard ones at most once (RFC 6749 §3.1).
struct RedirectParameters {
    private static let standard: Set = ["code", "state", "iss", "error", "error_description"]
    private let values: [String: Secret]
    /// Parameters of the provider's own.
    let extra: [String: String]

    init?(_ query: String) {
        guard let pairs = FormDecoding.pairs(query.utf8.span) else { return nil }
        let ours = pairs.filter { Self.standard.contains($0.name) }
        guard Set(ours.map(\.name)).count == ours.count else { return nil }
        values = Dictionary(ours.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        extra = Dictionary(
            pairs.filter { !Self.standard.contains($0.name) }
                .map { ($0.name, $0.value.reveal { $0 }) },
            uniquingKeysWith: { $1 }
        )
    }

    subscript(name: String) -> Secret? { values[name] }

    func text(_ name: String) -> String? { values[name]?.reveal { $0 } }
}
