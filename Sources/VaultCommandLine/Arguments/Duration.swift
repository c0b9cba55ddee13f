internal import Platform

/// A time as people type it: 90s, 15m, 8h or 2d.
enum DurationText {
    /// Its seconds; nil for anything else.
    static func seconds(_ text: String) -> Double? {
        let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }),
            text.dropLast().allSatisfy({ ("0"..."9").contains($0) }),
            let count = UInt32(text.dropLast()), count > 0,
            case let (seconds, false) = count.multipliedReportingOverflow(by: unit)
        else { return nil }
        return Double(seconds)
    }
}

extension ArgumentReader {
    /// The value of an option as a time in seconds.
    mutating func duration(_ name: String) throws(UsageError) -> Double? {
        guard let text = try option(name) else { return nil }
        guard let seconds = DurationText.seconds(text) else {
            throw .malformed(name, value: text, wanted: "a time such as 90s, 15m, 8h or 2d")
        }
        return seconds
    }
}
