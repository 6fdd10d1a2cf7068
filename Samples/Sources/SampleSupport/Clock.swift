import Foundation

/// Dates that are the same everywhere, independent of the current date, time zone and language.
public enum Clock {
    /// The Gregorian calendar in UTC.
    public static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        calendar.locale = Locale(identifier: "en_US_POSIX")
        return calendar
    }()

    private static func formatter(_ format: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.calendar = calendar
        formatter.timeZone = calendar.timeZone
        formatter.locale = calendar.locale
        formatter.dateFormat = format
        return formatter
    }

    /// Returns a time given as `2026-11-21 09:30`. Traps if the text has another form, since it is written in the
    /// samples' code.
    public static func date(_ text: String) -> Date {
        guard let date = formatter("yyyy-MM-dd HH:mm").date(from: text) else { fatalError("“\(text)” is no time") }
        return date
    }

    /// Returns a day as `21 Nov`, or `-` for `nil`.
    public static func day(_ date: Date?) -> String { date.map { formatter("d MMM").string(from: $0) } ?? "-" }

    /// Returns the year, or `-` for `nil`.
    public static func year(_ date: Date?) -> String { date.map { formatter("yyyy").string(from: $0) } ?? "-" }

    /// Returns the time of day as `09:30`, or `-` for `nil`.
    public static func time(_ date: Date?) -> String { date.map { formatter("HH:mm").string(from: $0) } ?? "-" }
}
