/// A syntax error in a predicate or expression, with its location.
package struct PredicateSyntaxError: Error, Hashable, Sendable {
    /// The problem, in one sentence without a period.
    package let message: String
    /// The invalid bytes, as UTF-8 offsets into the text. Empty where something is missing.
    package let range: Range<Int>
    /// The line of the start of ``range``, from 1.
    package let line: Int
    /// The column of the start of ``range``, from 1, counted in Unicode scalars.
    package let column: Int
    /// The valid alternatives, if that helps: `)`, `a comparison operator`.
    package let expected: [String]
    /// A hint about the probable intention, or `nil`.
    package let hint: String?

    /// The UTF-8 offset of the first invalid byte.
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
            } else if byte & 0xC0 != 0x80 {  // continuation bytes belong to the previous scalar
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
