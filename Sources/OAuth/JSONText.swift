package import VaultCrypto

/// Writes JSON text (RFC 8259).
///
/// The buffer that secrets pass through is wiped.
package struct JSONText {
    private var bytes: [UInt8] = []

    /// A whole document, the members of objects in the order of their names.
    package static func encode(_ value: JSONValue) -> Secret {
        var text = JSONText()
        // Growing would leave copies of the secrets behind.
        text.bytes.reserveCapacity(value.largestText)
        text.append(value)
        return Secret(wiping: &text.bytes)
    }

    /// An object of strings in the order given, as a request has it.
    static func object(_ members: [(name: String, value: Secret)]) -> Secret {
        var text = JSONText()
        text.bytes.reserveCapacity(
            members.reduce(2) { $0 + 6 * ($1.name.utf8.count + $1.value.count) + 6 }
        )
        text.append(members.map { ($0.name, JSONValue.string($0.value)) })
        return Secret(wiping: &text.bytes)
    }

    private mutating func append(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let bool): bytes += (bool ? "true" : "false").utf8
        case .number(let digits): bytes += digits.utf8
        case .string(let secret): secret.withBytes { append(string: $0) }
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            append(members.dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }

    private mutating func append(_ members: [(String, JSONValue)]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, (name, value)) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(.string(Secret(name)))
            bytes.append(UInt8(ascii: ":"))
            append(value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func append(string: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        for index in string.indices {
            let byte = string[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            } else if byte < 0x20 {
                bytes += "\\u00\(byte < 16 ? "0" : "1")\(String(byte & 15, radix: 16))".utf8
            } else {
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONValue {
    /// At least the number of bytes of its text: every byte of a string may be escaped.
    fileprivate var largestText: Int {
        switch self {
        case .null, .bool: 5
        case .number(let digits): digits.utf8.count
        case .string(let secret): 6 * secret.count + 2
        case .array(let elements): elements.reduce(2) { $0 + $1.largestText + 1 }
        case .object(let members):
            members.dictionary.reduce(2) { $0 + 6 * $1.key.utf8.count + 4 + $1.value.largestText }
        }
    }
}
