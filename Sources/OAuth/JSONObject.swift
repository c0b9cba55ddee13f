/// The members of a JSON object in the order they came.
///
/// A list and not a dictionary: a record of the vault has ten members, and the first dictionary in a
/// process costs more than looking through them.
package struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    // No tuple: destroying a list of those is left to the runtime, member by member.
    private struct Member {
        let name: String
        let value: JSONValue
    }

    private static let usualCount = 8

    private var list: [Member] = []

    package init() {}

    package init(dictionaryLiteral members: (String, JSONValue)...) {
        list = members.map { Member(name: $0.0, value: $0.1) }
    }

    package init(_ members: [String: JSONValue]) {
        list = members.map { Member(name: $0.key, value: $0.value) }
    }

    /// The member of this name; of several the last one (RFC 8259 §4).
    package subscript(name: String) -> JSONValue? {
        // The lengths first: comparing two texts that differ takes far longer than looking at them.
        let count = name.utf8.count
        for index in list.indices.reversed()
        where list[index].name.utf8.count == count && list[index].name == name {
            return list[index].value
        }
        return nil
    }

    /// Adds a member, which takes the place of one with the same name.
    mutating func append(_ name: String, _ value: JSONValue) {
        if list.isEmpty { list.reserveCapacity(Self.usualCount) }
        list.append(Member(name: name, value: value))
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
