/// The lines of text files that modelc writes and git may check out with other line ends.
package enum TextLines {
    /// Returns the lines of a text, without the LF or CRLF that ends each; a text that ends with one has an empty last
    /// line. A byte order mark, which editors on Windows add, is left out. Splits bytes, because CRLF is a single
    /// character, and other line separators may occur in names.
    package static func split(_ text: String) -> [Substring] {
        let bytes = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
        return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
    }

    /// Returns whether two strings differ at most in whether LF or CRLF ends their lines.
    package static func areEqual(_ first: some Collection<UInt8>, _ second: some Collection<UInt8>) -> Bool {
        first.elementsEqual(second) || withLineFeeds(first).elementsEqual(withLineFeeds(second))
    }

    /// Returns a text with LF in place of CRLF.
    package static func withLineFeeds(_ text: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for byte in text {
            if byte == UInt8(ascii: "\n"), result.last == UInt8(ascii: "\r") { result.removeLast() }
            result.append(byte)
        }
        return result
    }

    /// Returns a text, whose lines end with LF, with the line ends of a file's first line.
    package static func text(_ text: String, withLineEndsOf file: [UInt8]) -> String {
        guard let end = file.firstIndex(of: UInt8(ascii: "\n")), end > 0, file[end - 1] == UInt8(ascii: "\r") else {
            return text
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    }
}
