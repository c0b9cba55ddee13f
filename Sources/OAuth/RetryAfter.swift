internal import FoundationEssentials

/// How long a server asks to wait (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Longer waits are cut to this: the server still asked for one.
    private static let maximum: Double = 365 * 86_400

    /// Whole seconds, rounded up; a date is measured against the server's own clock when it tells it.
    static func seconds(in response: HTTPResponse, received: Date) -> Double? {
        guard let field = response.header("Retry-After") else { return nil }
        let value = field.trimmingBlanks
        let wait: Double
        if !value.isEmpty, value.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) {
            guard let seconds = Double(value) else { return nil }
            wait = seconds.rounded(.up)
        } else {
            guard let until = CalendarDate.http(value) else { return nil }
            let now = response.header("Date").flatMap { CalendarDate.http($0.trimmingBlanks) }
            wait = max(0, until - (now ?? received.timeIntervalSince1970)).rounded(.up)
        }
        return min(wait, maximum)
    }
}
