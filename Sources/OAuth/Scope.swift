/// What an access token may be used for: a set of names that keeps their order (RFC 6749 §3.3).
public struct Scope: Sendable, Hashable, Codable {
    /// The names, each once, in the order given.
    public let names: [String]

    /// A scope from its names; empty and repeated ones are left out.
    public init(_ names: [String]) {
        var seen: Set<String> = []
        self.names = names.filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// A scope from text with blanks between the names.
    public init(parsing text: String) {
        // By scalars: a blank with a combining mark after it is one character, and no blank.
        self.init(text.unicodeScalars.split { $0.properties.isWhitespace }.map(String.init))
    }

    /// The names joined by single blanks, as sent.
    public var text: String { names.joined(separator: " ") }

    /// Whether there is no name in it.
    public var isEmpty: Bool { names.isEmpty }

    /// Whether a name is in it.
    public func contains(_ name: String) -> Bool { names.contains(name) }

    /// Whether every name of another scope is in it.
    public func isSuperset(of other: Scope) -> Bool { Set(names).isSuperset(of: other.names) }
}
