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
        guard line.count > limit else { return String(line) }
        var result = ""
        var column = 0
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            if column > 0, column + 1 + word.count > limit {
                result += "\n"
                column = 0
            } else if column > 0 {
                result += " "
                column += 1
            }
            result += word
            column += word.count
        }
        return result
    }
}
