/// An operator-precedence parser with its own stack. It does not recurse, so no input can overflow the call stack.
///
/// It alternates between two states: an operand is expected (``readOperand()``), and an operand has been read
/// (``readAfterOperand()``). Operators are pending in the innermost frame until one that binds less tightly, a comma, a
/// closing sign or the end applies them.
struct FormatParser {
    var scanner: ByteScanner
    /// The innermost frame, and those around it.
    var frame = Frame(.root, start: 0)
    var enclosing: [Frame] = []
    var placeholderCount = 0

    init(_ text: String) {
        scanner = ByteScanner(text)
    }

    /// Reads the whole text.
    mutating func parse() throws(PredicateSyntaxError) -> Term {
        while true {
            while try !readOperand() {}
            if let result = try readAfterOperand() { return result }
        }
    }

    /// Reads the text after an operand, up to where an operand is expected again (returns `nil`) or to the end (returns
    /// the result).
    private mutating func readAfterOperand() throws(PredicateSyntaxError) -> Term? {
        while true {
            if try readPostfix() { return nil }
            scanner.skipWhitespace()
            switch scanner.current {
            case nil:
                guard case .root = frame.kind else { throw unclosedError() }
                return try applyAllOperators()
            case UInt8(ascii: ","):
                try endArgument()
                return nil
            case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"):
                try close()
            default:
                try readBinaryOperator()
                return nil
            }
        }
    }

    /// Begins a frame. Moves the position past the opening sign, which has `signLength` bytes.
    mutating func open(_ kind: Frame.Kind, start: Int, signLength: Int = 1) throws(PredicateSyntaxError) {
        guard enclosing.count < PredicateParser.maximumDepth else {
            throw depthError(scanner.position..<scanner.position + signLength)
        }
        scanner.position += signLength
        enclosing.append(frame)
        frame = Frame(kind, start: start)
    }

    /// Ends an argument of a list at a comma.
    private mutating func endArgument() throws(PredicateSyntaxError) {
        let comma = scanner.position
        guard frame.isList else {
            throw scanner.unexpected(
                at: comma, expected: [frame.closingSign.map { "`\($0)`" } ?? "an operator"],
                hint: "a list is written in braces, as in x IN {1, 2}")
        }
        frame.arguments.append(try applyAllOperators())
        scanner.position += 1
    }

    /// Ends the innermost frame at its closing sign. The frame's meaning becomes an operand of the enclosing frame.
    mutating func close() throws(PredicateSyntaxError) {
        guard let sign = frame.closingSign, scanner.current == UInt8(ascii: sign) else {
            throw scanner.unexpected(
                at: scanner.position, expected: [frame.closingSign.map { "`\($0)`" } ?? "an operator"])
        }
        // An empty list has no argument to end.
        if !frame.isEmpty {
            frame.arguments.append(try applyAllOperators())
        }
        scanner.position += 1
        var finished = frame
        frame = enclosing.popLast() ?? Frame(.root, start: 0)
        let term = try meaning(of: &finished, end: scanner.position)
        frame.operands.append(term)
    }

    /// Applies all operators since the last comma, and removes the one remaining operand.
    private mutating func applyAllOperators() throws(PredicateSyntaxError) -> Term {
        while let operation = frame.operators.popLast() {
            try apply(operation)
        }
        return try popOperand()
    }

    /// Removes the last operand. The states ensure that there is one.
    mutating func popOperand() throws(PredicateSyntaxError) -> Term {
        guard let term = frame.operands.popLast() else {
            throw scanner.unexpected(at: scanner.position, expected: ["an expression"])
        }
        return term
    }
}

// Conversions of terms to the kind that is expected.
extension FormatParser {
    func predicate(_ term: Term) throws(PredicateSyntaxError) -> Predicate {
        switch term.content {
        case .predicate(let predicate): return predicate
        case .expression(let expression):
            throw scanner.unexpected(
                at: nextToken(after: term), expected: ["a comparison operator"],
                hint: hint(forMissingComparison: expression))
        }
    }

    /// Returns a term's expression and its height. A predicate is accepted as an expression if it is a unit, for
    /// example in parentheses.
    func expression(_ term: Term) throws(PredicateSyntaxError) -> (expression: Expression, height: Int) {
        switch term.content {
        case .expression(let expression): return (expression, term.height)
        case .predicate(let predicate):
            guard term.isUnit else {
                throw scanner.error(
                    "expected an expression, found a predicate", at: term.range, expected: ["an expression"],
                    hint: "comparisons cannot be chained; a predicate in parentheses is an expression")
            }
            return (.predicate(predicate), try checked(term.height + 1, term.range))
        }
    }

    /// Returns the height. Throws if it exceeds the limit.
    func checked(_ height: Int, _ range: Range<Int>) throws(PredicateSyntaxError) -> Int {
        guard height <= PredicateParser.maximumDepth else { throw depthError(range) }
        return height
    }

    private func depthError(_ range: Range<Int>) -> PredicateSyntaxError {
        scanner.error("the text nests deeper than \(PredicateParser.maximumDepth) levels", at: range)
    }

    private func unclosedError() -> PredicateSyntaxError {
        let sign = frame.closingSign.map { "`\($0)`" } ?? "the end of the text"
        return scanner.error(
            "expected \(sign), found the end of the text", at: scanner.position..<scanner.position, expected: [sign],
            hint: "it closes what begins at byte \(frame.start)")
    }

    private func nextToken(after term: Term) -> Int {
        var rest = scanner
        rest.position = term.range.upperBound
        rest.skipWhitespace()
        return rest.position
    }

    private func hint(forMissingComparison expression: Expression) -> String? {
        switch expression {
        case .keyPath(let path): "a Boolean is tested with \(path.keyPath) == YES"
        case .constant(.boolean(let value)): "a predicate that is always so is \(value ? "TRUE" : "FALSE")PREDICATE"
        case .placeholder(let placeholder, of: nil) where placeholder.kind == .object:
            "a predicate cannot be an argument; predicates are joined with NSCompoundPredicate"
        default: nil
        }
    }
}
