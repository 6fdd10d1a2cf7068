/// Dates as exported: ISO 8601 in UTC, in the proleptic Gregorian calendar that the standard prescribes.
enum ISODate {
    /// 2001-01-01 in days since 1970-01-01.
    private static let referenceDay = 11_323
    /// The first and the last second of the years 1 to 9999, since 2001-01-01.
    private static let range = -63_113_904_000.0..<252_423_993_600.0

    /// Appends a date in quotes, with 3 to 15 digits of its fraction until it reads back as the same number.
    ///
    /// - Returns: `false`, and appends nothing, if no text reads back as the same number, or if the date is outside of
    ///   the years 1 to 9999.
    static func append(_ seconds: Double, quote: UInt8? = 0x22, to bytes: inout [UInt8]) -> Bool {
        guard range.contains(seconds) else { return false }
        let whole = seconds.rounded(.down)
        let fraction = seconds - whole
        if fraction == 0 {
            append(Int(whole), fraction: 0, width: 3, quote: quote, to: &bytes)
            return true
        }
        var scale = 1000.0
        for width in stride(from: 3, through: 15, by: 3) {
            let digits = (fraction * scale).rounded()
            if digits < scale, whole + digits / scale == seconds {
                append(Int(whole), fraction: Int(digits), width: width, quote: quote, to: &bytes)
                return true
            }
            scale *= 1000
        }
        return false
    }

    private static func append(
        _ seconds: Int, fraction: Int, width: Int, quote: UInt8?, to bytes: inout [UInt8]
    ) {
        var day = seconds / 86_400
        var rest = seconds % 86_400
        if rest < 0 {
            rest += 86_400
            day -= 1
        }
        let (year, month, date) = civil(day + referenceDay)
        if let quote { bytes.append(quote) }
        bytes.append(year, width: 4)
        bytes.append(0x2D)
        bytes.append(month, width: 2)
        bytes.append(0x2D)
        bytes.append(date, width: 2)
        bytes.append(0x54)
        bytes.append(rest / 3600, width: 2)
        bytes.append(0x3A)
        bytes.append(rest / 60 % 60, width: 2)
        bytes.append(0x3A)
        bytes.append(rest % 60, width: 2)
        bytes.append(0x2E)
        bytes.append(fraction, width: width)
        bytes.append(0x5A)
        if let quote { bytes.append(quote) }
    }

    /// Returns the seconds since 2001-01-01 of a date with an optional time, fraction and zone; `nil` if it is invalid.
    static func seconds(_ text: String) -> Double? {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.number(4), reader.take(0x2D), let month = reader.number(2), reader.take(0x2D),
            let date = reader.number(2), 1...12 ~= month, 1...31 ~= date, year >= 1
        else { return nil }
        let day = Self.day(year, month, date)
        guard civil(day) == (year, month, date) else { return nil }
        var seconds = (day - referenceDay) * 86_400
        var fraction = 0.0
        if reader.take(0x54) || reader.take(0x20) {
            guard let hour = reader.number(2), reader.take(0x3A), let minute = reader.number(2), hour < 24, minute < 60
            else { return nil }
            seconds += hour * 3600 + minute * 60
            if reader.take(0x3A) {
                guard let second = reader.number(2), second < 61 else { return nil }
                seconds += second
                if reader.take(0x2E) {
                    guard let found = reader.fraction() else { return nil }
                    fraction = found
                }
            }
            if !reader.take(0x5A), !reader.isAtEnd {
                let isWest = reader.take(0x2D)
                guard isWest || reader.take(0x2B), let hours = reader.number(2), hours < 24 else { return nil }
                _ = reader.take(0x3A)
                let minutes = reader.isAtEnd ? 0 : reader.number(2) ?? 60
                guard minutes < 60 else { return nil }
                seconds -= (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
            }
        }
        return reader.isAtEnd ? Double(seconds) + fraction : nil
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position += 1
            return true
        }

        mutating func number(_ width: Int) -> Int? {
            guard position + width <= bytes.count else { return nil }
            var result = 0
            for byte in bytes[position..<(position + width)] {
                guard (0x30...0x39).contains(byte) else { return nil }
                result = result * 10 + Int(byte - 0x30)
            }
            position += width
            return result
        }

        /// Returns the fraction after the point, exactly as it was computed when it was written.
        mutating func fraction() -> Double? {
            let digits = bytes[position...].prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            position += digits.count
            var number = 0.0
            var scale = 1.0
            for byte in digits.prefix(15) {
                number = number * 10 + Double(byte - 0x30)
                scale *= 10
            }
            return number / scale
        }
    }

    // MARK: Days

    /// Returns the days since 1970-01-01 of a date. Years begin in March, so that the leap day is the last.
    private static func day(_ year: Int, _ month: Int, _ date: Int) -> Int {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * month + 2) / 5 + date - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ day: Int) -> (year: Int, month: Int, date: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (
            yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}
