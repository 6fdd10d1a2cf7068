/// Finds a tag with so many attributes that libxml2, which compares each with all others, would take minutes.
enum CrowdedTag {
    /// The most attributes that a tag may have; the elements of models have 30 at most.
    private static let attributeLimit = 1000

    /// Returns the offset of the first start tag with too many attributes, or `nil`.
    ///
    /// Counts the equal signs outside of quotes, which is never less than the number of attributes that libxml2 finds.
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

    /// Counts the attributes of the tag that `index` is in and moves behind it.
    private static func countAttributes(from index: inout Int, _ buffer: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        var quote: UInt8 = 0
        while index < buffer.count {
            let byte = buffer[index]
            // No value may contain “<”: a quote that is not closed ends here.
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

    /// The offset after a comment, a CDATA section or a processing instruction whose `<` stands before an offset, or `nil`
    /// for a tag.
    private static func endOfMarkup(at start: Int, _ buffer: UnsafeBufferPointer<UInt8>) -> Int? {
        guard start < buffer.count, buffer[start] == UInt8(ascii: "!") || buffer[start] == UInt8(ascii: "?"),
            let kind = markup.first(where: { buffer[start...].starts(with: $0.start) })
        else { return nil }
        var index = start + kind.start.count
        while index < buffer.count {
            if buffer[index] == kind.end[0], buffer[index...].starts(with: kind.end) { return index + kind.end.count }
            index += 1
        }
        // Without an end, libxml2 takes the rest of the file for it.
        return buffer.count
    }
}
