/// Translates byte offsets of a UTF-8 text into lines and columns.
///
/// Made once for a file and asked only for the places that a diagnostic names, so that a clean file pays nothing.
public struct LineIndex: Sendable {
    private let bytes: [UInt8]
    private let lineStarts: [Int]

    /// Indexes the lines of a UTF-8 text. LF, CRLF and a lone CR end a line.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var starts = [0]
        bytes.withUnsafeBufferPointer { buffer in
            for index in buffer.indices where buffer[index] <= UInt8(ascii: "\r") {
                let isLast = index + 1 == buffer.count
                switch buffer[index] {
                case UInt8(ascii: "\n"): starts.append(index + 1)
                case UInt8(ascii: "\r") where isLast || buffer[index + 1] != UInt8(ascii: "\n"):
                    starts.append(index + 1)
                default: break
                }
            }
        }
        lineStarts = starts
    }

    /// The number of lines; an empty file has one.
    public var lineCount: Int { lineStarts.count }

    /// The line and column of a byte offset. An offset outside the text is moved to its nearest end.
    public func position(at offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let scalars = bytes[lineStarts[low]..<offset].count { $0 & 0xC0 != 0x80 }
        return SourcePosition(line: low + 1, column: scalars + 1)
    }

    /// The range that a range of byte offsets covers.
    public func range(of offsets: Range<Int>) -> SourceRange {
        SourceRange(start: position(at: offsets.lowerBound), end: position(at: offsets.upperBound))
    }

    /// The text of a line without its line end, or nil when the file has no such line.
    public func text(ofLine line: Int) -> String? {
        guard line >= 1, line <= lineStarts.count else { return nil }
        let start = lineStarts[line - 1]
        var end = line < lineStarts.count ? lineStarts[line] : bytes.count
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
