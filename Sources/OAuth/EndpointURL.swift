/// An address that credentials may be sent to: https, or http on a loopback host.
public struct EndpointURL: Sendable, Hashable, CustomStringConvertible {
    /// The URL as it was given.
    public let string: String

    /// A URL from text, refused unless credentials may be sent there.
    ///
    /// - Throws: ``EndpointURLError``, which names the first thing that is wrong.
    public init(_ text: String) throws(EndpointURLError) {
        _ = try EndpointURLParts(text)
        string = text
    }

    /// A URL that has been checked before; nothing is checked again.
    package init(unchecked string: String) {
        self.string = string
    }

    /// The URL.
    public var description: String { string }

    /// The host in lower case; an IPv6 address without its brackets.
    public var host: String { parts?.host ?? "" }

    /// The port, that of the scheme when none is written.
    public var port: Int { parts?.port ?? 0 }

    /// The path as written, "/" when there is none.
    public var path: String { parts?.path ?? "/" }

    /// What follows the question mark, if there is one.
    public var query: String? { parts?.query }

    /// Whether the host is this machine by its literal address or as `localhost`.
    public var isLoopback: Bool { parts?.isLoopback ?? false }

    /// Scheme, host and port in one form, for comparing where two URLs lead.
    public var origin: String { parts?.origin ?? "" }

    private var parts: EndpointURLParts? { try? EndpointURLParts(string) }
}

/// What keeps a text from being an address for credentials.
public enum EndpointURLError: Error, Sendable, Hashable {
    /// Neither `https://` nor `http://` stands in front.
    case notHTTP
    /// Plain http to a host that is not a loopback address.
    case insecure
    /// The host is missing.
    case hostMissing
    /// The host has letters beyond ASCII: its `xn--` form is wanted.
    case hostNotASCII
    /// The host is neither a name nor an address.
    case hostMalformed
    /// The port is not a number from 1 to 65535.
    case portMalformed
    /// A user name or password stands before the host.
    case userInfo
    /// A fragment follows the URL.
    case fragment
    /// A blank, control character or other character that a URL must escape.
    case forbiddenCharacter
}
