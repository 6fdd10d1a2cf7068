internal import CoreData
internal import Foundation

/// Parses values as users type them.
enum ValueParser {
    /// Parses a date: ISO 8601 with or without time, fraction and zone (UTC if there is none), or seconds since
    /// 2001-01-01 00:00 UTC.
    static func date(_ text: String) -> Date? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let seconds = Double(text), seconds.isFinite { return Date(timeIntervalSinceReferenceDate: seconds) }
        let pattern = #/(\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?\s*(Z|[+-]\d\d:?\d\d)?/#
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        let (year, month, day) = (Int(match.1), Int(match.2), Int(match.3))
        let (hour, minute) = (match.4.flatMap { Int($0) } ?? 0, match.5.flatMap { Int($0) } ?? 0)
        let seconds = match.6.flatMap { Double($0) } ?? 0
        guard let year, let month, let day, hour < 24, minute < 60, seconds < 61 else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute)
        guard let date = calendar.date(from: components),
            calendar.dateComponents([.month, .day], from: date) == DateComponents(month: month, day: day)
        else { return nil }
        return date.addingTimeInterval(seconds - offset(match.7))
    }

    private static func offset(_ zone: Substring?) -> Double {
        guard let zone, zone != "Z" else { return 0 }
        let digits = zone.dropFirst().filter { $0 != ":" }
        let (hours, minutes) = (Double(digits.prefix(2)) ?? 0, Double(digits.suffix(2)) ?? 0)
        return (hours * 3600 + minutes * 60) * (zone.hasPrefix("-") ? -1 : 1)
    }

    /// Parses the value of an attribute.
    ///
    /// - Throws: `StoreProblem` if the text is not a valid value of the attribute's type.
    static func value(_ text: String, _ attribute: NSAttributeDescription) throws(StoreProblem) -> Any {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        let value: Any? =
            switch attribute.attributeType {
            case .integer16AttributeType: Int16(trimmed).map { NSNumber(value: $0) }
            case .integer32AttributeType: Int32(trimmed).map { NSNumber(value: $0) }
            case .integer64AttributeType: Int64(trimmed).map { NSNumber(value: $0) }
            case .decimalAttributeType: decimal(trimmed)
            case .doubleAttributeType: Double(trimmed).map { NSNumber(value: $0) }
            case .floatAttributeType: Float(trimmed).map { NSNumber(value: $0) }
            case .stringAttributeType: text
            case .booleanAttributeType: boolean(trimmed).map { NSNumber(value: $0) }
            case .dateAttributeType: date(trimmed)
            case .UUIDAttributeType: UUID(uuidString: trimmed)
            case .URIAttributeType: trimmed.isEmpty ? nil : URL(string: trimmed)
            case .binaryDataAttributeType: Data(base64Encoded: trimmed)
            default: nil
            }
        guard let value else {
            throw StoreProblem("“\(text.prefix(80))” is not a value of type \(CellReader.typeName(attribute))")
        }
        return value
    }

    /// Parses a decimal number. Returns `nil` if it has more digits than fit, which are 38.
    private static func decimal(_ text: String) -> NSDecimalNumber? {
        guard text.wholeMatch(of: #/[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?/#) != nil,
            text.filter(\.isNumber).count <= 41, let value = Decimal(string: text), !value.isNaN
        else { return nil }
        return NSDecimalNumber(decimal: value)
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }
}
