/// A JSON document (RFC 8259) that a person wrote, each value with its line: what is wrong with it is
/// theirs to find.
///
/// Not the reader of answers, which takes what it can get: here one fault is the end.
struct LocatedJSON: Sendable, Equatable {
    indirect enum Value: Sendable, Equatable {
        case null
        case bool(Bool)
        /// As it is written.
        case number(String)
        case string(String)
        case array([LocatedJSON])
        case object([Member])
    }

    struct Member: Sendable, Equatable {
        let name: String
        let line: Int
        let value: LocatedJSON
    }

    let line: Int
    let value: Value

    /// Reads a whole document.
    static func read(_ bytes: [UInt8]) throws(ConfigurationProblem) -> LocatedJSON {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw ConfigurationProblem(line: 1, .notUTF8)
        }
        var reader = Reader(bytes: bytes)
        let document = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.next == nil else { throw reader.malformed }
        return document
    }

    /// Deeper ones are nobody's.
    private static let maximumDepth = 16

    fileprivate struct Reader {
        let bytes: [UInt8]
        var index = 0
        var line = 1

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        var next: UInt8? { index < bytes.count ? bytes[index] : nil }
        var malformed: ConfigurationProblem { ConfigurationProblem(line: line, .notJSON) }

        mutating func skipBlanks() {
            while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) {
                if byte == 0x0a { line += 1 }
                index += 1
            }
        }

        /// Passes over blanks and a character, if that comes next.
        mutating func accept(_ character: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard next == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        mutating func value(depth: Int) throws(ConfigurationProblem) -> LocatedJSON {
            skipBlanks()
            let start = line
            guard let first = next, depth < LocatedJSON.maximumDepth else { throw malformed }
            let value: Value =
                switch first {
                case UInt8(ascii: "{"): .object(try members(depth: depth))
                case UInt8(ascii: "["): .array(try elements(depth: depth))
                case UInt8(ascii: "\""): .string(try string())
                case UInt8(ascii: "t"): try word("true", .bool(true))
                case UInt8(ascii: "f"): try word("false", .bool(false))
                case UInt8(ascii: "n"): try word("null", .null)
                default: .number(try number())
                }
            return LocatedJSON(line: start, value: value)
        }

        private mutating func members(depth: Int) throws(ConfigurationProblem) -> [Member] {
            index += 1
            var members: [Member] = []
            var names: Set<String> = []
            if accept("}") { return members }
            repeat {
                skipBlanks()
                let start = line
                guard next == UInt8(ascii: "\"") else { throw malformed }
                let name = try string()
                guard names.insert(name).inserted else {
                    throw ConfigurationProblem(line: start, .repeated(name))
                }
                guard accept(":") else { throw malformed }
                members.append(Member(name: name, line: start, value: try value(depth: depth + 1)))
            } while accept(",")
            guard accept("}") else { throw malformed }
            return members
        }

        private mutating func elements(depth: Int) throws(ConfigurationProblem) -> [LocatedJSON] {
            index += 1
            var elements: [LocatedJSON] = []
            if accept("]") { return elements }
            repeat { elements.append(try value(depth: depth + 1)) } while accept(",")
            guard accept("]") else { throw malformed }
            return elements
        }

        private mutating func word(
            _ word: StaticString,
            _ value: Value
        ) throws(ConfigurationProblem) -> Value {
            for character in word.description.utf8 {
                guard next == character else { throw malformed }
                index += 1
            }
            return value
        }
    }
}

// MARK: - Numbers and strings

extension LocatedJSON.Reader {
    private mutating func number() throws(ConfigurationProblem) -> String {
        let start = index
        if next == UInt8(ascii: "-") { index += 1 }
        let first = next
        // A leading zero stands alone.
        guard try digits() == 1 || first != UInt8(ascii: "0") else { throw malformed }
        if next == UInt8(ascii: ".") {
            index += 1
            _ = try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            _ = try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() throws(ConfigurationProblem) -> Int {
        let start = index
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw malformed }
        return index - start
    }

    private mutating func string() throws(ConfigurationProblem) -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0x00..<0x20: throw malformed
            default: text.append(byte)
            }
        }
        throw malformed
    }

    private mutating func escape(into text: inout [UInt8]) throws(ConfigurationProblem) {
        guard let letter = next else { throw malformed }
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += Array(String(try scalar()).utf8)
        default: throw malformed
        }
    }

    /// One escape, or two for a surrogate pair; half a pair is no character.
    private mutating func scalar() throws(ConfigurationProblem) -> Character {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
        guard unit < 0xdc00, bytes[index...].starts(with: "\\u".utf8) else { throw malformed }
        index += 2
        let low = try codeUnit()
        guard (0xdc00...0xdfff).contains(low),
            let scalar = Unicode.Scalar(
                0x10000 + (UInt32(unit) - 0xd800) << 10 + UInt32(low) - 0xdc00
            )
        else { throw malformed }
        return Character(scalar)
    }

    private mutating func codeUnit() throws(ConfigurationProblem) -> UInt16 {
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(.init($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed }
        index += 4
        return unit
    }
}
