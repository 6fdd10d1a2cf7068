extension FormatParser {
    /// Reads one item where an operand is expected. Returns true for an operand, and false for a prefix operator or an
    /// opening sign, after which an operand is still expected.
    mutating func readOperand() throws(PredicateSyntaxError) -> Bool {
        scanner.skipWhitespace()
        let start = scanner.position
        guard let byte = scanner.current else { throw missingOperandError() }
        switch byte {
        case UInt8(ascii: "("):
            try open(.group, start: start)
            return false
        case UInt8(ascii: "{"):
            try open(.aggregate, start: start)
            return false
        case UInt8(ascii: ")"), UInt8(ascii: "}"):
            // Only `now()` and `{}` have no operand.
            guard frame.isList, frame.isEmpty else { throw missingOperandError() }
            try close()
        case UInt8(ascii: "-"):
            return try readSign()
        case UInt8(ascii: "!"):
            scanner.position += 1
            try pushPrefix(.not, range: start..<scanner.position)
            return false
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let value = try scanner.string()
            push(.constant(.string(value)), from: start)
        case UInt8(ascii: "$"):
            scanner.position += 1
            guard let name = scanner.identifier() else {
                throw scanner.unexpected(at: scanner.position, expected: ["the name of a variable"])
            }
            push(.variable(scanner.text(name)), from: start)
        case UInt8(ascii: "%"):
            let placeholder = try scanner.placeholder(index: placeholderCount)
            placeholderCount += 1
            push(.placeholder(placeholder, of: nil), from: start)
        case UInt8(ascii: "@"), UInt8(ascii: "#"):
            push(.key(DottedKeyPath(keys: [try readKey()])), from: start)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
            guard scanner.isNumber(at: start) else { throw missingOperandError() }
            push(.constant(try scanner.number(negative: false)), from: start)
        default:
            return try readWord()
        }
        return true
    }

    /// Pushes an expression without parts onto the operands.
    mutating func push(_ expression: Expression, from start: Int) {
        frame.operands.append(Term(.expression(expression), range: start..<scanner.position))
    }

    /// Reads a minus sign. Before a literal number it belongs to the number.
    private mutating func readSign() throws(PredicateSyntaxError) -> Bool {
        let start = scanner.position
        scanner.position += 1
        scanner.skipWhitespace()
        guard scanner.isNumber(at: scanner.position) else {
            try pushPrefix(.negate, range: start..<start + 1)
            return false
        }
        push(.constant(try scanner.number(negative: true)), from: start)
        return true
    }

    private mutating func pushPrefix(_ kind: PendingOperator.Kind, range: Range<Int>) throws(PredicateSyntaxError) {
        if let previous = frame.operators.last {
            switch kind {
            case .not, .modifier:
                // `a == NOT b` and `ANY NOT a` are invalid.
                guard previous.isLogical else {
                    throw scanner.unexpected(
                        at: range.lowerBound, expected: ["an expression"],
                        hint: "NOT and ANY stand before a whole comparison")
                }
            default: break
            }
        }
        frame.operators.append(PendingOperator(kind: kind, range: range))
    }

    private mutating func readWord() throws(PredicateSyntaxError) -> Bool {
        guard let word = scanner.identifier() else { throw missingOperandError() }
        guard let keyword = Keyword(scanner.bytes[word]) else { return try readName(word) }
        switch keyword {
        case .not: try pushPrefix(.not, range: word)
        case .any, .some: try pushPrefix(.modifier(.any, isNegated: false), range: word)
        case .all: try pushPrefix(.modifier(.all, isNegated: false), range: word)
        case .none: try pushPrefix(.modifier(.any, isNegated: true), range: word)
        case .truePredicate: return pushPredicate(.value(true), word)
        case .falsePredicate: return pushPredicate(.value(false), word)
        case .true, .yes: return pushLeaf(.constant(.boolean(true)), word)
        case .false, .no: return pushLeaf(.constant(.boolean(false)), word)
        case .null, .nil: return pushLeaf(.constant(.null), word)
        case .evaluatedObject: return pushLeaf(.evaluatedObject, word)
        case .anyKey: return pushLeaf(.anyKey, word)
        case .subquery, .function, .cast, .ternary, .fetch:
            scanner.skipWhitespace()
            guard scanner.current == UInt8(ascii: "(") else { return pushKey(word) }
            try open(.special(keyword), start: word.lowerBound)
        default:
            guard keyword.isKeyInOperandPosition else {
                scanner.position = word.lowerBound
                throw missingOperandError()
            }
            return try readName(word)
        }
        return false
    }

    private mutating func pushPredicate(_ predicate: Predicate, _ word: Range<Int>) -> Bool {
        frame.operands.append(Term(.predicate(predicate), range: word, isUnit: true))
        return true
    }

    private mutating func pushLeaf(_ expression: Expression, _ word: Range<Int>) -> Bool {
        frame.operands.append(Term(.expression(expression), range: word))
        return true
    }

    private mutating func pushKey(_ word: Range<Int>) -> Bool {
        pushLeaf(.key(DottedKeyPath(keys: [scanner.text(word)])), word)
    }

    /// Reads a key or the name of a function. A name with colons, or before a parenthesis, is that of a function.
    private mutating func readName(_ word: Range<Int>) throws(PredicateSyntaxError) -> Bool {
        var end = word.upperBound
        while scanner.byte(at: end) == UInt8(ascii: ":"), scanner.byte(at: end + 1) != UInt8(ascii: "=") {
            end = scanner.identifierEnd(from: end + 1)
        }
        scanner.position = end
        scanner.skipWhitespace()
        guard scanner.current == UInt8(ascii: "(") else {
            guard end == word.upperBound else {
                throw scanner.unexpected(
                    at: scanner.position, expected: ["`(`"], hint: "a name with a colon is a function's")
            }
            scanner.position = end
            return pushKey(word)
        }
        let selector = scanner.text(word.lowerBound..<end)
        if end > word.upperBound, scanner.bytes[end - 1] != UInt8(ascii: ":") {
            throw scanner.error(
                "the function name `\(selector)` lacks its last colon", at: word.lowerBound..<end, expected: ["`:`"])
        }
        try open(.call(selector: selector), start: word.lowerBound)
        return false
    }

    private func missingOperandError() -> PredicateSyntaxError {
        let offset = scanner.position
        var hint: String?
        if let byte = scanner.current {
            let word = scanner.bytes[offset..<scanner.identifierEnd(from: offset)]
            switch scanner.scalar(at: offset) {
            case "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}":
                hint = "strings take straight quotes, \" or '"
            case _ where Keyword(word) != nil:
                hint = "a key of this name is written #\(String(decoding: word, as: UTF8.self))"
            case "[":
                hint = "a list is written in braces, as in {1, 2}"
            default:
                hint = byte == UInt8(ascii: "+") ? "a number takes no plus sign" : nil
            }
        }
        return scanner.unexpected(at: offset, expected: ["an expression"], hint: hint)
    }
}
