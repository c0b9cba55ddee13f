// What the members of a provider's entry are in JSON. Errors say what was wanted, in words for whoever
// writes a provider's file.

extension KeyedDecodingContainer {
    /// An address that may have names in braces.
    func template(_ key: Key) throws -> EndpointTemplate? {
        try text(key).map { text in
            guard let template = try? EndpointTemplate(text) else {
                throw unfit(key, "an https address")
            }
            return template
        }
    }

    func address(_ key: Key) throws -> EndpointURL? {
        try text(key).map { text in
            guard let url = try? EndpointURL(text) else { throw unfit(key, "an https address") }
            return url
        }
    }

    /// A list of names.
    func scope(_ key: Key) throws -> Scope {
        let names = try decodeIfPresent([String].self, forKey: key) ?? []
        let scope = Scope(names)
        guard scope.names == names, names.allSatisfy({ Scope(parsing: $0).names == [$0] }) else {
            throw unfit(key, "a list of different names without blanks")
        }
        return scope
    }

    /// An object of texts, in the order of their names.
    func parameters(_ key: Key) throws -> [RequestParameter] {
        let members = try decodeIfPresent([String: String].self, forKey: key) ?? [:]
        guard members.keys.allSatisfy(RequestParameter.mayBeNamed) else {
            throw unfit(key, "an object of texts, none of them a secret")
        }
        return members.sorted { $0.key < $1.key }.map { RequestParameter($0.key, $0.value) }
    }

    /// Seconds, or nil.
    func seconds(_ key: Key) throws -> Double? {
        try decodeIfPresent(Double.self, forKey: key).map { seconds in
            guard seconds > 0, seconds < 1e9 else { throw unfit(key, "seconds above 0") }
            return seconds
        }
    }

    func text(_ key: Key) throws -> String? { try decodeIfPresent(String.self, forKey: key) }

    func unfit(_ key: Key, _ wanted: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: wanted)
    }

    func missing<Value>(_ key: Key) throws -> Value {
        throw DecodingError.keyNotFound(
            key,
            DecodingError.Context(codingPath: codingPath, debugDescription: "")
        )
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ scope: Scope, unlessEmpty key: Key) throws {
        if !scope.isEmpty { try encode(scope.names, forKey: key) }
    }

    mutating func encode(_ parameters: [RequestParameter], unlessEmpty key: Key) throws {
        guard !parameters.isEmpty else { return }
        let members = parameters.map { ($0.name, $0.value) }
        try encode(Dictionary(members) { first, _ in first }, forKey: key)
    }
}
