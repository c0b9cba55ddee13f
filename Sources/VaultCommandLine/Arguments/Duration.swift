internal import Platform

extension ArgumentReader {
    /// The value of an option as a time in seconds: 90s, 15m, 8h or 2d.
    mutating func duration(_ name: String) throws(UsageError) -> Double? {
        guard let text = try option(name) else { return nil }
        let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }),
            text.dropLast().allSatisfy({ ("0"..."9").contains($0) }),
            let count = UInt32(text.dropLast()), count > 0,
            case let (seconds, false) = count.multipliedReportingOverflow(by: unit)
        else {
            throw .malformed(name, value: text, wanted: "a time such as 90s, 15m, 8h or 2d")
        }
        return Double(seconds)
    }
}
