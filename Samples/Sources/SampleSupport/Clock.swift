import Foundation

/// Dates that are the same everywhere: samples have no today, no time zone and no language of their own.
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

    /// A time of the form `2026-11-21 09:30`. Another form traps: these are written in the samples' code.
    public static func date(_ text: String) -> Date {
        guard let date = formatter("yyyy-MM-dd HH:mm").date(from: text) else { fatalError("“\(text)” is no time") }
        return date
    }

    /// A day as `21 Nov`; `-` for none.
    public static func day(_ date: Date?) -> String { date.map { formatter("d MMM").string(from: $0) } ?? "-" }

    /// The year; `-` for none.
    public static func year(_ date: Date?) -> String { date.map { formatter("yyyy").string(from: $0) } ?? "-" }

    /// The time of the day as `09:30`; `-` for none.
    public static func time(_ date: Date?) -> String { date.map { formatter("HH:mm").string(from: $0) } ?? "-" }
}
