/// Finds a tag with so many attributes that libxml2, which compares each with all others, would take minutes.
enum CrowdedTag {
    /// The maximum number of attributes in a tag; elements of models have at most 30.
    private static let attributeLimit = 1000

    /// Returns the offset of the first start tag with too many attributes, or `nil`.
    ///
    /// Counts the equals signs outside quotes, which are never fewer than the attributes that libxml2 finds.
    static func find(in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            var index = 0
            while index < buffer.count {
                let start = index
                index += 1
                guard buffer[start] == UInt8(ascii: "<") else { continue }
                if let end = endOfMarkup(at: index, buffer) {
                    index = end
                } else if countAttributes(from: &index, buffer) > attributeLimit {
                    return start
                }
            }
            return nil
        }
    }

    /// Returns the number of attributes of the tag at `index`, and advances `index` past the tag.
    private static func countAttributes(from index: inout Int, _ buffer: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        var quote: UInt8 = 0
        while index < buffer.count {
            let byte = buffer[index]
            // No value may contain “<”, so an unclosed quote ends here.
            if byte == UInt8(ascii: "<") { return count }
            index += 1
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "=") {
                count += 1
            } else if byte == UInt8(ascii: ">") {
                return count
            }
        }
        return count
    }

    private static let markup = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")]
        .map { (start: Array($0.0.utf8), end: Array($0.1.utf8)) }

    /// Returns the offset after a comment, a CDATA section or a processing instruction whose `<` precedes an offset, or
    /// `nil` for a tag.
    private static func endOfMarkup(at start: Int, _ buffer: UnsafeBufferPointer<UInt8>) -> Int? {
        guard start < buffer.count, buffer[start] == UInt8(ascii: "!") || buffer[start] == UInt8(ascii: "?"),
            let kind = markup.first(where: { buffer[start...].starts(with: $0.start) })
        else { return nil }
        var index = start + kind.start.count
        while index < buffer.count {
            if buffer[index] == kind.end[0], buffer[index...].starts(with: kind.end) { return index + kind.end.count }
            index += 1
        }
        // Unterminated markup extends to the end of the file, as in libxml2.
        return buffer.count
    }
}
