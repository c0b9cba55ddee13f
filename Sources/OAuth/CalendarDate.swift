/// Times in the text forms that answers use, without a calendar library and its locales.
package enum CalendarDate {
    /// Seconds since 1970 of an ISO 8601 time with its zone, as in `2025-10-09T08:53:20.5+02:00`.
    package static func iso8601(_ text: String) -> Double? {
        guard text.utf8.count <= 40, let split = text.firstIndex(where: { "Tt ".contains($0) })
        else { return nil }
        let date = text[..<split].split(separator: "-", omittingEmptySubsequences: false)
        var time = text[text.index(after: split)...]
        guard date.count == 3, date[0].utf8.count == 4, let offset = zone(&time) else { return nil }
        let seconds = time.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(seconds.count),
            seconds.count == 1 || number(seconds[1]) != nil,
            let start = point(date[0], date[1], date[2], time: seconds[0])
        else { return nil }
        return start - offset + (seconds.count == 2 ? Double("0." + seconds[1]) ?? 0 : 0)
    }

    /// Seconds since 1970 of an HTTP date in one of its three forms (RFC 9110 §5.6.7).
    static func http(_ text: String) -> Double? {
        guard text.utf8.count <= 40 else { return nil }
        let parts = text.split { " ,-".contains($0) }
        switch parts.count {
        case 6 where parts[5] == "GMT":
            guard let month = months.firstIndex(of: parts[2]) else { return nil }
            return point(fullYear(parts[3]), "\(month + 1)", parts[1], time: parts[4])
        case 5:
            guard let month = months.firstIndex(of: parts[1]) else { return nil }
            return point(parts[4], "\(month + 1)", parts[2], time: parts[3])
        default:
            return nil
        }
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The obsolete two-digit years all lie in this protocol's lifetime.
    private static func fullYear(_ text: Substring) -> Substring {
        text.utf8.count == 2 ? "20" + text : text
    }

    /// Takes the zone off the end and gives its offset in seconds; a local time has no meaning.
    private static func zone(_ time: inout Substring) -> Double? {
        if time.last == "Z" || time.last == "z" {
            time.removeLast()
            return 0
        }
        guard let sign = time.lastIndex(where: { "+-".contains($0) }) else { return nil }
        let digits = time[time.index(after: sign)...].filter { $0 != ":" }
        guard digits.utf8.count == 4, let value = number(digits[...]) else { return nil }
        let offset = Double((value / 100 * 60 + value % 100) * 60)
        let isEast = time[sign] == "+"
        time = time[..<sign]
        return isEast ? offset : -offset
    }

    private static func point(
        _ year: Substring,
        _ month: Substring,
        _ day: Substring,
        time: Substring
    ) -> Double? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(number)
        guard let year = number(year), let month = number(month), let day = number(day),
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            (1...9999).contains(year), (1...12).contains(month),
            (1...length(ofMonth: month, in: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return Double(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(\.isDigit) && text.utf8.count <= 9 ? Int(text) : nil
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970 in the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let past = year - 1
        let yearStart = past * 365 + past / 4 - past / 100 + past / 400
        let monthStart = (1..<month).reduce(0) { $0 + length(ofMonth: $1, in: year) }
        let epoch = 719_162
        return yearStart + monthStart + day - 1 - epoch
    }
}
