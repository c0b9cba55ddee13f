import OAuth
import VaultCrypto
import VaultInterface

/// The words of JSON Schema that the interface's description has, and no others.
///
/// Stricter in one point: a member that no schema tells of is a fault, though a client of a newer agent
/// passes over such.
struct JSONSchema {
    /// The document whose components are referred to.
    let root: JSONValue
    private static let words: Set = [
        "$ref", "type", "enum", "const", "anyOf", "required", "properties", "additionalProperties",
        "propertyNames", "items", "minimum", "maximum", "exclusiveMinimum", "minLength",
        "maxLength", "maxItems", "pattern", "format", "description", "default",
    ]

    /// The interface's own description; nil where it is no JSON.
    static let interface: JSONSchema? = {
        let text = InterfaceDescription.json
        let result = JSONReader.read(text.span)
        return result.isComplete ? JSONSchema(root: result.value) : nil
    }()

    /// What a reference leads to.
    func resolved(_ value: JSONValue) -> JSONValue? {
        guard let reference = value.members?["$ref"]?.text else { return value }
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(JSONValue?(root)) {
            $0?.members?[String($1)]
        }
    }

    /// What is wrong with a value; nil when it is as the schema has it.
    func problem(_ value: JSONValue, _ schema: JSONValue, at path: String = "") -> String? {
        guard let schema = resolved(schema)?.members else { return "\(path): no schema" }
        let unknown = schema.dictionary.keys.first { !Self.words.contains($0) }
        if let unknown { return "\(path): the word \(unknown)" }
        if let types = schema["type"], !Self.isOne(of: types, value) { return "\(path): type" }
        if let values = schema["enum"]?.array, !values.contains(value) { return "\(path): enum" }
        if let wanted = schema["const"], wanted != value { return "\(path): const" }
        if let choices = schema["anyOf"]?.array {
            let problems = choices.map { problem(value, $0, at: path) }
            guard problems.contains(nil) else { return problems.compactMap(\.self).joined() }
        }
        return textProblem(value, schema, path) ?? membersProblem(value, schema, path)
            ?? itemsProblem(value, schema, path)
    }

    private func textProblem(
        _ value: JSONValue,
        _ schema: JSONObject,
        _ path: String
    ) -> String? {
        guard let text = value.text, let pattern = schema["pattern"]?.text else { return nil }
        guard let pattern = try? Regex(pattern) else { return "\(path): no pattern" }
        return text.firstMatch(of: pattern) == nil ? "\(path): pattern" : nil
    }

    private func membersProblem(
        _ value: JSONValue,
        _ schema: JSONObject,
        _ path: String
    ) -> String? {
        guard let members = value.members?.dictionary else { return nil }
        let missing = schema["required"]?.array?.compactMap(\.text).first { members[$0] == nil }
        if let missing { return "\(path).\(missing): missing" }
        guard let known = schema["properties"]?.members ?? schema["additionalProperties"]?.members
        else { return nil }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            if let names = schema["propertyNames"],
                let problem = problem(.string(.init(name)), names, at: "\(path).\(name)")
            {
                return problem
            }
            let own = schema["properties"] == nil ? schema["additionalProperties"] : known[name]
            guard let own else { return "\(path).\(name): not described" }
            if let problem = problem(member, own, at: "\(path).\(name)") { return problem }
        }
        return nil
    }

    private func itemsProblem(
        _ value: JSONValue,
        _ schema: JSONObject,
        _ path: String
    ) -> String? {
        guard let elements = value.array, let items = schema["items"] else { return nil }
        return elements.lazy.compactMap { problem($0, items, at: path + "[]") }.first
    }

    private static func isOne(of types: JSONValue, _ value: JSONValue) -> Bool {
        let names = types.array?.compactMap(\.text) ?? [types.text ?? ""]
        return switch value {
        case .null: names.contains("null")
        case .bool: names.contains("boolean")
        case .number(let digits):
            names.contains("number") || (names.contains("integer") && Int64(digits) != nil)
        case .string: names.contains("string")
        case .array: names.contains("array")
        case .object: names.contains("object")
        }
    }
}
