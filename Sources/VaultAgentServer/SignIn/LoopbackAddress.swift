internal import OAuth
internal import Platform
internal import VaultKit

/// The loopback address that the browser comes back to.
///
/// Unless the client's registration fixes one it is 127.0.0.1 with a free port: the literal address,
/// because `localhost` is whatever a resolver says (RFC 8252 §7.3, §8.3).
struct LoopbackAddress: Sendable {
    private let fixed: EndpointURL?

    /// The address of a registration, or one with a free port where it fixes none.
    init(_ redirectURI: String?) throws {
        fixed = try redirectURI.map { try Self.checked($0) }
    }

    private static func checked(_ redirectURI: String) throws -> EndpointURL {
        let url = try EndpointURL.checked(redirectURI, field: "redirect_uri")
        guard url.isListenedTo, redirectURI.hasPrefix("http://"), url.query == nil else {
            throw VaultError(
                .invalidInput,
                facts: [.field: "redirect_uri", .reason: "not_loopback"]
            )
        }
        return url
    }

    /// The address to say to a browser that is to come here: a literal one.
    var literal: String { fixed?.isIPv6 == true ? "[::1]" : "127.0.0.1" }

    func listen() throws -> LoopbackListener {
        let port = UInt16(clamping: fixed?.hasPort == true ? fixed?.port ?? 0 : 0)
        do {
            return fixed?.host == "localhost"
                ? try LoopbackListener.both(port: port)
                : try LoopbackListener.one(port: port, ipv6: fixed?.isIPv6 ?? false)
        } catch {
            guard error == .addressInUse else { throw error }
            throw VaultError(
                .busy,
                facts: [.reason: "port_in_use", .found: "\(port)", .field: "redirect_uri"]
            )
        }
    }

    /// The redirect URI to register and to send, letter by letter as the client's registration has
    /// it except for a port that it leaves open.
    func redirectURI(port: UInt16) -> String {
        guard let fixed else { return "http://127.0.0.1:\(port)/callback" }
        guard !fixed.hasPort else { return fixed.string }
        let host = fixed.isIPv6 ? "[\(fixed.host)]" : fixed.host
        let path = fixed.string.hasSuffix("/") || fixed.path != "/" ? fixed.path : ""
        return "http://\(host):\(port)\(path)"
    }
}

extension EndpointURL {
    /// Whether a port is written in the URL.
    fileprivate var hasPort: Bool {
        let authority = string.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        // The colons of an IPv6 address stand before its bracket.
        return authority[(authority.lastIndex(of: "]") ?? authority.startIndex)...].contains(":")
    }

    fileprivate var isIPv6: Bool { host.contains(":") }

    /// Whether a listener of ours is what answers there: the rest of 127.0.0.0/8 is loopback too.
    fileprivate var isListenedTo: Bool {
        isLoopback && (isIPv6 || ["127.0.0.1", "localhost"].contains(host))
    }
}
