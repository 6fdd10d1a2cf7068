internal import Diagnostics

/// A word or sign of the schema language.
struct SchemaToken: Equatable {
    enum Kind {
        /// A keyword or a name without quotes.
        case word
        /// A name in quotes.
        case quoted
        /// A single character.
        case symbol
        /// The end of the text.
        case end
    }

    var kind: Kind
    /// The word, the name without quotes, or the character.
    var text: String
    /// The byte offsets, with quotes.
    var offsets: Range<Int>

    /// Returns whether it is a keyword, case-insensitively.
    func isKeyword(_ keyword: String) -> Bool { kind == .word && text.uppercased() == keyword }

    /// Returns whether it is a sign.
    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

    var source: String { kind == .quoted ? "\"\(text)\"" : text }
}

/// Splits a schema into tokens. Comments and whitespace are dropped, as the server does.
struct SchemaLexer {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var tokens: [SchemaToken] = []
    private(set) var findings: [CloudKitSchemaFinding] = []

    /// Splits UTF-8 text.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        while let byte = skipSpace() { tokens.append(next(byte)) }
        tokens.append(SchemaToken(kind: .end, text: "", offsets: bytes.count..<bytes.count))
    }

    /// Skips whitespace and comments, and returns the byte after them.
    private mutating func skipSpace() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) {
                position += 1
            } else if isAt("//") || isAt("--") {
                while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
            } else if isAt("/*") {
                skipBlockComment()
            } else {
                return byte
            }
        }
        return nil
    }

    private mutating func skipBlockComment() {
        let start = position
        position += 2
        while position < bytes.count, !isAt("*/") { position += 1 }
        if position < bytes.count {
            position += 2
        } else {
            findings.append(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax, message: "the comment is not closed",
                    offsets: start..<start + 2,
                    help: "Close it with “*/”; the file may be truncated."))
        }
    }

    private func isAt(_ sign: StaticString) -> Bool {
        position + 1 < bytes.count && bytes[position] == sign.utf8Start[0] && bytes[position + 1] == sign.utf8Start[1]
    }

    private mutating func next(_ byte: UInt8) -> SchemaToken {
        let start = position
        if byte == UInt8(ascii: "\"") { return quotedName() }
        guard Self.isWordByte(byte) else {
            position += 1
            return SchemaToken(kind: .symbol, text: text(start..<position), offsets: start..<position)
        }
        while position < bytes.count, Self.isWordByte(bytes[position]) { position += 1 }
        let word = text(start..<position)
        if word.hasPrefix("_") {
            findings.append(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax, message: "“\(word)” needs quotes",
                    offsets: start..<position,
                    why: "Names without quotes begin with a letter.", help: "Write \"\(word)\"."))
        } else if !word.utf8.allSatisfy({ $0 < 0x80 }) {
            findings.append(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax, message: "“\(word)” is not a CloudKit name",
                    offsets: start..<position,
                    why: "CloudKit names consist of ASCII letters, digits and underscores.", help: "Use another name."))
        }
        return SchemaToken(kind: .word, text: word, offsets: start..<position)
    }

    private mutating func quotedName() -> SchemaToken {
        let start = position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] >= 0x20 { position += 1 }
        let isClosed = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
        let name = text(start + 1..<position)
        if isClosed {
            position += 1
        } else {
            findings.append(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax, message: "the quoted name is not closed",
                    offsets: start..<position,
                    help: "Close it with a quotation mark in the same line."))
        }
        if isClosed, name.isEmpty {
            findings.append(
                CloudKitSchemaFinding(
                    severity: .error, rule: .cloudkitSyntax, message: "the name is empty", offsets: start..<position,
                    help: "Write the name."))
        }
        return SchemaToken(kind: .quoted, text: name, offsets: start..<position)
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        SchemaName.isLetter(byte) || SchemaName.isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
