internal import FoundationEssentials

/// A time in a file's name: UTC, as `20261130T104212Z`.
enum CompactTime {
    static func text(of date: Date) -> String {
        let seconds = date.unixSeconds
        let day = seconds.flooredQuotient(by: 86_400)
        let time = seconds - day * 86_400
        let (year, month, dayOfMonth) = civil(day)
        return padded(year, 4) + padded(month, 2) + padded(dayOfMonth, 2) + "T"
            + padded(time / 3600, 2) + padded(time / 60 % 60, 2) + padded(time % 60, 2) + "Z"
    }

    /// The Gregorian date of a day counted from 1970, by years that begin in March: leap days then
    /// come last.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let daysPerEra: Int64 = 146_097
        let sinceMarch0000 = day + 719_468
        let era = sinceMarch0000.flooredQuotient(by: daysPerEra)
        let dayOfEra = sinceMarch0000 - era * daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
