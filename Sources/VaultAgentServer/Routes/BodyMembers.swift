internal import OAuth
internal import VaultCrypto
internal import VaultKit

/// The members of a JSON object in a request, each read as what it should be.
///
/// Read without Foundation's decoder, which would leave secrets in text that nobody wipes. An error
/// names the member and quotes nothing.
struct BodyMembers {
    private let members: JSONObject
    /// The names before theirs, where they are not the outermost.
    private let path: String

    /// A whole body; one with a member that nobody knows here is refused.
    init(_ body: [UInt8], known: Set<String>) throws(VaultError) {
        let result = JSONReader.read(body.span)
        guard result.isComplete, let members = result.value.members else { throw Self.malformed }
        try self.init(members, "", known)
    }

    private init(_ members: JSONObject, _ path: String, _ known: Set<String>) throws(VaultError) {
        self.members = members
        self.path = path
        let unknown = members.dictionary.keys.filter { !known.contains($0) }.min()
        if let unknown {
            throw VaultError(
                .invalidInput,
                facts: [.field: path + unknown.asFieldName, .reason: "unknown"]
            )
        }
    }

    /// An object in a member; nil where it is left out or null.
    func object(_ name: String, known: Set<String>) throws(VaultError) -> BodyMembers? {
        guard let value = try optional(name, \.members) else { return nil }
        return try BodyMembers(value, path + name + ".", known)
    }

    /// The objects of a list in a member; nil where it is left out or null.
    func objects(_ name: String, known: Set<String>) throws(VaultError) -> [BodyMembers]? {
        guard let values = try optional(name, \.array) else { return nil }
        var objects: [BodyMembers] = []
        for value in values {
            guard let members = value.members else { throw wrong(name) }
            objects.append(try BodyMembers(members, path + name + ".", known))
        }
        return objects
    }

    /// The texts of a list in a member; nil where it is left out or null.
    func texts(_ name: String) throws(VaultError) -> [String]? {
        guard let values = try optional(name, \.array) else { return nil }
        let texts = values.compactMap(\.text)
        guard texts.count == values.count else { throw wrong(name) }
        return texts
    }

    /// A member that has to be there.
    func required<Value>(
        _ name: String,
        _ read: (JSONValue) -> Value?
    ) throws(VaultError) -> Value {
        guard let value = try optional(name, read) else { throw wrong(name) }
        return value
    }

    /// A member that may be left out or null, but is nothing of another kind.
    func optional<Value>(
        _ name: String,
        _ read: (JSONValue) -> Value?
    ) throws(VaultError) -> Value? {
        guard let value = members[name], value != .null else { return nil }
        guard let read = read(value) else { throw wrong(name) }
        return read
    }

    private func wrong(_ name: String) -> VaultError {
        VaultError(.invalidInput, facts: [.field: path + name])
    }

    /// What is no JSON object at all.
    static var malformed: VaultError {
        VaultError(.invalidInput, facts: [.field: "body"])
    }
}

extension String {
    /// Itself where it looks like the name of a field: anything else may be a secret that went astray,
    /// or commands for a terminal.
    var asFieldName: String {
        let isName = utf8.count <= 32 && wholeMatch(of: /[A-Za-z][A-Za-z0-9_-]*/) != nil
        return isName ? self : "?"
    }
}
