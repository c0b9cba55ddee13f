internal import FoundationEssentials
internal import OAuth
internal import VaultCrypto

/// The members of a sealed record's plaintext, read strictly: what is missing or of another type
/// makes the record as unusable as one that does not open.
///
/// Tokens go from record to `Secret` and back without becoming text in between.
struct SealedJSON {
    private let members: JSONObject

    init(_ members: [String: JSONValue?]) {
        self.members = JSONObject(members.compactMapValues { $0 })
    }

    init(_ value: JSONValue?) throws(SealingError) {
        guard let members = value?.members else { throw SealingError() }
        self.members = members
    }

    init(decoding plaintext: Secret) throws(SealingError) {
        let result = JSONReader.read(plaintext)
        guard result.isComplete else { throw SealingError() }
        try self.init(result.value)
    }

    var value: JSONValue { .object(members) }
    var encoded: Secret { JSONText.encode(value) }

    subscript(name: String) -> JSONValue? { members[name] }

    // MARK: - Reading

    func secret(_ name: String) throws(SealingError) -> Secret {
        guard let secret = members[name]?.secret else { throw SealingError() }
        return secret
    }

    func text(_ name: String) throws(SealingError) -> String {
        try secret(name).reveal { $0 }
    }

    func number(_ name: String) throws(SealingError) -> Double {
        guard case .number(let digits) = members[name], let number = Double(digits),
            number.isFinite
        else {
            throw SealingError()
        }
        return number
    }

    func integer(_ name: String) throws(SealingError) -> Int {
        guard let integer = Int(exactly: try number(name)) else { throw SealingError() }
        return integer
    }

    func date(_ name: String) throws(SealingError) -> Date {
        Date(timeIntervalSince1970: try number(name))
    }

    func bool(_ name: String) throws(SealingError) -> Bool {
        guard let bool = members[name]?.bool else { throw SealingError() }
        return bool
    }

    func texts(_ name: String) throws(SealingError) -> [String] {
        guard let elements = members[name]?.array else { throw SealingError() }
        let texts = elements.compactMap(\.text)
        guard texts.count == elements.count else { throw SealingError() }
        return texts
    }

    /// What `read` gives for a member, or nil when it is missing.
    func optional<Value>(
        _ name: String,
        _ read: (SealedJSON) -> (String) throws(SealingError) -> Value
    ) throws(SealingError) -> Value? {
        guard members[name] != nil else { return nil }
        return try read(self)(name)
    }
}

// MARK: - Writing

extension JSONValue {
    static func text(_ text: String) -> JSONValue { .string(Secret(text)) }
    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .text($0) }) }
    static func date(_ date: Date) -> JSONValue { .number(date.timeIntervalSince1970) }

    /// A finite number: JSON has no others (RFC 8259 §6), and nobody could read the record again.
    static func number(_ number: Double) -> JSONValue {
        precondition(number.isFinite, "a record cannot hold a number that is not finite")
        return .number("\(number)")
    }
}
