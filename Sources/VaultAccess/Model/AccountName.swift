/// The name a person gave an account: unique in a vault, compared byte by byte.
public struct AccountName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name's text.
    public let text: String

    /// A name, if the text is one: a letter or digit, then up to 127 of letters, digits and `._@+-`.
    public init?(_ text: String) {
        guard (1...128).contains(text.utf8.count), let first = text.utf8.first,
            Self.isAlphanumeric(first),
            text.utf8.allSatisfy({ Self.isAlphanumeric($0) || "._@+-".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// The name's text.
    public var description: String { text }

    /// Orders names by their bytes.
    public static func < (left: AccountName, right: AccountName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension AccountName: ExpressibleByStringLiteral {
    /// A name written in the program; one that is no name is a mistake there, and traps.
    public init(stringLiteral text: String) {
        guard let name = AccountName(text) else {
            preconditionFailure("\"\(text)\" cannot be the name of an account")
        }
        self = name
    }
}
