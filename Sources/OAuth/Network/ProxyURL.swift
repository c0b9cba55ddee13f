/// The address of a proxy: `http`, `https`, `socks5` or `socks5h`, a host and a port.
///
/// With `socks5h` the proxy looks host names up, with `socks5` this machine does; to the other two
/// names are given as they are (RFC 9110 §9.3.6). A user name or password in it is refused: an
/// address is shown, logged and typed where others can read it.
public struct ProxyURL: Sendable, Hashable, CustomStringConvertible {
    /// The address in one form, such as `http://proxy.example:3128`.
    public let text: String

    private static let schemes: Set<Substring> = ["http", "https", "socks5", "socks5h"]

    /// An address from text.
    ///
    /// - Throws: ``ProxyURLError``, which names what is wrong.
    public init(_ text: String) throws(ProxyURLError) {
        guard let mark = text.firstRange(of: "://") else { throw .unknownScheme }
        let scheme = text[..<mark.lowerBound].lowercased()[...]
        guard Self.schemes.contains(scheme) else { throw .unknownScheme }
        let rest = text[mark.upperBound...]
        let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
        let parts: EndpointURLParts
        do throws(EndpointURLError) {
            // A proxy may be reached in the clear, and is no place that credentials are sent to: only
            // the reading of host and port is the same.
            parts = try EndpointURLParts("https://\(authority)")
        } catch {
            throw error == .userInfo ? .userInfo : .malformed
        }
        guard parts.path == "/", !authority.hasSuffix("/"), parts.query == nil else {
            throw .malformed
        }
        // libcurl's port for none would be 1080, whatever the scheme.
        guard authority.hasSuffix(":\(parts.port)") else { throw .portMissing }
        let host = parts.host.contains(":") ? "[\(parts.host)]" : parts.host
        self.text = "\(scheme)://\(host):\(parts.port)"
    }

    /// The address.
    public var description: String { text }
}

/// What keeps a text from being the address of a proxy.
public enum ProxyURLError: Error, Sendable, Hashable {
    /// It begins with none of `http://`, `https://`, `socks5://`, `socks5h://`.
    case unknownScheme
    /// A user name or password stands before the host.
    case userInfo
    /// There is no port.
    case portMissing
    /// The host or the port is none, or something follows them.
    case malformed
}
