/// A lexer for Swift source code. It never fails: invalid source yields tokens that no caller expects.
package struct SwiftLexer {
    private let bytes: [UInt8]
    private var index = 0
    private var isFirstOnLine = true
    private var tokens: [SwiftToken] = []
    /// The byte ranges of interpolations in literals, without nested ones.
    private var interpolations: [Range<Int>] = []
    /// The opening of a comment or text that the end of the file cuts off.
    private var unclosed: Range<Int>?

    /// Returns the tokens of a file.
    package static func tokens(in bytes: [UInt8]) -> [SwiftToken] { read(bytes).tokens }

    /// Returns the tokens of a file, and the opening of a comment or text that lasts until its end without being
    /// closed, so that declarations may be missing.
    package static func read(_ bytes: [UInt8]) -> (tokens: [SwiftToken], unclosed: Range<Int>?) {
        var lexer = SwiftLexer(bytes: bytes)
        lexer.run()
        return (lexer.tokens, lexer.unclosed)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func byte(_ offset: Int = 0) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }

    /// Returns the byte ranges of the interpolations in a literal, without the parentheses.
    static func interpolations(in literal: Range<Int>, of bytes: [UInt8]) -> [Range<Int>] {
        var lexer = SwiftLexer(bytes: Array(bytes[literal]))
        var pounds = 0
        while lexer.byte(pounds) == pound { pounds += 1 }
        guard lexer.byte(pounds) == quote else { return [] }
        _ = lexer.endOfText(at: 0, pounds: pounds, depth: 0)
        return lexer.interpolations.map { $0.lowerBound + literal.lowerBound..<$0.upperBound + literal.lowerBound }
    }

    private mutating func run() {
        // The byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        // The line that names an interpreter.
        if byte() == Self.pound, byte(1) == UInt8(ascii: "!") { skipLine() }
        while index < bytes.count { next() }
    }

    private mutating func next() {
        let first = byte()
        switch first {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            isFirstOnLine = true
            index += 1
        case 0...0x20: index += 1
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"): skipLine()
        case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"): skipComment()
        case UInt8(ascii: "/") where beginsExpression:
            if let end = endOfRegularExpression() { append(.literal, to: end) } else { append(.sign, to: index + 1) }
        case Self.quote: literal(pounds: 0)
        case Self.pound: pound()
        case UInt8(ascii: "`"): quotedName()
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            append(.number, to: end { Self.isNameByte($0) })
        case _ where Self.isNameByte(first):
            append(.word, to: end { Self.isNameByte($0) })
        default: append(.sign, to: index + 1)
        }
    }

    private mutating func append(_ kind: SwiftToken.Kind, to end: Int, text: Range<Int>? = nil) {
        let range = index..<min(end, bytes.count)
        let text = kind == .literal ? "" : String(decoding: bytes[text ?? range], as: UTF8.self)
        tokens.append(
            SwiftToken(
                kind: kind, range: range, text: text, isFirstOnLine: isFirstOnLine,
                isAdjacent: tokens.last?.range.upperBound == range.lowerBound))
        isFirstOnLine = false
        index = range.upperBound
    }

    private func end(of isPart: (UInt8) -> Bool) -> Int {
        var end = index
        while end < bytes.count, isPart(bytes[end]) { end += 1 }
        return max(end, index + 1)
    }

    // MARK: Comments

    private mutating func skipLine() {
        while index < bytes.count, byte() != UInt8(ascii: "\n"), byte() != UInt8(ascii: "\r") { index += 1 }
    }

    private mutating func skipComment() {
        var depth = 0
        let start = index
        while index < bytes.count {
            switch (byte(), byte(1)) {
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                depth += 1
                index += 2
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                depth -= 1
                index += 2
                if depth == 0 { return }
            default:
                if byte() == UInt8(ascii: "\n") { isFirstOnLine = true }
                index += 1
            }
        }
        unclosed = start..<min(start + 2, bytes.count)
    }

    // MARK: Names

    private mutating func quotedName() {
        var end = index + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "`"), bytes[end] != UInt8(ascii: "\n") { end += 1 }
        append(.quotedName, to: end + 1, text: index + 1..<min(end, bytes.count))
    }

    private mutating func pound() {
        var pounds = 0
        while byte(pounds) == Self.pound { pounds += 1 }
        switch byte(pounds) {
        case Self.quote: literal(pounds: pounds)
        case UInt8(ascii: "/"): extendedRegularExpression(pounds: pounds)
        case let next where pounds == 1 && Self.isNameByte(next):
            let start = index + 1
            var end = start
            while end < bytes.count, Self.isNameByte(bytes[end]) { end += 1 }
            append(.pound, to: end, text: start..<end)
        default: append(.sign, to: index + 1)
        }
    }

    // MARK: Literals

    private mutating func literal(pounds: Int) {
        append(.literal, to: endOfText(at: index, pounds: pounds, depth: 0))
    }

    /// Returns the end of the string literal that begins, including its `#` signs, at `start`. Interpolations may
    /// contain string literals.
    private mutating func endOfText(at start: Int, pounds: Int, depth: Int) -> Int {
        let open = start + pounds
        let isMultiline = has(Self.quote, count: 3, at: open) && !isSingleLine(at: open, pounds: pounds)
        let quotes = isMultiline ? 3 : 1
        var position = open + quotes
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\\") where has(Self.pound, count: pounds, at: position + 1):
                position += 1 + pounds
                if position < bytes.count, bytes[position] == UInt8(ascii: "("), depth < Self.depthLimit {
                    let start = position
                    position = endOfInterpolation(at: position, depth: depth)
                    if depth == 0 { interpolations.append(min(start + 1, position)..<max(start + 1, position - 1)) }
                } else {
                    position += 1
                }
            case Self.quote
            where has(Self.quote, count: quotes, at: position) && has(Self.pound, count: pounds, at: position + quotes):
                return position + quotes + pounds
            // An unterminated single-line literal is not valid Swift.
            case UInt8(ascii: "\n") where !isMultiline: return position
            default: position += 1
            }
        }
        if depth == 0 { unclosed = start..<min(open + quotes, bytes.count) }
        return bytes.count
    }

    /// Whether a text like `#"""#` that begins with three quotes ends in its line, so that it has one quote around it.
    private func isSingleLine(at open: Int, pounds: Int) -> Bool {
        guard pounds > 0 else { return false }
        var position = open + 2
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n"), bytes[position] != UInt8(ascii: "\r") {
            if bytes[position] == Self.quote, has(Self.pound, count: pounds, at: position + 1) { return true }
            position += 1
        }
        return false
    }

    private mutating func endOfInterpolation(at start: Int, depth: Int) -> Int {
        var position = start
        var parentheses = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "("): parentheses += 1
            case UInt8(ascii: ")"):
                parentheses -= 1
                if parentheses == 0 { return position + 1 }
            case Self.pound, Self.quote:
                var pounds = 0
                while position + pounds < bytes.count, bytes[position + pounds] == Self.pound { pounds += 1 }
                if position + pounds < bytes.count, bytes[position + pounds] == Self.quote {
                    position = endOfText(at: position, pounds: pounds, depth: depth + 1)
                    continue
                }
            default: break
            }
            position += 1
        }
        return bytes.count
    }

    private mutating func extendedRegularExpression(pounds: Int) {
        var position = index + pounds + 1
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "/"), has(Self.pound, count: pounds, at: position + 1) {
                return append(.literal, to: position + 1 + pounds)
            }
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        unclosed = index..<min(index + pounds + 1, bytes.count)
        append(.literal, to: bytes.count)
    }

    /// Whether a slash here would begin a regular expression and not divide.
    private var beginsExpression: Bool {
        guard byte(1) > 0x20, byte(1) != UInt8(ascii: ")") else { return false }
        guard let last = tokens.last else { return true }
        switch last.kind {
        case .sign: return "=([{,:;!&|?<>+-*".utf8.contains(bytes[last.range.lowerBound])
        case .word: return ["return", "in", "case", "where", "try", "await", "else"].contains(last.text)
        default: return false
        }
    }

    private func endOfRegularExpression() -> Int? {
        var position = index + 1
        var isInClass = false
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
            switch bytes[position] {
            case UInt8(ascii: "\\"): position += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass: return position + 1
            default: break
            }
            position += 1
        }
        return nil
    }

    private func has(_ requested: UInt8, count: Int, at position: Int) -> Bool {
        guard position + count <= bytes.count else { return false }
        return bytes[position..<position + count].allSatisfy { $0 == requested }
    }

    // MARK: Bytes

    /// The deepest supported nesting of string literals.
    private static let depthLimit = 64
    private static let quote = UInt8(ascii: "\"")
    private static let pound = UInt8(ascii: "#")

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
