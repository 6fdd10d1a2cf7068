extension PredicatePrinter {
    func write(_ expression: Expression, to output: inout String) {
        switch expression {
        case .constant(let constant): write(constant, to: &output)
        case .evaluatedObject: output += "SELF"
        case .variable(let name): write(variable: name, to: &output)
        case .keyPath(let path): write(path, to: &output)
        case .function(let call): write(call, to: &output)
        case .union(let left, let right): writeInfix(left, sign: " UNION ", right: right, precedence: .set, to: &output)
        case .intersect(let left, let right):
            writeInfix(left, sign: " INTERSECT ", right: right, precedence: .set, to: &output)
        case .minus(let left, let right): writeInfix(left, sign: " MINUS ", right: right, precedence: .set, to: &output)
        case .subquery(let subquery): write(subquery, to: &output)
        case .aggregate(let elements):
            output += "{"
            write(elements, to: &output)
            output += "}"
        case .anyKey: output += "ANYKEY"
        case .block(let value, let arguments):
            output += "BLOCK(\(describeOpaqueValue(value))"
            writeFurther(arguments, to: &output)
            output += ")"
        case .conditional(let predicate, let first, let second):
            output += "TERNARY("
            write(predicate, to: &output)
            writeFurther([first, second], to: &output)
            output += ")"
        case .fetch(let fetch):
            output += "FETCH("
            write([fetch.request, fetch.context], to: &output)
            output += fetch.countOnly ? ", YES)" : ", NO)"
        case .element(let collection, let index): write(collection, index, to: &output)
        case .assignment(let variable, let value):
            write(variable: variable, to: &output)
            output += " := "
            // Assignments are right-associative, so one within another needs no parentheses.
            write(value, to: &output)
        case .predicate(let predicate):
            // Parentheses make a predicate an operand.
            output += "("
            write(predicate, to: &output)
            output += ")"
        case .placeholder(let placeholder, let operand):
            if let operand {
                write(operand, above: .sign, to: &output)
                output += "."
            }
            output += placeholder.spelling
        }
    }

    /// Writes an expression as an operand, in parentheses unless it binds more tightly than `limit`.
    func write(_ expression: Expression, above limit: PendingOperator.Precedence, to output: inout String) {
        guard let precedence = expression.precedence, precedence <= limit else {
            write(expression, to: &output)
            return
        }
        output += "("
        write(expression, to: &output)
        output += ")"
    }

    /// Writes a binary operator. It is left-associative, so only a right side with its own precedence needs
    /// parentheses; powers get them on both sides, since languages differ there.
    private func writeInfix(
        _ left: Expression, sign: String, right: Expression, precedence: PendingOperator.Precedence,
        to output: inout String
    ) {
        let leftLimit = PendingOperator.Precedence(rawValue: precedence.rawValue - 1) ?? precedence
        write(left, above: precedence == .power ? precedence : leftLimit, to: &output)
        output += sign
        write(right, above: precedence, to: &output)
    }

    private func write(_ elements: [Expression], to output: inout String) {
        for (index, element) in elements.enumerated() {
            if index > 0 { output += ", " }
            write(element, to: &output)
        }
    }

    private func writeFurther(_ elements: [Expression], to output: inout String) {
        for element in elements {
            output += ", "
            write(element, to: &output)
        }
    }

    private func write(variable name: String, to output: inout String) {
        output += "$"
        output += name
    }

    private func write(_ path: KeyPathExpression, to output: inout String) {
        if let operand = path.operand {
            write(operand, above: .sign, to: &output)
            output += "."
        }
        for (index, key) in path.keyPath.keys.enumerated() {
            if index > 0 { output += "." }
            output += Self.string(forKey: key)
        }
    }

    private func write(_ call: FunctionCall, to output: inout String) {
        if let (sign, left, right) = call.arithmetic {
            writeInfix(left, sign: " \(sign.symbol) ", right: right, precedence: sign.precedence, to: &output)
        } else if let operand = call.operand {
            output += "FUNCTION("
            write(operand, to: &output)
            output += ", "
            write(string: call.selector, to: &output)
            // The space before the comma is likely, but not proven: published logs of migrations show it, as in
            // `FUNCTION($manager, "destinationInstances…:sourceInstances:" , "AToA", $source.b)`.
            if !call.arguments.isEmpty { output += " " }
            writeFurther(call.arguments, to: &output)
            output += ")"
        } else if call.selector == FunctionCall.castSelector, call.arguments.count == 2 {
            output += "CAST("
            write(call.arguments, to: &output)
            output += ")"
        } else {
            output += call.selector
            output += "("
            write(call.arguments, to: &output)
            output += ")"
        }
    }

    private func write(_ subquery: Subquery, to output: inout String) {
        output += "SUBQUERY("
        write(subquery.collection, to: &output)
        output += ", "
        write(variable: subquery.variable, to: &output)
        output += ", "
        write(subquery.predicate, to: &output)
        output += ")"
    }

    private func write(_ collection: Expression, _ index: ElementIndex, to output: inout String) {
        write(collection, above: .sign, to: &output)
        output += "["
        switch index {
        case .expression(let expression): write(expression, to: &output)
        case .first: output += "FIRST"
        case .last: output += "LAST"
        case .size: output += "SIZE"
        }
        output += "]"
    }
}

extension Expression {
    /// The precedence of the expression's operator when it is printed; `nil` if it is printed without one.
    var precedence: PendingOperator.Precedence? {
        switch self {
        case .assignment: .assignment
        case .union, .intersect, .minus: .set
        case .function(let call): call.arithmetic?.operator.precedence
        default: nil
        }
    }
}
