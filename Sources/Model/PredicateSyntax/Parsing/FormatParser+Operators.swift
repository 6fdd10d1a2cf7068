extension FormatParser {
    /// Reads the operator after an operand, applies earlier ones that bind more tightly, and keeps it pending until its
    /// right side is read.
    mutating func readBinaryOperator() throws(PredicateSyntaxError) {
        let start = scanner.position
        let kind = try scanBinaryOperator()
        let next = PendingOperator(kind: kind, range: start..<scanner.position)
        while let previous = frame.operators.last, previous.isAppliedBefore(next) {
            try checkChain(previous, next)
            frame.operators.removeLast()
            try apply(previous)
        }
        try checkLeftSide(of: next)
        frame.operators.append(next)
    }

    private func checkChain(_ previous: PendingOperator, _ next: PendingOperator) throws(PredicateSyntaxError) {
        if case .comparison = previous.kind, case .comparison = next.kind {
            throw scanner.error(
                "comparisons cannot be chained", at: next.range, expected: ["AND", "OR"],
                hint: "write a < b AND b < c")
        }
    }

    /// Checks the kind of the left side, and reports an error at the operator, where the author must look.
    private func checkLeftSide(of next: PendingOperator) throws(PredicateSyntaxError) {
        guard let left = frame.operands.last else { return }
        switch next.kind {
        case .and, .or:
            _ = try predicate(left)
        case .assign:
            guard case .expression(.variable) = left.content else {
                throw scanner.error(
                    "only a variable can be assigned to", at: left.range, expected: ["a variable"],
                    hint: "use == to compare two values")
            }
        default:
            _ = try expression(left)
        }
    }

    /// Reads an operator between operands, including its options.
    private mutating func scanBinaryOperator() throws(PredicateSyntaxError) -> PendingOperator.Kind {
        let start = scanner.position
        if let kind = scanSign() {
            guard case .comparison(let comparison, _) = kind else { return kind }
            return .comparison(comparison, try scanOptions())
        }
        guard let word = scanner.identifier(), let keyword = Keyword(scanner.bytes[word]) else {
            throw missingOperatorError(at: start)
        }
        let comparison: ComparisonOperator
        switch keyword {
        case .and: return .and
        case .or: return .or
        case .union: return .union
        case .intersect: return .intersect
        case .minus: return .minus
        case .in: comparison = .in
        case .between: comparison = .between
        case .contains: comparison = .contains
        case .beginsWith: comparison = .beginsWith
        case .endsWith: comparison = .endsWith
        case .like: comparison = .like
        case .matches: comparison = .matches
        default: throw missingOperatorError(at: start)
        }
        return .comparison(comparison, try scanOptions())
    }

    /// Reads an operator that consists of signs. Does not move the position if there is none.
    private mutating func scanSign() -> PendingOperator.Kind? {
        guard let first = scanner.current else { return nil }
        let second = scanner.byte(at: scanner.position + 1)
        if let second, let kind = FormatParser.twoByteSign(first, second) {
            scanner.position += 2
            return kind
        }
        guard let kind = FormatParser.oneByteSign(first) else { return nil }
        scanner.position += 1
        return kind
    }

    private static func twoByteSign(_ first: UInt8, _ second: UInt8) -> PendingOperator.Kind? {
        switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
        case ("=", "="): .comparison(.equal, [])
        case ("!", "="), ("<", ">"): .comparison(.notEqual, [])
        case ("<", "="), ("=", "<"): .comparison(.lessThanOrEqual, [])
        case (">", "="), ("=", ">"): .comparison(.greaterThanOrEqual, [])
        case ("&", "&"): .and
        case ("|", "|"): .or
        case ("*", "*"): .arithmetic(.power)
        case (":", "="): .assign
        default: nil
        }
    }

    private static func oneByteSign(_ byte: UInt8) -> PendingOperator.Kind? {
        switch Unicode.Scalar(byte) {
        case "=": .comparison(.equal, [])
        case "<": .comparison(.lessThan, [])
        case ">": .comparison(.greaterThan, [])
        case "+": .arithmetic(.add)
        case "-": .arithmetic(.subtract)
        case "*": .arithmetic(.multiply)
        case "/": .arithmetic(.divide)
        default: nil
        }
    }

    /// Reads `[cd]` after a comparison operator.
    private mutating func scanOptions() throws(PredicateSyntaxError) -> ComparisonOptions {
        let operatorEnd = scanner.position
        scanner.skipWhitespace()
        guard scanner.consume("[") else {
            scanner.position = operatorEnd
            return []
        }
        var options: ComparisonOptions = []
        while let byte = scanner.current, byte != UInt8(ascii: "]") {
            let lower = Unicode.Scalar(byte).properties.lowercaseMapping
            guard let option = ComparisonOptions.letters.first(where: { String($0.letter) == lower }) else {
                throw scanner.error(
                    "unknown comparison option", at: scanner.tokenRange(at: scanner.position),
                    expected: ["c", "d", "n", "l"], hint: "combine options as in [cd]; write a list in braces")
            }
            options.insert(option.option)
            scanner.position += 1
        }
        guard scanner.consume("]") else { throw scanner.unexpected(at: scanner.position, expected: ["`]`"]) }
        return options
    }

    private func missingOperatorError(at offset: Int) -> PredicateSyntaxError {
        let token = scanner.tokenRange(at: offset)
        var hint: String?
        switch scanner.text(token).uppercased() {
        case "NOT": hint = "write NOT (x IN y)"
        case "IS": hint = "write x == nil or x != nil"
        case "UTI": hint = "UTI-CONFORMS-TO and UTI-EQUALS are not supported"
        case "%": hint = "use modulus:by:(a, b) for the remainder of a division"
        case "&", "|": hint = "a logical operator is doubled, && or ||"
        case ":": hint = "a value is assigned to a variable with :="
        default: break
        }
        return scanner.unexpected(at: offset, expected: ["an operator"], hint: hint)
    }
}
