import Foundation

/// The binary form of `timestamptz`: microseconds since 2000-01-01T00:00:00Z, with the extremes for the infinities.
enum TimestampCoding {
    /// The seconds from 2000-01-01 to Foundation's reference date, 2001-01-01. 2000 was a leap year.
    private static let epochOffset: Double = 366 * 86_400
    /// The microseconds that the server accepts, from 4713 BC to 294276 AD.
    private static let range = -211_813_488_000_000_000..<9_223_371_331_200_000_000

    /// Returns a date in microseconds, rounded to the nearest.
    static func microseconds(of date: Date) throws(PostgreSQLError) -> Int64 {
        let seconds = date.timeIntervalSinceReferenceDate
        if seconds == .infinity { return .max }
        if seconds == -.infinity { return .min }
        // Whole seconds are converted separately, because the product would lose digits.
        let whole = seconds.rounded(.down)
        if let base = Int64(exactly: whole + epochOffset) {
            let (product, overflow) = base.multipliedReportingOverflow(by: 1_000_000)
            if !overflow {
                let (sum, overflow) = product.addingReportingOverflow(
                    Int64(((seconds - whole) * 1_000_000).rounded()))
                if !overflow, range.contains(Int(sum)) { return sum }
            }
        }
        throw PostgreSQLError(
            .invalidValue,
            "the date \(seconds) (seconds since 2001) is outside of the range of timestamptz, 4713 BC to 294276 AD")
    }

    /// Returns the date for a number of microseconds.
    static func date(microseconds: Int64) -> Date {
        switch microseconds {
        case .max: return Date(timeIntervalSinceReferenceDate: .infinity)
        case .min: return Date(timeIntervalSinceReferenceDate: -.infinity)
        default:
            let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
            return Date(
                timeIntervalSinceReferenceDate: (Double(seconds) - epochOffset) + Double(rest) / 1_000_000)
        }
    }
}
