internal import Foundation

/// A decimal number that can be stored in sets. The `hash` of Foundation's `NSDecimalNumber` on Linux never returns.
final class HashableDecimal: NSDecimalNumber, @unchecked Sendable {
    override init(decimal: Decimal) { super.init(decimal: decimal) }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    required convenience init(bytes buffer: UnsafeRawPointer, objCType type: UnsafePointer<CChar>) {
        self.init(decimal: NSDecimalNumber(bytes: buffer, objCType: type).decimalValue)
    }

    required convenience init(floatLiteral value: Double) { self.init(decimal: Decimal(value)) }

    required convenience init(integerLiteral value: Int) { self.init(decimal: Decimal(value)) }

    required convenience init(booleanLiteral value: Bool) { self.init(decimal: value ? 1 : 0) }

    override var hash: Int { doubleValue.hashValue }

    /// Returns a value, converted to an instance of this class if it is a decimal number.
    static func replacing(_ value: Any) -> Any {
        guard let number = value as? NSDecimalNumber, !(number is HashableDecimal) else { return value }
        return HashableDecimal(decimal: number.decimalValue)
    }
}
