internal import FoundationEssentials

/// Times in words.
enum TimeText {
    static let unknown = "unknown"
    /// More seconds than anything of a vault lasts: three thousand years.
    private static let limit = 1e11

    /// How long from now, in the largest unit of which there are at least two.
    ///
    /// A time may come from a column that no seal covers.
    static func distance(to date: Date?, from now: Date) -> String {
        guard let interval = date?.timeIntervalSince(now), abs(interval) < limit else {
            return unknown
        }
        let seconds = Int(interval.rounded())
        guard seconds != 0 else { return "now" }
        let size = abs(seconds)
        let text =
            switch size {
            case ..<120: "\(size) s"
            case ..<7200: "\(size / 60) min"
            case ..<172_800: "\(size / 3600) h"
            default: "\(size / 86_400) days"
            }
        return seconds > 0 ? "in \(text)" : "\(text) ago"
    }
}
