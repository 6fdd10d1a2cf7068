internal import Foundation

/// Reads the lines of a file, one of which is in memory at a time.
final class LineReader {
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The number of the last line.
    private(set) var line = 0

    private static let chunk = 1 << 18

    /// Opens a file; fails if it cannot be read.
    init?(_ path: String) {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        self.handle = handle
    }

    deinit { try? handle.close() }

    /// Returns the next line without its line feed; `nil` after the last one.
    ///
    /// - Throws: The error of the system.
    func next() throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                return content(before: end)
            }
            if isAtEnd {
                guard start < buffer.count else { return nil }
                defer { start = buffer.count }
                return content(before: buffer.count)
            }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            let chunk = try handle.read(upToCount: Self.chunk) ?? Data()
            if chunk.isEmpty { isAtEnd = true } else { buffer += chunk }
        }
    }

    /// Returns the line that ends before an index, without the byte order mark that some editors write.
    private func content(before end: Int) -> [UInt8] {
        line += 1
        let content = buffer[start..<end]
        return Array(line == 1 && content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content)
    }
}
