// The parts that may directly follow an operand: `.key`, `.@count`, `.%K` and `[index]`.
extension FormatParser {
    /// Reads all keys and closed indexes after the last operand. Returns true if an index has been opened, so that an
    /// operand is expected.
    mutating func readPostfix() throws(PredicateSyntaxError) -> Bool {
        while true {
            scanner.skipWhitespace()
            switch scanner.current {
            case UInt8(ascii: "."):
                try readKeys()
            case UInt8(ascii: "["):
                if try !readSymbolicIndex() {
                    let base = try popOperand()
                    try open(.index(of: base), start: base.range.lowerBound)
                    return true
                }
            default:
                return false
            }
        }
    }

    /// Reads one key without its dot: a name, `#name` or `@name`.
    mutating func readKey() throws(PredicateSyntaxError) -> String {
        let start = scanner.position
        let isEscaped = scanner.consume("#")
        let isOperator = !isEscaped && scanner.consume("@")
        guard let name = scanner.identifier() else {
            throw scanner.unexpected(
                at: scanner.position, expected: [isOperator ? "the name of a collection operator" : "a key"],
                hint: scanner.current == UInt8(ascii: "%") ? "the argument for a key is %K" : nil)
        }
        let next = scanner.current
        if next == UInt8(ascii: "(")
            || (next == UInt8(ascii: ":") && scanner.byte(at: scanner.position + 1) != UInt8(ascii: "="))
        {
            throw scanner.unexpected(
                at: scanner.position, expected: ["an operator"],
                hint: "a method is called as FUNCTION(object, \"name:\", argument)")
        }
        return scanner.text(isOperator ? start..<name.upperBound : name)
    }

    /// Reads a sequence of keys, each after a dot, and appends them to the last operand at once, so that a long key
    /// path takes linear time.
    private mutating func readKeys() throws(PredicateSyntaxError) {
        var keys: [String] = []
        while scanner.consume(".") {
            scanner.skipWhitespace()
            if scanner.current == UInt8(ascii: "%"), scanner.byte(at: scanner.position + 1) == UInt8(ascii: "K") {
                try append(keys)
                keys = []
                try appendKeyPathPlaceholder()
            } else {
                keys.append(try readKey())
            }
            scanner.skipWhitespace()
        }
        try append(keys)
    }

    private mutating func append(_ keys: [String]) throws(PredicateSyntaxError) {
        guard !keys.isEmpty else { return }
        var term = try popOperand()
        let base = try expression(term)
        term.height = base.height
        if case .keyPath = base.expression {
            // A longer key path is not deeper.
        } else {
            term.height = try checked(base.height + 1, term.range)
        }
        term.content = .expression(base.expression.appending(DottedKeyPath(keys: keys)))
        term.range = term.range.lowerBound..<scanner.position
        frame.operands.append(term)
    }

    private mutating func appendKeyPathPlaceholder() throws(PredicateSyntaxError) {
        var term = try popOperand()
        let base = try expression(term)
        let placeholder = try scanner.placeholder(index: placeholderCount)
        placeholderCount += 1
        term.content = .expression(.placeholder(placeholder, of: base.expression))
        term.height = try checked(base.height + 1, term.range)
        term.range = term.range.lowerBound..<scanner.position
        frame.operands.append(term)
    }

    /// Reads `[FIRST]`, `[LAST]` or `[SIZE]`. Does not move the position if something else is in the brackets.
    private mutating func readSymbolicIndex() throws(PredicateSyntaxError) -> Bool {
        let start = scanner.position
        scanner.position += 1
        scanner.skipWhitespace()
        guard let word = scanner.identifier(), let keyword = Keyword(scanner.bytes[word]),
            let index = ElementIndex(keyword)
        else {
            scanner.position = start
            return false
        }
        scanner.skipWhitespace()
        guard scanner.consume("]") else {
            scanner.position = start
            return false
        }
        var term = try popOperand()
        let base = try expression(term)
        term.content = .expression(.element(of: base.expression, at: index))
        term.height = try checked(base.height + 1, term.range)
        term.range = term.range.lowerBound..<scanner.position
        frame.operands.append(term)
        return true
    }
}

extension ElementIndex {
    /// Creates the index that a keyword in brackets stands for; `nil` for other keywords.
    init?(_ keyword: Keyword) {
        switch keyword {
        case .first: self = .first
        case .last: self = .last
        case .size: self = .size
        default: return nil
        }
    }
}
