/// Scheme, host and port: what tells one server from another (RFC 6454 §4).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The origin in one form, such as `https://api.example.com`.
    public let text: String

    /// The origin of an address.
    public init(_ url: EndpointURL) {
        text = url.origin
    }

    /// The origin of an address, whatever its path.
    ///
    /// - Throws: ``EndpointURLError`` unless credentials may be sent there.
    public init(_ text: String) throws(EndpointURLError) {
        self.init(try EndpointURL(text))
    }

    /// The origin.
    public var description: String { text }
}

extension Origin: ExpressibleByStringLiteral {
    /// An origin written in the program; one that credentials may not be sent to is a mistake there,
    /// and traps.
    public init(stringLiteral text: String) {
        guard let url = try? EndpointURL(text) else {
            preconditionFailure("\"\(text)\" is no origin that credentials may be sent to")
        }
        self.init(url)
    }
}
