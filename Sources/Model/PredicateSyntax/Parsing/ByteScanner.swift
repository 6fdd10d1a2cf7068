/// The bytes of a text and a position in them. Reading past the end returns `nil` and never traps.
struct ByteScanner: Sendable {
    let bytes: [UInt8]
    var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The byte at the position, or `nil` at the end.
    var current: UInt8? { byte(at: position) }

    /// Returns the byte at an offset, which must not be negative, or `nil` beyond the end.
    func byte(at offset: Int) -> UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Moves past whitespace.
    mutating func skipWhitespace() {
        while let byte = current, byte == 0x20 || (0x09...0x0D).contains(byte) {
            position += 1
        }
    }

    /// Moves past a byte if it is next.
    mutating func consume(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Returns the offset after the identifier that starts at an offset, or the offset itself if there is none.
    func identifierEnd(from start: Int) -> Int {
        var end = start
        while let byte = byte(at: end) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                end += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9") where end > start:
                end += 1
            case 0x80...:
                let scalar = scalar(at: end)
                let isPart = end == start ? scalar.properties.isXIDStart : scalar.properties.isXIDContinue
                guard isPart else { return end }
                end += UTF8.width(scalar)
            default:
                return end
            }
        }
        return end
    }

    /// Moves past an identifier and returns its range, or `nil` if there is no identifier at the position.
    mutating func identifier() -> Range<Int>? {
        let start = position
        let end = identifierEnd(from: start)
        guard end > start else { return nil }
        position = end
        return start..<end
    }

    /// Returns the scalar whose first byte is at an offset; the replacement character at the end.
    func scalar(at offset: Int) -> Unicode.Scalar {
        var decoder = UTF8()
        var rest = bytes[min(offset, bytes.count)...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return "\u{FFFD}" }
        return scalar
    }

    /// Returns the range of the word or sign at an offset, for an error message.
    func tokenRange(at offset: Int) -> Range<Int> {
        guard offset < bytes.count else { return bytes.count..<bytes.count }
        let wordEnd = identifierEnd(from: offset)
        if wordEnd > offset { return offset..<wordEnd }
        if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) {
            return offset..<max(offset + 1, identifierEnd(from: offset + 1))
        }
        return offset..<min(bytes.count, offset + UTF8.width(scalar(at: offset)))
    }

    /// Returns an error for a byte range.
    func error(
        _ message: String, at range: Range<Int>, expected: [String] = [], hint: String? = nil
    ) -> PredicateSyntaxError {
        PredicateSyntaxError(message: message, bytes: bytes, range: range, expected: expected, hint: hint)
    }

    /// Returns an error that says what was expected at an offset, and what was found there after any whitespace.
    func unexpected(at offset: Int, expected: [String], hint: String? = nil) -> PredicateSyntaxError {
        var found = self
        found.position = offset
        found.skipWhitespace()
        let range = tokenRange(at: found.position)
        let requested = expected.joined(separator: " or ")
        let token = range.isEmpty ? "the end of the text" : "`\(text(range))`"
        return error("expected \(requested), found \(token)", at: range, expected: expected, hint: hint)
    }
}
