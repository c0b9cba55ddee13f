package import VaultCrypto

/// Reads JSON text (RFC 8259) strictly, within bounds, and keeps what came before a break.
///
/// Bytes inside strings are taken as they are, so that a name in the wrong encoding does not cost
/// the token beside it.
package struct JSONReader {
    /// What was read: `isComplete` is false when the text broke off or went wrong, and then an
    /// object holds the members that were whole by then.
    package struct Result: Sendable {
        package let value: JSONValue
        package let isComplete: Bool
    }

    private enum Failure: Error { case malformed }

    /// Deeper documents are refused: each level is a stack frame.
    private static let maximumDepth = 256

    private var index = 0
    private var partial = JSONObject()

    /// Reads a whole document; one byte order mark in front is passed over.
    package static func read(_ text: Secret) -> Result {
        text.withBytes { read($0) }
    }

    package static func read(_ input: Span<UInt8>) -> Result {
        var reader = JSONReader()
        if input.count >= 3, input[0] == 0xef, input[1] == 0xbb, input[2] == 0xbf {
            reader.index = 3
        }
        do throws(Failure) {
            let value = try reader.value(input, depth: 0)
            reader.skipBlanks(input)
            return Result(value: value, isComplete: reader.index == input.count)
        } catch {
            return Result(value: .object(reader.partial), isComplete: false)
        }
    }

    private mutating func value(_ input: Span<UInt8>, depth: Int) throws(Failure) -> JSONValue {
        guard depth < Self.maximumDepth else { throw .malformed }
        skipBlanks(input)
        guard index < input.count else { throw .malformed }
        switch input[index] {
        case UInt8(ascii: "{"): return .object(try object(input, depth: depth))
        case UInt8(ascii: "["): return .array(try array(input, depth: depth))
        case UInt8(ascii: "\""):
            if let plain = plainString(input) {
                return .string(Secret(copying: input.extracting(plain)))
            }
            var bytes = try escapedString(input)
            return .string(Secret(wiping: &bytes))
        case UInt8(ascii: "t"): return try literal("true", .bool(true), input)
        case UInt8(ascii: "f"): return try literal("false", .bool(false), input)
        case UInt8(ascii: "n"): return try literal("null", .null, input)
        default: return .number(try number(input))
        }
    }

    private mutating func object(
        _ input: Span<UInt8>,
        depth: Int
    ) throws(Failure) -> JSONObject {
        index += 1
        var members = JSONObject()
        if accept("}", input) { return members }
        repeat {
            skipBlanks(input)
            guard index < input.count, input[index] == UInt8(ascii: "\"") else { throw .malformed }
            let name = try name(input)
            guard accept(":", input) else { throw .malformed }
            let member = try value(input, depth: depth + 1)
            // What is whole of the outermost one is there when the text breaks off.
            if depth == 0 { partial.append(name, member) } else { members.append(name, member) }
        } while accept(",", input)
        guard accept("}", input) else { throw .malformed }
        return depth == 0 ? partial : members
    }

    private mutating func array(
        _ input: Span<UInt8>,
        depth: Int
    ) throws(Failure) -> [JSONValue] {
        index += 1
        var elements: [JSONValue] = []
        if accept("]", input) { return elements }
        repeat {
            elements.append(try value(input, depth: depth + 1))
        } while accept(",", input)
        guard accept("]", input) else { throw .malformed }
        return elements
    }

    private mutating func literal(
        _ word: StaticString,
        _ value: JSONValue,
        _ input: Span<UInt8>
    ) throws(Failure) -> JSONValue {
        for character in word.description.utf8 {
            guard index < input.count, input[index] == character else { throw .malformed }
            index += 1
        }
        return value
    }

    private mutating func skipBlanks(_ input: Span<UInt8>) {
        while index < input.count {
            switch input[index] {
            case 0x20, 0x09, 0x0a, 0x0d: index += 1
            default: return
            }
        }
    }

    private mutating func accept(_ character: Unicode.Scalar, _ input: Span<UInt8>) -> Bool {
        skipBlanks(input)
        guard index < input.count, input[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }
}

// MARK: - Numbers and strings

extension JSONReader {
    private mutating func number(_ input: Span<UInt8>) throws(Failure) -> String {
        let start = index
        if index < input.count, input[index] == UInt8(ascii: "-") { index += 1 }
        let whole = try digits(input)
        // A leading zero stands alone.
        guard whole.count == 1 || input[whole.lowerBound] != UInt8(ascii: "0") else {
            throw .malformed
        }
        if index < input.count, input[index] == UInt8(ascii: ".") {
            index += 1
            _ = try digits(input)
        }
        if index < input.count, input[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < input.count, "+-".utf8.contains(input[index]) { index += 1 }
            _ = try digits(input)
        }
        return String(decoding: input.extracting(start..<index))
    }

    private mutating func digits(_ input: Span<UInt8>) throws(Failure) -> Range<Int> {
        let start = index
        while index < input.count, input[index].isDigit { index += 1 }
        guard index > start else { throw .malformed }
        return start..<index
    }

    private mutating func name(_ input: Span<UInt8>) throws(Failure) -> String {
        if let plain = plainString(input) {
            return String(decoding: input.extracting(plain))
        }
        return String(decoding: try escapedString(input), as: UTF8.self)
    }

    /// The bytes of a string in which nothing is escaped, as nearly all are; nil before another.
    private mutating func plainString(_ input: Span<UInt8>) -> Range<Int>? {
        let start = index + 1
        guard let end = Self.endOfPlainString(input, from: start) else { return nil }
        index = end + 1
        return start..<end
    }

    /// Where a string's quotation mark is; nil when something is escaped before it, or forbidden, or
    /// there is none.
    package static func endOfPlainString(_ input: Span<UInt8>, from start: Int) -> Int? {
        var end = start
        while end <= input.count - Block.scalarCount, isPlain(input, at: end) {
            end += Block.scalarCount
        }
        while end < input.count {
            switch input[end] {
            case UInt8(ascii: "\""): return end
            case UInt8(ascii: "\\"), 0x00..<0x20: return nil
            default: end += 1
            }
        }
        return nil
    }

    private typealias Block = SIMD16<UInt8>

    /// Whether a string goes on over a block of bytes; all of them at once.
    private static func isPlain(_ input: Span<UInt8>, at offset: Int) -> Bool {
        // Unsafe only by its name: the bounds are checked, and any bytes are numbers.
        let block = unsafe input.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Block.self)
        let quotes = block .== Block(repeating: UInt8(ascii: "\""))
        let backslashes = block .== Block(repeating: UInt8(ascii: "\\"))
        let forbidden = block .< Block(repeating: 0x20)
        return !any(quotes .| backslashes .| forbidden)
    }

    private mutating func escapedString(_ input: Span<UInt8>) throws(Failure) -> [UInt8] {
        index += 1
        var bytes: [UInt8] = []
        // Growing would leave copies of a secret behind, and takes longer than looking ahead.
        bytes.reserveCapacity(lengthAhead(input))
        while index < input.count {
            let byte = input[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return bytes
            case UInt8(ascii: "\\"): try escape(input, into: &bytes)
            case 0x00..<0x20: throw .malformed
            default: bytes.append(byte)
            }
        }
        throw .malformed
    }

    /// Bytes up to the next quotation mark.
    private func lengthAhead(_ input: Span<UInt8>) -> Int {
        var end = index
        while end < input.count, input[end] != UInt8(ascii: "\"") { end += 1 }
        return end - index
    }

    private mutating func escape(
        _ input: Span<UInt8>,
        into bytes: inout [UInt8]
    ) throws(Failure) {
        guard index < input.count else { throw .malformed }
        let letter = input[index]
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0c)
        case UInt8(ascii: "n"): bytes.append(0x0a)
        case UInt8(ascii: "r"): bytes.append(0x0d)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes += Array(String(try scalar(input)).utf8)
        default: throw .malformed
        }
    }

    /// A `\u` escape, two of them for a surrogate pair; half a pair becomes U+FFFD.
    private mutating func scalar(_ input: Span<UInt8>) throws(Failure) -> Character {
        let unit = try codeUnit(input)
        if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
        let afterFirst = index
        if unit < 0xdc00, index + 1 < input.count, input[index] == UInt8(ascii: "\\"),
            input[index + 1] == UInt8(ascii: "u")
        {
            index += 2
            let low = try codeUnit(input)
            let value = 0x10000 + (UInt32(unit) - 0xd800) << 10 + UInt32(low) &- 0xdc00
            if (0xdc00...0xdfff).contains(low), let scalar = Unicode.Scalar(value) {
                return Character(scalar)
            }
            index = afterFirst
        }
        return "\u{fffd}"
    }

    private mutating func codeUnit(_ input: Span<UInt8>) throws(Failure) -> UInt16 {
        guard index + 4 <= input.count else { throw .malformed }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = input[index].hexValue else { throw .malformed }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }
}
