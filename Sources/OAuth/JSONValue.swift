package import VaultCrypto

/// A JSON value, whose strings are secrets because one of them is the token.
///
/// Not Foundation's decoder: it keeps the *first* of duplicate members, reads UTF-16, gives up a
/// whole answer for one number or byte it cannot represent, and copies every token into text that
/// nobody wipes.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// The digits as sent: nothing is rounded or overflows before somebody asks.
    case number(String)
    case string(Secret)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// An object's members as they are.
    package var members: JSONObject? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// An object's members by name.
    package var object: [String: JSONValue]? { members?.dictionary }

    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    package var secret: Secret? {
        guard case .string(let secret) = self else { return nil }
        return secret
    }

    /// A string's text, for values that are no secret.
    package var text: String? { secret?.reveal { $0 } }

    /// The member at a path of names joined by dots.
    package func member(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(JSONValue?(self)) { value, name in
            value?.members?[String(name)]
        }
    }

    package var bool: Bool? {
        guard case .bool(let bool) = self else { return nil }
        return bool
    }

    /// A number, or a string that is nothing but one; never infinite.
    package var double: Double? {
        switch self {
        case .number(let digits): Self.finite(digits)
        case .string(let secret):
            // Long strings are tokens, not numbers.
            secret.count > 400 ? nil : secret.reveal { Self.finite($0.trimmingBlanks) }
        default: nil
        }
    }

    /// Swift reads "nan", "Infinity" and hexadecimal too; a number on the wire has none of them.
    private static func finite(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }),
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }
}
