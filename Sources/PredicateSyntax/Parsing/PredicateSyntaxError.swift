/// Why a text is not a predicate or expression, and where.
package struct PredicateSyntaxError: Error, Hashable, Sendable {
    /// What is wrong, in a sentence without a full stop.
    package let message: String
    /// The bytes that are wrong, as UTF-8 offsets into the text. Empty at the place where something is missing.
    package let range: Range<Int>
    /// The line of the start of ``range``, from 1.
    package let line: Int
    /// The column of the start of ``range``, from 1, counted in Unicode scalars.
    package let column: Int
    /// What could have stood there, where that helps: `)`, `a comparison operator`.
    package let expected: [String]
    /// What the author probably wanted, or nil.
    package let hint: String?

    /// The UTF-8 offset of the first byte that is wrong.
    package var offset: Int { range.lowerBound }

    /// Creates an error; line and column are counted in the text's UTF-8 bytes.
    init(message: String, bytes: [UInt8], range: Range<Int>, expected: [String], hint: String?) {
        self.message = message
        self.range = range
        self.expected = expected
        self.hint = hint
        var line = 1
        var column = 1
        for byte in bytes.prefix(range.lowerBound) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {  // continuation bytes belong to the scalar before
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}

extension PredicateSyntaxError: CustomStringConvertible {
    /// `line:column: message (hint)`.
    package var description: String {
        let suffix = hint.map { " (\($0))" } ?? ""
        return "\(line):\(column): \(message)\(suffix)"
    }
}
