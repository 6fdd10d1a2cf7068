/// Converts byte offsets of a UTF-8 text to lines and columns.
///
/// Created once for a file, and used only for the locations of diagnostics.
package struct LineIndex: Sendable {
    private let bytes: [UInt8]
    private let lineStarts: [Int]
    /// The number of characters before each `stride`th byte, so that a column in a very long line is found as fast as
    /// in a short one; empty if no line is longer than `stride`.
    private let checkpoints: [Int]
    private static let stride = 256

    /// Indexes the lines of a UTF-8 text. LF, CRLF and a lone CR end a line.
    package init(_ bytes: [UInt8]) {
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
        let hasLongLine = zip(starts, starts.dropFirst() + [bytes.count]).contains { $1 - $0 > Self.stride }
        checkpoints = hasLongLine ? Self.checkpoints(bytes) : []
    }

    private static func checkpoints(_ bytes: [UInt8]) -> [Int] {
        var checkpoints = [0]
        bytes.withUnsafeBufferPointer { buffer in
            var count = 0
            for start in Swift.stride(from: 0, to: buffer.count - stride + 1, by: stride) {
                for byte in buffer[start..<start + stride] where byte & 0xC0 != 0x80 { count += 1 }
                checkpoints.append(count)
            }
        }
        return checkpoints
    }

    /// The number of lines; an empty file has one.
    package var lineCount: Int { lineStarts.count }

    /// Returns the line and column of a byte offset. An offset outside the text is clamped.
    package func position(at offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return SourcePosition(line: low + 1, column: characters(in: lineStarts[low]..<offset) + 1)
    }

    /// Returns the number of characters that begin in a range.
    private func characters(in range: Range<Int>) -> Int {
        guard range.count > Self.stride, !checkpoints.isEmpty else {
            var count = 0
            for byte in bytes[range] where byte & 0xC0 != 0x80 { count += 1 }
            return count
        }
        return characters(before: range.upperBound) - characters(before: range.lowerBound)
    }

    /// Returns the number of characters that begin before an offset. The text must have checkpoints.
    private func characters(before offset: Int) -> Int {
        let checkpoint = offset / Self.stride
        var count = checkpoints[checkpoint]
        for byte in bytes[checkpoint * Self.stride..<offset] where byte & 0xC0 != 0x80 { count += 1 }
        return count
    }

    /// Returns the range of lines and columns that byte offsets cover.
    package func range(of offsets: Range<Int>) -> SourceRange {
        SourceRange(start: position(at: offsets.lowerBound), end: position(at: offsets.upperBound))
    }

    /// Returns the text of a line without its line ending, or `nil` if there is no such line.
    package func text(ofLine line: Int) -> String? { text(ofLine: line, columns: 1..<Int.max) }

    /// Returns the text of a range of columns of a line, clamped to the line, without its line ending; `nil` if there
    /// is no such line.
    package func text(ofLine line: Int, columns: Range<Int>) -> String? {
        guard let range = byteRange(ofLine: line) else { return nil }
        let start = offset(ofColumn: columns.lowerBound, in: range)
        let end = offset(ofColumn: columns.upperBound, in: range)
        return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
    }

    /// Returns the column of a position in UTF-8 bytes, from 1; `nil` if there is no such line. A position behind the
    /// end of its line is clamped.
    package func byteColumn(of position: SourcePosition) -> Int? {
        guard let line = byteRange(ofLine: position.line) else { return nil }
        return offset(ofColumn: position.column, in: line) - line.lowerBound + 1
    }

    /// Returns the text of a range of bytes, clamped to the file.
    package func text(of offsets: Range<Int>) -> String {
        String(decoding: bytes[offsets.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    /// Returns the number of characters in a line, without its line ending; 0 if there is no such line.
    package func length(ofLine line: Int) -> Int {
        guard let range = byteRange(ofLine: line) else { return 0 }
        return characters(in: range)
    }

    private func byteRange(ofLine line: Int) -> Range<Int>? {
        guard line >= 1, line <= lineStarts.count else { return nil }
        let start = lineStarts[line - 1]
        var end = line < lineStarts.count ? lineStarts[line] : bytes.count
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// Returns the offset of a column in a line, at most the line's end.
    private func offset(ofColumn column: Int, in line: Range<Int>) -> Int {
        guard column > 1 else { return line.lowerBound }
        guard column <= line.count else { return line.upperBound }
        guard !checkpoints.isEmpty else {
            return self.offset(ofCharacter: column - 1, from: line.lowerBound, to: line.upperBound)
        }
        // The number of the character, counted from the start of the file.
        let target = characters(before: line.lowerBound) + column - 1
        var low = line.lowerBound / Self.stride
        var high = min(line.upperBound / Self.stride + 1, checkpoints.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if checkpoints[middle] <= target { low = middle } else { high = middle }
        }
        let found = offset(ofCharacter: target - checkpoints[low], from: low * Self.stride, to: line.upperBound)
        return max(found, line.lowerBound)
    }

    /// Returns the offset of the first byte of a character, counted from 0 at `start`; at most `end`.
    private func offset(ofCharacter target: Int, from start: Int, to end: Int) -> Int {
        var count = 0
        for offset in start..<max(start, end) where bytes[offset] & 0xC0 != 0x80 {
            if count == target { return offset }
            count += 1
        }
        return end
    }
}
