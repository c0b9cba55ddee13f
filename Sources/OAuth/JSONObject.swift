/// The members of a JSON object in the order they came.
///
/// A list and not a dictionary: a record of the vault has ten members, and the first dictionary in a
/// process costs more than looking through them.
package struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    private var list: [(name: String, value: JSONValue)] = []

    package init() {}

    package init(dictionaryLiteral members: (String, JSONValue)...) {
        list = members.map { (name: $0.0, value: $0.1) }
    }

    package init(_ members: [String: JSONValue]) {
        list = members.map { (name: $0.key, value: $0.value) }
    }

    /// The member of this name; of several the last one (RFC 8259 §4).
    package subscript(name: String) -> JSONValue? {
        list.last { $0.name == name }?.value
    }

    /// Adds a member, which takes the place of one with the same name.
    mutating func append(_ name: String, _ value: JSONValue) {
        list.append((name: name, value: value))
    }

    /// The members by name.
    package var dictionary: [String: JSONValue] {
        Dictionary(list.map { ($0.name, $0.value) }) { _, last in last }
    }
}

extension JSONObject: Hashable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.dictionary == right.dictionary
    }

    package func hash(into hasher: inout Hasher) {
        dictionary.hash(into: &hasher)
    }
}
