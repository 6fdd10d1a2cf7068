extension PredicatePrinter {
    func write(_ predicate: Predicate, to output: inout String) {
        switch predicate {
        case .value(let value):
            output += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison):
            write(comparison, to: &output)
        case .not(let operand):
            output += "NOT "
            writeSubpredicate(operand, to: &output)
        case .and(let operands):
            write(operands, joinedBy: " AND ", orElse: "TRUEPREDICATE", to: &output)
        case .or(let operands):
            write(operands, joinedBy: " OR ", orElse: "FALSEPREDICATE", to: &output)
        case .block(let value):
            output += "BLOCKPREDICATE(\(describeOpaqueValue(value)))"
        }
    }

    private func write(
        _ operands: [Predicate], joinedBy separator: String, orElse empty: String, to output: inout String
    ) {
        guard !operands.isEmpty else {
            output += empty
            return
        }
        if operands.count == 1 { return write(operands[0], to: &output) }
        for (index, operand) in operands.enumerated() {
            if index > 0 { output += separator }
            writeSubpredicate(operand, to: &output)
        }
    }

    /// Writes a part of a compound. Apple encloses every compound within a compound of several parts in parentheses,
    /// including `NOT`: `a == 1 AND (NOT b == 2)`.
    private func writeSubpredicate(_ predicate: Predicate, to output: inout String) {
        guard predicate.compoundType != nil else {
            write(predicate, to: &output)
            return
        }
        output += "("
        write(predicate, to: &output)
        output += ")"
    }

    private func write(_ comparison: Comparison, to output: inout String) {
        switch comparison.modifier {
        case .direct: break
        case .all: output += "ALL "
        case .any: output += "ANY "
        }
        write(comparison.left, above: .assignment, to: &output)
        output += " "
        output += comparison.comparisonOperator.symbol
        if !comparison.options.isEmpty {
            output += "["
            for (letter, option) in ComparisonOptions.letters where comparison.options.contains(option) {
                output.unicodeScalars.append(letter)
            }
            output += "]"
        }
        output += " "
        write(comparison.right, above: .assignment, to: &output)
    }
}
