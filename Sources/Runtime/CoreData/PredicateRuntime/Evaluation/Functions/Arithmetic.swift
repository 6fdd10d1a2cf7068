internal import Foundation
internal import RuntimeSupport

/// The arithmetic operators.
///
/// Two integers yield an integer, even when divided: `5 / 2` is 2, `5 / 2.0` is 2.5. A result that does not fit in 64
/// bits becomes a `Double`. A decimal yields a decimal, unless the other operand is a `Double`. `nil` yields `nil`, as
/// in a store, and so does the division of an integer by zero.
enum Arithmetic {
    enum Operation: Sendable {
        case add
        case subtract
        case multiply
        case divide
        case power
        case modulus
    }

    static func apply(_ operation: Operation, left: PredicateValue, right: PredicateValue) -> PredicateValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return whole(operation, left: left, right: right)
        case (.null, _), (_, .null): return .null
        case (.boolean(let flag), _): return apply(operation, left: .integer(flag ? 1 : 0), right: right)
        case (_, .boolean(let flag)): return apply(operation, left: left, right: .integer(flag ? 1 : 0))
        case (.date, _), (_, .date): return dates(operation, left: left, right: right)
        case (.decimal, .decimal), (.decimal, .integer), (.integer, .decimal):
            return decimals(operation, left: left.decimalNumber, right: right.decimalNumber)
        default: return .real(real(operation, left: left.doubleNumber, right: right.doubleNumber))
        }
    }

    private static func whole(_ operation: Operation, left: Int64, right: Int64) -> PredicateValue {
        let (result, overflow): (Int64, Bool)
        switch operation {
        case .add: (result, overflow) = left.addingReportingOverflow(right)
        case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
        case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
        case .divide:
            guard right != 0 else { return .null }
            (result, overflow) = left.dividedReportingOverflow(by: right)
        case .modulus:
            guard right != 0 else { return .null }
            (result, overflow) = (right == -1 ? 0 : left % right, false)
        case .power:
            let power = pow(Double(left), Double(right))
            guard right >= 0, power.magnitude < 0x1p53 else { return .real(power) }
            return .integer(Int64(power))
        }
        return overflow ? .real(real(operation, left: Double(left), right: Double(right))) : .integer(result)
    }

    private static func real(_ operation: Operation, left: Double, right: Double) -> Double {
        switch operation {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .modulus: fmod(left, right)
        case .power: pow(left, right)
        }
    }

    private static func decimals(
        _ operation: Operation, left: NSDecimalNumber, right: NSDecimalNumber
    ) -> PredicateValue {
        switch operation {
        case .add: return PredicateValue(left.decimalValue + right.decimalValue)
        case .subtract: return PredicateValue(left.decimalValue - right.decimalValue)
        case .multiply: return PredicateValue(left.decimalValue * right.decimalValue)
        case .divide: return right == .zero ? .null : PredicateValue(left.decimalValue / right.decimalValue)
        case .modulus, .power: return .real(real(operation, left: left.doubleValue, right: right.doubleValue))
        }
    }

    /// Returns the result for dates: a date for a date and a number of seconds, or the seconds between two dates.
    private static func dates(
        _ operation: Operation, left: PredicateValue, right: PredicateValue
    ) -> PredicateValue {
        switch (operation, left, right) {
        case (.add, .date(let seconds), _) where right.isNumber: return .date(seconds + right.doubleNumber)
        case (.add, _, .date(let seconds)) where left.isNumber: return .date(seconds + left.doubleNumber)
        case (.subtract, .date(let end), .date(let start)): return .real(end - start)
        case (.subtract, .date(let seconds), _) where right.isNumber: return .date(seconds - right.doubleNumber)
        default:
            misuse(
                "NSInvalidArgumentException",
                "Can't do arithmetic with \(left.textForMessage) and \(right.textForMessage)")
        }
    }
}

extension PredicateValue {
    /// Creates a decimal value, which is NaN if a result could not be represented.
    init(_ decimal: Decimal) {
        self = .decimal(NSDecimalNumber(decimal: decimal))
    }

    /// The number as a `Double`; `nil` is zero. Traps if the value is not a number.
    var doubleNumber: Double {
        switch self {
        case .null: return 0
        case .boolean(let flag): return flag ? 1 : 0
        case .integer(let number): return Double(number)
        case .real(let number): return number
        case .decimal(let number): return Double(number.stringValue) ?? number.doubleValue
        default: misuse("NSInvalidArgumentException", "\(textForMessage) is not a number")
        }
    }

    /// The number as an integer, truncated. Traps if the value is not a number.
    var wholeNumber: Int64 {
        switch self {
        case .integer(let number): return number
        default:
            let number = doubleNumber.rounded(.towardZero)
            if number.isNaN { return 0 }
            return number >= 0x1p63 ? .max : number < -0x1p63 ? .min : Int64(number)
        }
    }

    /// The number as a decimal. Traps if the value is not a number.
    var decimalNumber: NSDecimalNumber {
        switch self {
        case .decimal(let number): number
        case .integer(let number): NSDecimalNumber(value: number)
        default: NSDecimalNumber(shortest: doubleNumber) ?? .notANumber
        }
    }
}
