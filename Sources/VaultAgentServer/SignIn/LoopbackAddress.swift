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
        guard url.isLoopback, redirectURI.hasPrefix("http://"), url.query == nil else {
            throw VaultError(
                .invalidInput,
                facts: [.field: "redirect_uri", .reason: "notLoopback"]
            )
        }
        return url
    }

    func listen() throws -> ListeningSocket {
        let port = UInt16(clamping: fixed?.hasPort == true ? fixed?.port ?? 0 : 0)
        do {
            return try ListeningSocket.loopback(port: port, ipv6: fixed?.host == "::1")
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
        let host = fixed.host.contains(":") ? "[\(fixed.host)]" : fixed.host
        let path = fixed.string.hasSuffix("/") || fixed.path != "/" ? fixed.path : ""
        return "http://\(host):\(port)\(path)"
    }
}

extension EndpointURL {
    /// Whether a port is written in the URL.
    fileprivate var hasPort: Bool {
        let authority = string.dropFirst("http://".count).prefix { !"/?#".contains($0) }
        return authority.split(separator: "]").last?.contains(":") ?? false
    }
}
