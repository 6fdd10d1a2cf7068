/// A function with its arguments, Apple's `NSFunctionExpression`: a predefined function (`count:(x)`, `a + b`) or a
/// method of an object (`FUNCTION(x, "lowercaseString")`).
package struct FunctionCall: Hashable, Sendable {
    /// The object whose method is called. `nil` for predefined functions, which an archive writes as the class
    /// `_NSPredicateUtilities` (Documentation/Formats/CompiledModel.md, 2.8).
    package var operand: Expression?
    /// The selector with its colons: `count:`, `add:to:`, `now`.
    package var selector: String
    /// The arguments in order. A selector with one colon may have several: `sum:(1, 2, 3)`.
    package var arguments: [Expression]

    /// Creates a call of a predefined function, or of a method if an operand is given.
    package init(operand: Expression? = nil, selector: String, arguments: [Expression]) {
        self.operand = operand
        self.selector = selector
        self.arguments = arguments
    }

    /// `CAST(x, "NSDate")`.
    package static let castSelector = "castObject:toType:"
    /// `a[0]`, which the parser converts to ``Expression/element(of:at:)``.
    package static let elementSelector = "objectFrom:withIndex:"
}

/// The arithmetic operators. Apple represents them as calls of predefined functions.
package enum ArithmeticOperator: String, Hashable, Sendable, CaseIterable {
    /// `a + b`
    case add = "add:to:"
    /// `a - b`
    case subtract = "from:subtract:"
    /// `a * b`
    case multiply = "multiply:by:"
    /// `a / b`
    case divide = "divide:by:"
    /// `a ** b`
    case power = "raise:toPower:"

    /// The selector of the predefined function.
    package var selector: String { rawValue }

    /// The sign between the operands.
    package var symbol: String {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        case .power: "**"
        }
    }
}

extension FunctionCall {
    /// The operator and its operands if the call is written as a binary operator; otherwise `nil`.
    package var arithmetic: (operator: ArithmeticOperator, left: Expression, right: Expression)? {
        guard operand == nil, arguments.count == 2, let sign = ArithmeticOperator(rawValue: selector) else {
            return nil
        }
        return (sign, arguments[0], arguments[1])
    }

    /// Creates the call for a binary operator.
    package init(left: Expression, arithmeticOperator: ArithmeticOperator, right: Expression) {
        self.init(selector: arithmeticOperator.selector, arguments: [left, right])
    }
}
