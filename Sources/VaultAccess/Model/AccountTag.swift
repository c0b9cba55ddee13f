/// A word that a program finds accounts by, as a customer's number: compared byte by byte.
public struct AccountTag: Sendable, Comparable, CustomStringConvertible {
    /// The tag's text.
    public let text: String

    /// The most tags that one account has.
    package static let limit = 32

    /// A tag, if the text is one: 1 to 128 bytes of UTF-8 without control characters or line ends,
    /// and with no blank at either end.
    public init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard (1...128).contains(text.utf8.count), let first = scalars.first,
            let last = scalars.last, !first.properties.isWhitespace,
            !last.properties.isWhitespace, scalars.allSatisfy(Self.isAllowed)
        else { return nil }
        self.text = text
    }

    /// The tag's text.
    public var description: String { text }

    /// Orders tags by their bytes.
    public static func < (left: AccountTag, right: AccountTag) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}

extension AccountTag {
    /// Tags out of a document or request, or an error that names the field.
    package static func checked(_ texts: [String]) throws(VaultError) -> Set<AccountTag> {
        let tags = texts.compactMap { AccountTag($0) }
        guard tags.count == texts.count else {
            throw VaultError(.invalidInput, facts: [.field: "tags"])
        }
        return Set(tags)
    }
}

extension AccountTag: Hashable {
    /// Compares the bytes: texts that only look the same are found by different hashes in the file.
    public static func == (left: AccountTag, right: AccountTag) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(text.utf8.count)
    }
}

extension AccountTag: ExpressibleByStringLiteral {
    /// A tag written in the program; one that is no tag is a mistake there, and traps.
    public init(stringLiteral text: String) {
        guard let tag = AccountTag(text) else {
            preconditionFailure("\"\(text)\" cannot be the tag of an account")
        }
        self = tag
    }
}
