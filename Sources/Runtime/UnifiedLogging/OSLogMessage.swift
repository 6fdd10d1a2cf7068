internal import Foundation

/// Whether a value in a log message is shown.
public struct OSLogPrivacy: Sendable {
    /// A form in which a hidden value can be recognized.
    public struct Mask: Sendable {
        /// No form.
        public static let none = Mask()
        /// A hash of the value; here it is hidden.
        public static let hash = Mask()
    }

    enum Visibility { case automatic, shown, hidden }

    let visibility: Visibility

    /// Numbers and types are shown, strings and objects are hidden.
    public static let auto = OSLogPrivacy(visibility: .automatic)
    /// The value is shown.
    public static let `public` = OSLogPrivacy(visibility: .shown)
    /// The value is hidden, unless `OS_ACTIVITY_DT_MODE` is set.
    public static let `private` = OSLogPrivacy(visibility: .hidden)
    /// The value is hidden, unless `OS_ACTIVITY_DT_MODE` is set.
    public static let sensitive = OSLogPrivacy(visibility: .hidden)

    /// Numbers and types are shown, strings and objects are hidden.
    public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
    /// The value is hidden, unless `OS_ACTIVITY_DT_MODE` is set.
    public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
    /// The value is hidden, unless `OS_ACTIVITY_DT_MODE` is set.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }
}

/// The width of a value in a log message.
public struct OSLogStringAlignment: Sendable {
    let columns: Int
    let isLeft: Bool

    /// No padding.
    public static let none = OSLogStringAlignment(columns: 0, isLeft: false)

    /// Spaces before the value.
    public static func right(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isLeft: false)
    }

    /// Spaces after the value.
    public static func left(columns: Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isLeft: true)
    }

    func text(_ text: String) -> String {
        let padding = String(repeating: " ", count: max(0, columns - text.count))
        return isLeft ? text + padding : padding + text
    }
}

/// The form of an integer in a log message.
public struct OSLogIntegerFormatting: Sendable {
    let radix: Int
    let minDigits: Int

    /// Decimal digits.
    public static let decimal = OSLogIntegerFormatting(radix: 10, minDigits: 1)
    /// Hexadecimal digits.
    public static let hex = OSLogIntegerFormatting(radix: 16, minDigits: 1)
    /// Octal digits.
    public static let octal = OSLogIntegerFormatting(radix: 8, minDigits: 1)

    /// Decimal digits, with zeros before the number.
    public static func decimal(minDigits: Int) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(radix: 10, minDigits: minDigits)
    }

    func text<Number: BinaryInteger>(_ number: Number) -> String {
        let digits = String(number.magnitude, radix: radix)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, minDigits - digits.count)) + digits
    }
}

/// The form of a floating-point number in a log message.
public struct OSLogFloatFormatting: Sendable {
    let format: String

    /// Six digits after the point.
    public static let fixed = OSLogFloatFormatting(format: "%f")
    /// An exponent.
    public static let exponential = OSLogFloatFormatting(format: "%e")
    /// The shorter form.
    public static let hybrid = OSLogFloatFormatting(format: "%g")

    /// Digits after the point.
    public static func fixed(precision: Int) -> OSLogFloatFormatting { OSLogFloatFormatting(format: "%.\(precision)f") }
}

/// A log message with values in it.
///
/// ```swift
/// logger.error("cannot read \(url.path, privacy: .public): \(error.localizedDescription)")
/// ```
public struct OSLogMessage: ExpressibleByStringInterpolation {
    let text: String

    /// Creates a message without values.
    public init(stringLiteral value: String) {
        text = value
    }

    /// Creates a message with values.
    public init(stringInterpolation: OSLogInterpolation) {
        text = stringInterpolation.text
    }
}

/// Collects the parts of a log message.
public struct OSLogInterpolation: StringInterpolationProtocol {
    private(set) var text = ""

    /// Creates an empty message.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Appends text.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    private mutating func append(
        _ value: String, _ align: OSLogStringAlignment, _ privacy: OSLogPrivacy, isHidden: Bool
    ) {
        let hides: Bool
        switch privacy.visibility {
        case .automatic: hides = isHidden
        case .shown: hides = false
        case .hidden: hides = true
        }
        text += align.text(hides && !LogSink.isVerbose ? "<private>" : value)
    }

    /// Appends an integer.
    public mutating func appendInterpolation<Number: BinaryInteger>(
        _ number: @autoclosure () -> Number, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(format.text(number()), align, privacy, isHidden: false)
    }

    /// Appends a floating-point number.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Double, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(String(format: format.format, number()), align, privacy, isHidden: false)
    }

    /// Appends a floating-point number.
    public mutating func appendInterpolation(
        _ number: @autoclosure () -> Float, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(String(format: format.format, Double(number())), align, privacy, isHidden: false)
    }

    /// Appends a truth value.
    public mutating func appendInterpolation(_ value: @autoclosure () -> Bool, privacy: OSLogPrivacy = .auto) {
        append("\(value())", .none, privacy, isHidden: false)
    }

    /// Appends a text.
    public mutating func appendInterpolation(
        _ value: @autoclosure () -> String, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(value(), align, privacy, isHidden: true)
    }

    /// Appends a type.
    public mutating func appendInterpolation(
        _ value: @autoclosure () -> any Any.Type, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append("\(value())", align, privacy, isHidden: false)
    }

    /// Appends the description of a value.
    @_disfavoredOverload
    public mutating func appendInterpolation<Value>(
        _ value: @autoclosure () -> Value, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append("\(value())", align, privacy, isHidden: true)
    }
}
