/// Text wrapped between words to the width of a terminal.
enum WrappedText {
    /// The maximum line width: longer lines are hard to read on a wide terminal.
    private static let readableWidth = 100

    /// Returns the text with its lines wrapped, or unchanged without a width.
    ///
    /// - Parameter width: The number of columns, or `nil` if the text does not go to a terminal.
    static func wrap(_ text: String, width: Int?) -> String {
        guard let width else { return text }
        let limit = max(20, min(width, readableWidth))
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { wrapLine($0, limit) }.joined(separator: "\n")
    }

    private static func wrapLine(_ line: Substring, _ limit: Int) -> String {
        let start = hangingIndent(of: line)
        let indent = String(repeating: " ", count: start <= limit / 2 ? start : 0)
        return join(
            line.split(separator: " ", omittingEmptySubsequences: false).map(String.init), limit: limit, indent: indent)
    }

    /// Joins words by spaces, or by line breaks where a line would be longer than the limit.
    ///
    /// - Parameters:
    ///   - indent: What the lines after the first begin with.
    ///   - continuation: What the lines before the last end with.
    static func join(_ words: [String], limit: Int, indent: String, continuation: String = "") -> String {
        var lines = [""]
        for (index, word) in words.enumerated() {
            let hasText = lines.last?.allSatisfy { $0 == " " } == false
            let reserve = index == words.count - 1 ? 0 : continuation.count
            if hasText, (lines.last?.count ?? 0) + 1 + word.count + reserve > limit {
                lines[lines.count - 1] += continuation
                lines.append(indent + word)
            } else {
                lines[lines.count - 1] += (index == 0 ? "" : " ") + word
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the column in which the lines after the first begin: in an indented list or table, that of the text.
    private static func hangingIndent(of line: Substring) -> Int {
        let text = line.drop { $0 == " " }
        guard text.startIndex != line.startIndex, let gap = text.firstRange(of: "  "),
            let column = text[gap.lowerBound...].firstIndex(where: { $0 != " " })
        else { return line.count - text.count }
        return line.distance(from: line.startIndex, to: column)
    }
}
