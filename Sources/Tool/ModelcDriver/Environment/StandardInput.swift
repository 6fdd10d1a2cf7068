internal import CLibrary

/// The standard input of the process, line by line.
final class StandardInput {
    /// The maximum length of a line, in bytes. The rest of a longer one is skipped.
    private static let lineLimit = 16 << 20

    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Returns the next line without its line feed, or `nil` at the end.
    func nextLine() -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if start == buffer.count, !fill() { return line.isEmpty ? nil : line }
            let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n"))
            line += buffer[start..<(end ?? buffer.count)].prefix(Self.lineLimit - line.count)
            start = end.map { $0 + 1 } ?? buffer.count
            if end != nil { return line }
        }
    }

    /// Reads more bytes, and returns whether there were any.
    private func fill() -> Bool {
        guard !isAtEnd else { return false }
        start = 0
        buffer = [UInt8](unsafeUninitializedCapacity: 1 << 16) { bytes, count in
            var result: Int
            repeat { result = read(STDIN_FILENO, bytes.baseAddress, bytes.count) } while result < 0 && errno == EINTR
            count = max(0, result)
        }
        isAtEnd = buffer.isEmpty
        return !isAtEnd
    }
}
