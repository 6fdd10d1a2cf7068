package import Foundation

/// Dates as text, in UTC: for reading dates that people write, and for showing them.
///
/// Days are those of Foundation's Gregorian calendar, which is Julian before 15 October 1582, so that
/// `Date.distantPast` is 0001-01-01 as in every other program. Years before 1 are negative: -0001 is the year 2 BC.
package enum DateText {
    /// Returns the text of a date; parsing it returns exactly the same date.
    ///
    /// ISO 8601 with milliseconds, or with as many digits as are needed; the seconds since 2001 if that does not
    /// suffice, or if the year is far away.
    package static func text(of date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        let plain = "\(seconds)"
        guard seconds.isFinite, abs(seconds) < 1e11 else { return plain }
        for digits in [3, 6, 9] {
            let text = text(seconds, digits: digits)
            if self.date(text)?.timeIntervalSinceReferenceDate == seconds { return text }
        }
        return plain
    }

    /// Returns the text of a time, in seconds since 2001, without its fraction; `nil` if it is outside of the years 1
    /// to 9999.
    package static func text(ofSeconds seconds: Double) -> String? {
        guard (-63_114_076_800..<252_423_993_600).contains(seconds) else { return nil }
        return text(seconds.rounded(.down), digits: 0)
    }

    private static func text(_ seconds: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1) { result, _ in result * 10 }
        var whole = Int(seconds.rounded(.down))
        var fraction = Int(((seconds - Double(whole)) * Double(scale)).rounded())
        if fraction >= scale {
            whole += 1
            fraction -= scale
        }
        let number = floorDivision(whole, 86_400)
        let rest = whole - number * 86_400
        let (year, month, day) = date(ofDay: number + referenceDay)
        let sign = year < 0 ? "-" : ""
        return "\(sign)\(padded(abs(year), 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
            + (digits > 0 ? ".\(padded(fraction, digits))Z" : "Z")
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Parses a date: ISO 8601 with or without time, fraction and zone (UTC if there is none), or seconds since
    /// 2001-01-01 00:00 UTC.
    package static func date(_ text: String) -> Date? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = Double(text), seconds.isFinite { return Date(timeIntervalSinceReferenceDate: seconds) }
        let pattern =
            #/([+-]?\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?/#
        guard let match = text.wholeMatch(of: pattern), let year = Int(match.1), let month = Int(match.2),
            let day = Int(match.3)
        else { return nil }
        let (hour, minute) = (match.4.flatMap { Int($0) } ?? 0, match.5.flatMap { Int($0) } ?? 0)
        let second = match.6.flatMap { Int($0) } ?? 0
        let fraction = match.7.flatMap { Double("0\($0)") } ?? 0
        guard hour < 24, minute < 60, second < 61, let number = self.day(year, month: month, day: day) else {
            return nil
        }
        let seconds = (number - referenceDay) * 86_400 + hour * 3600 + minute * 60 + second - offset(match.8)
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
    }

    private static func offset(_ zone: Substring?) -> Int {
        guard let zone, zone != "Z" else { return 0 }
        let digits = zone.dropFirst().filter { $0 != ":" }
        let (hours, minutes) = (Int(digits.prefix(2)) ?? 0, Int(digits.suffix(2)) ?? 0)
        return (hours * 3600 + minutes * 60) * (zone.hasPrefix("-") ? -1 : 1)
    }

    // MARK: Days

    /// The Julian day number of 2001-01-01, which dates are counted from.
    private static let referenceDay = 2_451_911
    /// The Julian day number of 1582-10-15, the first day of the Gregorian calendar.
    private static let gregorianStart = 2_299_161

    private static func floorDivision(_ number: Int, _ divisor: Int) -> Int {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    /// Returns the Julian day number of a date; `nil` if there is no such day.
    private static func day(_ year: Int, month: Int, day: Int) -> Int? {
        guard 1...12 ~= month, 1...31 ~= day else { return nil }
        // Years that begin in March, so that the leap day is the last.
        let (y, m) = (month > 2 ? year : year - 1, month > 2 ? month - 3 : month + 9)
        let julian = day + (153 * m + 2) / 5 + 365 * y + floorDivision(y, 4) + 1_721_117
        let gregorian = julian - floorDivision(y, 100) + floorDivision(y, 400) + 2
        let number = gregorian >= gregorianStart ? gregorian : julian
        return date(ofDay: number) == (year, month, day) ? number : nil
    }

    private static func date(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
        var days = number - 1_721_118
        var year = 0
        if number >= gregorianStart {
            days -= 2
            let centuries = floorDivision(4 * days + 3, 146_097)
            days -= floorDivision(146_097 * centuries, 4)
            year = 100 * centuries
        }
        let years = floorDivision(4 * days + 3, 1461)
        days -= floorDivision(1461 * years, 4)
        year += years
        let month = (5 * days + 2) / 153
        let day = days - (153 * month + 2) / 5 + 1
        return (month < 10 ? year : year + 1, month < 10 ? month + 3 : month - 9, day)
    }
}
