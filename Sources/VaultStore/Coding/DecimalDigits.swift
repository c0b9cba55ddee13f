/// A run of decimal digits, few enough for an integer.
struct DecimalDigits {
    /// More could overflow.
    static let limit = 19

    private(set) var value: UInt64 = 0
    /// Ten to the power of their count.
    private(set) var scale: UInt64 = 1
    private(set) var count = 0

    /// False when there are too many, or it is no digit.
    mutating func append(_ character: UInt8) -> Bool {
        let digit = character &- UInt8(ascii: "0")
        guard digit < 10, count < Self.limit else { return false }
        value = value * 10 + UInt64(digit)
        scale *= 10
        count += 1
        return true
    }
}

extension Double {
    /// The number nearest to a decimal one, as `Double.init(_: String)` has it; nil for one between 0
    /// and 1.
    init?(whole: DecimalDigits, fraction: DecimalDigits) {
        guard fraction.value > 0 else {
            self.init(whole.value)
            return
        }
        guard whole.value > 0 else { return nil }
        // As 64 bits before the point and 64 behind it, of which the first 64 that count are more than
        // a `Double` holds: what is cut off only says to which side of a half it lies.
        let (bits, rest) = fraction.scale.dividingFullWidth((fraction.value, 0))
        let shift = whole.value.leadingZeroBitCount
        let first = whole.value << shift | bits >> (64 - shift)
        let isCutOff = bits << shift != 0 || rest != 0
        self = Double(first | (isCutOff ? 1 : 0)) / Double(UInt64(1) << UInt64(shift))
    }
}
