internal import VaultCrypto

/// The bytes of `application/x-www-form-urlencoded` (RFC 6749 appendix B).
package enum FormEncoding {
    /// One value with everything escaped that is not a letter, a digit or one of `*-._`.
    static func encode(_ value: Secret) -> [UInt8] {
        value.withBytes { bytes in
            var encoded: [UInt8] = []
            encoded.reserveCapacity(bytes.count + bytes.count / 4)
            for index in bytes.indices { append(bytes[index], to: &encoded) }
            return encoded
        }
    }

    /// One value as text, for a URL's query.
    package static func encode(_ value: String) -> String {
        var encoded: [UInt8] = []
        for byte in value.utf8 { append(byte, to: &encoded) }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Names and values joined to a body.
    static func body(_ parameters: [(name: String, value: Secret)]) -> Secret {
        var body: [UInt8] = []
        for (name, value) in parameters {
            if !body.isEmpty { body.append(UInt8(ascii: "&")) }
            body += encode(Secret(name))
            body.append(UInt8(ascii: "="))
            body += encode(value)
        }
        return Secret(bytes: body)
    }

    private static func append(_ byte: UInt8, to encoded: inout [UInt8]) {
        if byte.isDigit || byte.isLetter || "*-._".utf8.contains(byte) {
            encoded.append(byte)
        } else if byte == UInt8(ascii: " ") {
            encoded.append(UInt8(ascii: "+"))
        } else {
            encoded += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
