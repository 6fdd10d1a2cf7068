public import Foundation

/// A decimal number that can be stored in sets. The `hash` of Foundation's `NSDecimalNumber` on Linux never returns.
public final class HashableDecimal: NSDecimalNumber, @unchecked Sendable {
    /// Creates a number.
    public override init(decimal: Decimal) { super.init(decimal: decimal) }

    /// Unarchives a number.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Creates a number from the bytes of one.
    public required convenience init(bytes buffer: UnsafeRawPointer, objCType type: UnsafePointer<CChar>) {
        self.init(decimal: NSDecimalNumber(bytes: buffer, objCType: type).decimalValue)
    }

    /// Creates a number from a literal.
    public required convenience init(floatLiteral value: Double) { self.init(decimal: Decimal(value)) }

    /// Creates a number from a literal.
    public required convenience init(integerLiteral value: Int) { self.init(decimal: Decimal(value)) }

    /// Creates a number from a literal.
    public required convenience init(booleanLiteral value: Bool) { self.init(decimal: value ? 1 : 0) }

    /// The hash of the number as a `Double`.
    public override var hash: Int { doubleValue.hashValue }

    /// Returns a value, converted to an instance of this class if it is a decimal number.
    public static func replacing(_ value: Any) -> Any {
        guard let number = value as? NSDecimalNumber, !(number is HashableDecimal) else { return value }
        return HashableDecimal(decimal: number.decimalValue)
    }
}
