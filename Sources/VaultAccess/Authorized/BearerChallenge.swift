/// What a resource server says against a bearer token (RFC 6750 §3).
///
/// Challenges of several schemes may stand in one field, and their parameters between the same commas
/// (RFC 9110 §11.6.1): only those after `Bearer` are looked at. Whatever else is there is passed over,
/// because the answer's status speaks without it.
package struct BearerChallenge {
    /// `invalid_token`, `insufficient_scope` or another; nil where none is named.
    package private(set) var error: String?

    /// The first bearer challenge of a field; nil when there is none.
    package init?(_ field: String) {
        var scanner = Scanner(field.utf8)
        var isBearer = false
        var isFound = false
        while let part = scanner.next() {
            switch part {
            case .scheme(let name):
                guard !isFound else { return }
                isBearer = name.lowercased() == "bearer"
                isFound = isBearer
            case .parameter("error", let value) where isBearer && error == nil: error = value
            case .parameter: continue
            }
        }
        guard isFound else { return nil }
    }

    /// Whether an answer means that the token itself is no good.
    package static func rejectsToken(status: Int, challenges: [String]) -> Bool {
        let errors = challenges.compactMap { BearerChallenge($0)?.error }
        return switch status {
        case 401: !errors.contains("insufficient_scope")
        // Servers that do not keep to the status, but do say it.
        case 400, 403: errors.contains("invalid_token")
        default: false
        }
    }
}

/// Schemes and parameters in their order.
private struct Scanner {
    enum Part {
        case scheme(String)
        case parameter(String, String)
    }

    private var rest: Substring.UTF8View

    init(_ field: String.UTF8View) {
        rest = field[...]
    }

    mutating func next() -> Part? {
        while let byte = rest.first {
            let word = take(while: \.isTokenCharacter)
            if word.isEmpty {
                // A comma or a blank, or what belongs nowhere.
                if byte == UInt8(ascii: "\"") { _ = quoted() } else { rest.removeFirst() }
                continue
            }
            _ = take(while: \.isBlank)
            guard rest.first == UInt8(ascii: "=") else { return .scheme(word) }
            rest.removeFirst()
            _ = take(while: \.isBlank)
            let value =
                rest.first == UInt8(ascii: "\"") ? quoted() : take(while: \.isTokenCharacter)
            return .parameter(word.lowercased(), value)
        }
        return nil
    }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> String {
        let word = rest.prefix(while: isWanted)
        rest = rest[word.endIndex...]
        return String(decoding: word, as: UTF8.self)
    }

    /// A quoted string without its quotes (RFC 9110 §5.6.4); one that never ends goes to the end.
    private mutating func quoted() -> String {
        var text: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            let isEscape = byte == UInt8(ascii: "\\")
            if let literal = isEscape ? rest.popFirst() : byte { text.append(literal) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// RFC 9110 §5.6.2.
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
