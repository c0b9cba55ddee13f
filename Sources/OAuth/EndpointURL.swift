/// An address that credentials may be sent to: https, or http on a loopback host.
public struct EndpointURL: Sendable, Hashable, CustomStringConvertible {
    /// The URL as it was given.
    public let string: String

    /// A URL that has been checked before; nothing is checked again.
    package init(unchecked string: String) {
        self.string = string
    }

    /// The URL.
    public var description: String { string }
}
