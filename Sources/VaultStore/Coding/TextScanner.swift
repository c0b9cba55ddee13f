internal import OAuth
internal import VaultCrypto

/// Walks through a record's text, member by member, without looking back.
///
/// A member's value is nil when another member comes, or none.
struct TextScanner {
    private(set) var index = 0
    /// Whether the next member is the first of its object.
    private var isFirst = true

    /// Passes over what an object, or one inside another, begins with.
    mutating func begin(_ brackets: StaticString, _ text: Span<UInt8>) throws(UsualRecord.Unusual) {
        guard take(brackets, text) else { throw UsualRecord.Unusual() }
        isFirst = true
    }

    /// Passes over what an object ends with.
    mutating func end(_ brackets: StaticString, _ text: Span<UInt8>) throws(UsualRecord.Unusual) {
        guard take(brackets, text) else { throw UsualRecord.Unusual() }
        isFirst = false
    }

    /// Passes over the name of a member that has to come.
    mutating func name(_ name: StaticString, _ text: Span<UInt8>) throws(UsualRecord.Unusual) {
        guard takeName(name, text) else { throw UsualRecord.Unusual() }
    }

    /// Passes over the name of a member that may come; false when another comes, or none.
    mutating func passName(_ name: StaticString, _ text: Span<UInt8>) -> Bool {
        takeName(name, text)
    }

    /// Where a text is.
    mutating func range(
        _ name: StaticString,
        _ text: Span<UInt8>
    ) throws(UsualRecord.Unusual) -> Range<Int>? {
        takeName(name, text) ? try string(text) : nil
    }

    mutating func text(
        _ name: StaticString,
        _ text: Span<UInt8>
    ) throws(UsualRecord.Unusual) -> String? {
        try range(name, text).map { String(decoding: text.extracting($0)) }
    }

    mutating func secret(
        _ name: StaticString,
        _ text: Span<UInt8>
    ) throws(UsualRecord.Unusual) -> Secret? {
        try range(name, text).map { Secret(copying: text.extracting($0)) }
    }

    mutating func texts(
        _ name: StaticString,
        _ text: Span<UInt8>
    ) throws(UsualRecord.Unusual) -> [String]? {
        guard takeName(name, text) else { return nil }
        guard take(UInt8(ascii: "["), text) else { throw UsualRecord.Unusual() }
        var texts: [String] = []
        repeat {
            texts.append(String(decoding: text.extracting(try string(text))))
        } while take(UInt8(ascii: ","), text)
        guard take(UInt8(ascii: "]"), text) else { throw UsualRecord.Unusual() }
        return texts
    }

    mutating func number(
        _ name: StaticString,
        _ text: Span<UInt8>
    ) throws(UsualRecord.Unusual) -> Double? {
        guard takeName(name, text) else { return nil }
        let start = index
        let whole = digits(text)
        var fraction = DecimalDigits()
        if take(UInt8(ascii: "."), text) {
            fraction = digits(text)
            guard fraction.count > 0 else { throw UsualRecord.Unusual() }
        }
        // A leading zero stands alone. Digits that were too many are not passed over.
        guard whole.count == 1 || whole.count > 1 && text[start] != UInt8(ascii: "0"),
            let number = Double(whole: whole, fraction: fraction)
        else { throw UsualRecord.Unusual() }
        return number
    }

    mutating func integer(
        _ name: StaticString,
        _ text: Span<UInt8>
    ) throws(UsualRecord.Unusual) -> Int? {
        guard let number = try number(name, text) else { return nil }
        guard let integer = Int(exactly: number) else { throw UsualRecord.Unusual() }
        return integer
    }

    // MARK: - Pieces

    private mutating func takeName(_ name: StaticString, _ text: Span<UInt8>) -> Bool {
        let start = index
        guard isFirst || take(UInt8(ascii: ","), text), take(UInt8(ascii: "\""), text),
            take(name, text), take(UInt8(ascii: "\""), text), take(UInt8(ascii: ":"), text)
        else {
            index = start
            return false
        }
        isFirst = false
        return true
    }

    /// Passes over some bytes, or over nothing when others come.
    private mutating func take(_ bytes: StaticString, _ text: Span<UInt8>) -> Bool {
        guard text.has(bytes, at: index) else { return false }
        index += bytes.utf8CodeUnitCount
        return true
    }

    private mutating func take(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
        guard index < text.count, text[index] == byte else { return false }
        index += 1
        return true
    }

    /// Where the bytes of a string are.
    private mutating func string(_ text: Span<UInt8>) throws(UsualRecord.Unusual) -> Range<Int> {
        guard take(UInt8(ascii: "\""), text),
            let end = JSONReader.endOfPlainString(text, from: index)
        else {
            throw UsualRecord.Unusual()
        }
        defer { index = end + 1 }
        return index..<end
    }

    private mutating func digits(_ text: Span<UInt8>) -> DecimalDigits {
        var digits = DecimalDigits()
        while index < text.count, digits.append(text[index]) { index += 1 }
        return digits
    }
}
