/// `application/x-www-form-urlencoded`, for queries and form bodies.
package enum FormCoding {
    /// The fields in order; repeated names stay, and a name without `=` has an empty value.
    package static func decode(_ text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { field in
            let parts = field.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return (decodeComponent(parts[0]), parts.count > 1 ? decodeComponent(parts[1]) : "")
        }
    }

    /// One name or value: plus is a space, and a percent sign that starts no escape is itself.
    package static func decodeComponent(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            switch first {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let byte = hexadecimalByte(rest.prefix(2)) else { fallthrough }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            default:
                bytes.append(first)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimalByte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == 2 else { return nil }
        return UInt8(values[0] << 4 | values[1])
    }
}

extension FormCoding {
    /// One name or value for a query or a form, all but unreserved characters escaped.
    package static func encodeComponent(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Fields joined to a query or a form.
    package static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(encodeComponent($0.name))=\(encodeComponent($0.value))" }
            .joined(separator: "&")
    }
}
