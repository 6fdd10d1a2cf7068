/// Finds the markers of unresolved git conflicts in a file, and blanks them out so that the rest can be read.
enum ConflictMarkers {
    /// The markers of a file.
    struct Result {
        /// The text with the markers and the other side ("theirs", and the base of a diff3 merge) replaced by spaces,
        /// so that all offsets stay the same.
        var bytes: [UInt8]
        /// The markers with their byte ranges.
        var markers: [(text: String, range: Range<Int>)]
    }

    private enum Side { case none, ours, other }

    /// Finds markers at the start of lines. Returns `nil` if the file has none.
    static func find(in bytes: [UInt8]) -> Result? {
        guard mayContainMarkers(bytes) else { return nil }
        var result = Result(bytes: bytes, markers: [])
        var side = Side.none
        var lineStart = 0
        while lineStart < bytes.count {
            var lineEnd = lineStart
            while lineEnd < bytes.count, bytes[lineEnd] != 0x0A { lineEnd += 1 }
            let line = bytes[lineStart..<lineEnd]
            var isMarker = true
            switch marker(of: line) {
            case UInt8(ascii: "<")?: side = .ours
            case UInt8(ascii: "|")? where side == .ours: side = .other
            case UInt8(ascii: "=")? where side != .none: side = .other
            case UInt8(ascii: ">")? where side != .none: side = .none
            default: isMarker = false
            }
            if isMarker {
                let text = String(decoding: line, as: UTF8.self)
                result.markers.append((text.trimmingTrailingCarriageReturn, lineStart..<lineEnd))
            }
            if isMarker || side == .other {
                for index in lineStart..<lineEnd where result.bytes[index] != 0x0D { result.bytes[index] = 0x20 }
            }
            lineStart = lineEnd + 1
        }
        return result.markers.isEmpty ? nil : result
    }

    /// Returns whether a line starts with seven `<`, as in every conflict: a quick check.
    private static func mayContainMarkers(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            var index = 0
            while index + 7 <= buffer.count {
                // A different seventh character rules out all windows that contain it.
                if buffer[index + 6] != UInt8(ascii: "<") {
                    index += 7
                } else if (index..<index + 6).allSatisfy({ buffer[$0] == UInt8(ascii: "<") }),
                    index == 0 || buffer[index - 1] == 0x0A
                {
                    return true
                } else {
                    index += 1
                }
            }
            return false
        }
    }

    /// Returns the marker character of a line that consists of exactly seven of them or has a space after them.
    private static func marker(of line: ArraySlice<UInt8>) -> UInt8? {
        guard line.count >= 7, let first = line.first else { return nil }
        switch first {
        case UInt8(ascii: "<"), UInt8(ascii: "|"), UInt8(ascii: "="), UInt8(ascii: ">"): break
        default: return nil
        }
        guard line.prefix(7).allSatisfy({ $0 == first }) else { return nil }
        guard line.count > 7 else { return first }
        let next = line[line.startIndex + 7]
        return next == 0x20 || next == 0x0D ? first : nil
    }
}

extension String {
    fileprivate var trimmingTrailingCarriageReturn: String { hasSuffix("\r") ? String(dropLast()) : self }
}
