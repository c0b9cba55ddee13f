import FoundationEssentials

/// Any JSON value, for tests that look at the whole of a document.
enum JSON: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    init(_ text: String) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
    }

    subscript(name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    subscript(index: Int) -> JSON? {
        if case .array(let items) = self, items.indices.contains(index) {
            items[index]
        } else {
            nil
        }
    }

    var keys: Set<String> {
        if case .object(let members) = self { Set(members.keys) } else { [] }
    }

    var items: [JSON] {
        if case .array(let items) = self { items } else { [] }
    }

    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    var number: Double? {
        if case .number(let value) = self { value } else { nil }
    }

    /// A time in RFC 3339, in UTC and whole seconds.
    var time: Date? {
        guard let string, string.count == 20, string.hasSuffix("Z") else { return nil }
        return try? Date(string, strategy: .iso8601)
    }
}
