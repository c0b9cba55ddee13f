internal import VaultCrypto

/// Writes the one JSON shape a request needs: an object of strings.
enum JSONText {
    static func object(_ members: [(name: String, value: Secret)]) -> Secret {
        var text = [UInt8(ascii: "{")]
        for (name, value) in members {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            append(Secret(name), to: &text)
            text.append(UInt8(ascii: ":"))
            append(value, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        return Secret(bytes: text)
    }

    private static func append(_ string: Secret, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        string.withBytes { bytes in
            for index in bytes.indices {
                let byte = bytes[index]
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    text += [UInt8(ascii: "\\"), byte]
                } else if byte < 0x20 {
                    text += Array("\\u00\(byte < 16 ? "0" : "1")".utf8)
                    text += Array(String(byte & 15, radix: 16).utf8)
                } else {
                    text.append(byte)
                }
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}
