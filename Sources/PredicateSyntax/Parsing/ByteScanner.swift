/// The bytes of a text and a position among them. Reading past the end gives nil, never a trap.
struct ByteScanner: Sendable {
    let bytes: [UInt8]
    var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The byte at the position, or nil at the end.
    var current: UInt8? { byte(at: position) }

    /// The byte at an offset (never negative), or nil beyond the end.
    func byte(at offset: Int) -> UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    /// The text of a range of bytes.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Moves past spaces and line ends.
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

    /// The offset after the identifier that starts at an offset; the offset itself if none does.
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

    /// Moves past an identifier and returns its range, or nil if there is no identifier at the position.
    mutating func identifier() -> Range<Int>? {
        let start = position
        let end = identifierEnd(from: start)
        guard end > start else { return nil }
        position = end
        return start..<end
    }

    /// The scalar whose first byte is at an offset; the replacement character at the end.
    func scalar(at offset: Int) -> Unicode.Scalar {
        var decoder = UTF8()
        var rest = bytes[min(offset, bytes.count)...].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return "\u{FFFD}" }
        return scalar
    }

    /// The range of the word or sign at an offset, for an error message.
    func tokenRange(at offset: Int) -> Range<Int> {
        guard offset < bytes.count else { return bytes.count..<bytes.count }
        let wordEnd = identifierEnd(from: offset)
        if wordEnd > offset { return offset..<wordEnd }
        if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) {
            return offset..<max(offset + 1, identifierEnd(from: offset + 1))
        }
        return offset..<min(bytes.count, offset + UTF8.width(scalar(at: offset)))
    }

    /// An error for a range of bytes.
    func error(
        _ message: String, at range: Range<Int>, expected: [String] = [], hint: String? = nil
    ) -> PredicateSyntaxError {
        PredicateSyntaxError(message: message, bytes: bytes, range: range, expected: expected, hint: hint)
    }

    /// An error that says what was expected at an offset and what is there, behind spaces if need be.
    func unexpected(at offset: Int, expected: [String], hint: String? = nil) -> PredicateSyntaxError {
        var found = self
        found.position = offset
        found.skipWhitespace()
        let range = tokenRange(at: found.position)
        let wanted = expected.joined(separator: " or ")
        let token = range.isEmpty ? "the end of the text" : "`\(text(range))`"
        return error("expected \(wanted), found \(token)", at: range, expected: expected, hint: hint)
    }
}
