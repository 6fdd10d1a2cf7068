extension ByteScanner {
    /// Reads the string literal at the position, which is at a single or double quote.
    ///
    /// `\n \t \r \f \b \a \v \uXXXX \UXXXXXXXX` are escapes. A backslash before any other character stands for that
    /// character, so that backslashes in a regular expression must be doubled (known from use with `MATCHES`; the exact
    /// list of letters is a guess).
    mutating func string() throws(PredicateSyntaxError) -> String {
        let start = position
        guard let quote = current else { throw unexpected(at: position, expected: ["a string"]) }
        position += 1
        var value = ""
        var runStart = position
        while let byte = current {
            if byte == quote {
                value += text(runStart..<position)
                position += 1
                return value
            }
            position += 1
            if byte == UInt8(ascii: "\\") {
                value += text(runStart..<position - 1)
                try appendEscape(to: &value)
                runStart = position
            }
        }
        throw error(
            "the string is not closed", at: start..<bytes.count, expected: [quote == UInt8(ascii: "'") ? "'" : "\""])
    }

    /// Reads an escape sequence after its backslash.
    private mutating func appendEscape(to value: inout String) throws(PredicateSyntaxError) {
        guard let letter = current else { return }  // the caller reports the missing quote
        switch letter {
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            value.unicodeScalars.append(try unicodeEscape())
            return
        case UInt8(ascii: "n"): value += "\n"
        case UInt8(ascii: "t"): value += "\t"
        case UInt8(ascii: "r"): value += "\r"
        case UInt8(ascii: "f"): value += "\u{0C}"
        case UInt8(ascii: "b"): value += "\u{08}"
        case UInt8(ascii: "a"): value += "\u{07}"
        case UInt8(ascii: "v"): value += "\u{0B}"
        default:
            let scalar = scalar(at: position)
            value.unicodeScalars.append(scalar)
            position += UTF8.width(scalar)
            return
        }
        position += 1
    }

    /// Reads `uXXXX`, a pair of them for a character beyond 16 bits, or `UXXXXXXXX`.
    private mutating func unicodeEscape() throws(PredicateSyntaxError) -> Unicode.Scalar {
        let start = position - 1
        let isLong = current == UInt8(ascii: "U")
        position += 1
        var code = try hexDigits(isLong ? 8 : 4, escapeStart: start)
        let isHighSurrogate = (0xD800...0xDBFF).contains(code)
        if isHighSurrogate, current == UInt8(ascii: "\\"), byte(at: position + 1) == UInt8(ascii: "u") {
            position += 2
            let low = try hexDigits(4, escapeStart: position - 2)
            if (0xDC00...0xDFFF).contains(low) {
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw error(
                "`\(text(start..<position))` is not a Unicode character", at: start..<position,
                hint: "a character beyond 16 bits needs two escapes, a high and a low surrogate")
        }
        return scalar
    }

    private mutating func hexDigits(_ count: Int, escapeStart: Int) throws(PredicateSyntaxError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<count {
            guard let byte = current, digitValue(byte) < 16 else {
                throw error(
                    "a Unicode escape needs \(count) hexadecimal digits", at: escapeStart..<position,
                    expected: ["a hexadecimal digit"])
            }
            code = code << 4 | UInt32(digitValue(byte))
            position += 1
        }
        return code
    }
}
