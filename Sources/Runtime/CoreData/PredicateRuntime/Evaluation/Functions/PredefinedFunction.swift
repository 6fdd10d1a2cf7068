internal import Foundation
internal import RuntimeSupport

/// A predefined function, as listed in the documentation of `NSExpression.init(forFunction:arguments:)`.
struct PredefinedFunction: Sendable {
    /// The number of arguments it takes.
    let arity: ClosedRange<Int>
    let body: @Sendable ([PredicateValue]) -> PredicateValue

    /// The functions by selector, except for arithmetic; see `Arithmetic`.
    static let all: [String: PredefinedFunction] = statistics.merging(numbers) { first, _ in first }
        .merging(bits) { first, _ in first }
        .merging(others) { first, _ in first }

    /// The selectors of functions of many values.
    static let aggregates: Set<String> = [
        "count:", "sum:", "min:", "max:", "average:", "median:", "mode:", "stddev:",
    ]

    /// Returns a function of one value that returns `nil` for `nil`.
    private static func one(_ body: @escaping @Sendable (PredicateValue) -> PredicateValue) -> PredefinedFunction {
        PredefinedFunction(arity: 1...1) { $0[0].isNull ? .null : body($0[0]) }
    }

    /// Returns a function of the elements of a collection, or of any number of values.
    private static func many(_ body: @escaping @Sendable ([PredicateValue]) -> PredicateValue) -> PredefinedFunction {
        PredefinedFunction(arity: 0...Int.max) { arguments in
            if arguments.count == 1 {
                if case .null = arguments[0] { return body([]) }
                if let elements = arguments[0].elements { return body(elements) }
            }
            return body(arguments)
        }
    }

    private static let statistics: [String: PredefinedFunction] = [
        "sum:": many { Statistics.sum($0) },
        "count:": PredefinedFunction(arity: 0...Int.max) { arguments in
            guard arguments.count == 1 else { return .integer(Int64(arguments.count)) }
            return switch arguments[0] {
            case .null: .integer(0)
            case .collection(let collection): .integer(Int64(collection.count))
            case .dictionary(let dictionary): .integer(Int64(dictionary.count))
            default: .integer(1)
            }
        },
        "min:": many { Statistics.extreme($0, .orderedAscending) },
        "max:": many { Statistics.extreme($0, .orderedDescending) },
        "average:": many { Statistics.average($0) ?? .null },
        "median:": many { Statistics.median($0) },
        "mode:": many { .collection(PredicateCollection(Statistics.mode($0), kind: .array)) },
        "stddev:": many { Statistics.standardDeviation($0) },
        "distinct:": many { .collection(PredicateCollection(distinct: $0, kind: .array)) },
    ]

    private static let numbers: [String: PredefinedFunction] = [
        "sqrt:": one { .real($0.doubleNumber.squareRoot()) },
        "log:": one { .real(log10($0.doubleNumber)) },
        "ln:": one { .real(log($0.doubleNumber)) },
        "exp:": one { .real(exp($0.doubleNumber)) },
        "floor:": rounding(.down),
        "ceiling:": rounding(.up),
        "trunc:": rounding(.towardZero),
        "abs:": one { number in
            if case .integer(let whole) = number, whole != .min { return .integer(abs(whole)) }
            if case .decimal(let decimal) = number {
                return .decimal(NSDecimalNumber(decimal: abs(decimal.decimalValue)))
            }
            return .real(abs(number.doubleNumber))
        },
        "random": PredefinedFunction(arity: 0...0) { _ in .real(.random(in: 0..<1)) },
        "random:": randomBelow,
        "randomn:": randomBelow,
    ]

    private static func rounding(_ rule: FloatingPointRoundingRule) -> PredefinedFunction {
        one { number in
            switch number {
            case .integer: number
            default: .real(number.doubleNumber.rounded(rule))
            }
        }
    }

    private static let randomBelow = one { .integer(.random(in: 0..<max(1, $0.wholeNumber))) }

    /// Returns a function of two integers that returns `nil` if either is `nil`.
    private static func bits(_ body: @escaping @Sendable (Int64, Int64) -> Int64) -> PredefinedFunction {
        PredefinedFunction(arity: 2...2) { arguments in
            if arguments.contains(where: \.isNull) { return .null }
            return .integer(body(arguments[0].wholeNumber, arguments[1].wholeNumber))
        }
    }

    private static let bits: [String: PredefinedFunction] = [
        "bitwiseAnd:with:": bits { $0 & $1 },
        "bitwiseOr:with:": bits { $0 | $1 },
        "bitwiseXor:with:": bits { $0 ^ $1 },
        "leftshift:by:": bits { $0 << $1 },
        "rightshift:by:": bits { $0 >> $1 },
        "onesComplement:": one { .integer(~$0.wholeNumber) },
    ]

    private static let others: [String: PredefinedFunction] = [
        "now": PredefinedFunction(arity: 0...0) { _ in .date(CurrentDate.now) },
        "uppercase:": one { .string($0.textArgument("uppercase:").uppercased()) },
        "lowercase:": one { .string($0.textArgument("lowercase:").lowercased()) },
        "canonical:": one {
            .string(
                $0.textArgument("canonical:").folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
        },
        "length:": one { .integer(Int64($0.textArgument("length:").utf16.count)) },
        "noindex:": one { $0 },
        "castObject:toType:": PredefinedFunction(arity: 2...2) { Casting.cast($0[0], to: $0[1]) },
    ]
}

extension PredicateValue {
    /// The elements of a collection or the values of a dictionary; otherwise `nil`.
    var elements: [PredicateValue]? {
        switch self {
        case .collection(let collection): collection.elements
        case .dictionary(let dictionary): dictionary.values
        default: nil
        }
    }

    fileprivate func textArgument(_ function: String) -> String {
        guard case .string(let text) = self else {
            misuse("NSInvalidArgumentException", "\(function) takes a string, not \(textForMessage)")
        }
        return text
    }
}
