extension FormatParser {
    /// Replaces an operator's operands, which are complete, with the result.
    mutating func apply(_ operation: PendingOperator) throws(PredicateSyntaxError) {
        switch operation.kind {
        case .and: try applyLogical(operation) { .and($0) }
        case .or: try applyLogical(operation) { .or($0) }
        case .not:
            let operand = try popOperand()
            let predicate = try predicate(operand)
            try pushResult(
                .predicate(.not(predicate)), partHeight: operand.height, first: operation.range, last: operand.range)
        case .negate:
            // Apple's predefined functions have no negation, so it is a subtraction (a guess).
            let operand = try popOperand()
            let value = try expression(operand)
            try pushResult(
                .expression(
                    .function(FunctionCall(left: .integer(0), arithmeticOperator: .subtract, right: value.expression))),
                partHeight: value.height,
                first: operation.range, last: operand.range)
        case .modifier:
            throw scanner.unexpected(
                at: scanner.position, expected: ["a comparison operator"],
                hint: "ANY, ALL, SOME and NONE stand before a comparison that is not in parentheses")
        case .comparison(let comparison, let options): try applyComparison(comparison, options)
        case .assign: try applyAssignment()
        case .union: try applyBinary { .union($0, $1) }
        case .intersect: try applyBinary { .intersect($0, $1) }
        case .minus: try applyBinary { .minus($0, $1) }
        case .arithmetic(let sign):
            try applyBinary { .function(FunctionCall(left: $0, arithmeticOperator: sign, right: $1)) }
        }
    }

    private mutating func pushResult(
        _ content: Term.Content, partHeight: Int, first: Range<Int>, last: Range<Int>
    ) throws(PredicateSyntaxError) {
        let range = first.lowerBound..<max(first.upperBound, last.upperBound)
        frame.operands.append(Term(content, height: try checked(partHeight + 1, range), range: range))
    }

    /// Collects the chain of a logical operator, whose last occurrence was removed from the stack: `a AND b AND c` is
    /// one compound. A chain in parentheses is a separate operand, and stays a separate compound.
    private mutating func applyLogical(
        _ last: PendingOperator, _ make: ([Predicate]) -> Predicate
    ) throws(PredicateSyntaxError) {
        var count = 2
        while let previous = frame.operators.last, previous.precedence == last.precedence {
            frame.operators.removeLast()
            count += 1
        }
        // Removed from the end and reversed: a slice would copy the operands for every chain of `a AND b OR c AND d …`.
        var predicates: [Predicate] = []
        predicates.reserveCapacity(count)
        var height = 0
        var range = last.range
        for _ in 0..<count {
            let term = try popOperand()
            predicates.append(try predicate(term))
            height = max(height, term.height)
            range = min(range.lowerBound, term.range.lowerBound)..<max(range.upperBound, term.range.upperBound)
        }
        predicates.reverse()
        try pushResult(.predicate(make(predicates)), partHeight: height, first: range, last: range)
    }

    private mutating func applyBinary(
        _ make: (Expression, Expression) -> Expression
    ) throws(PredicateSyntaxError) {
        let rightTerm = try popOperand()
        let leftTerm = try popOperand()
        let left = try expression(leftTerm)
        let right = try expression(rightTerm)
        try pushResult(
            .expression(make(left.expression, right.expression)), partHeight: max(left.height, right.height),
            first: leftTerm.range,
            last: rightTerm.range)
    }

    private mutating func applyAssignment() throws(PredicateSyntaxError) {
        let valueTerm = try popOperand()
        let target = try popOperand()
        let value = try expression(valueTerm)
        guard case .expression(.variable(let name)) = target.content else { throw missingOperand() }
        try pushResult(
            .expression(.assignment(variable: name, value: value.expression)), partHeight: value.height,
            first: target.range,
            last: valueTerm.range)
    }

    /// Combines two expressions into a comparison, with the modifier before them if there is one.
    private mutating func applyComparison(
        _ comparisonOperator: ComparisonOperator, _ options: ComparisonOptions
    ) throws(PredicateSyntaxError) {
        let rightTerm = try popOperand()
        let leftTerm = try popOperand()
        let left = try expression(leftTerm)
        let right = try expression(rightTerm)
        var comparison = Comparison(
            left: left.expression, comparisonOperator: comparisonOperator, right: right.expression, options: options)
        var height = max(left.height, right.height)
        var start = leftTerm.range
        var isNegated = false
        if let previous = frame.operators.last, case .modifier(let modifier, let negated) = previous.kind {
            frame.operators.removeLast()
            comparison.modifier = modifier
            isNegated = negated
            start = previous.range
        }
        var predicate = Predicate.comparison(comparison)
        if isNegated {
            // Apple's documentation: NONE "is logically equivalent to NOT (ANY ...)".
            predicate = .not(predicate)
            height += 1
        }
        try pushResult(.predicate(predicate), partHeight: height, first: start, last: rightTerm.range)
    }

    private func missingOperand() -> PredicateSyntaxError {
        scanner.unexpected(at: scanner.position, expected: ["an expression"])
    }
}
