/// A position in a source file.
///
/// Lines and columns count from 1. Columns count Unicode scalars ("characters") instead of bytes or UTF-16 units, like
/// SARIF's `unicodeCodePoints`.
package struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line, from 1.
    package var line: Int
    /// The character in the line, from 1.
    package var column: Int

    /// Creates a position from a line and a column, both counted from 1.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The first character of a file.
    package static let start = SourcePosition(line: 1, column: 1)

    /// Orders positions as in the file.
    package static func < (lhs: SourcePosition, rhs: SourcePosition) -> Bool {
        (lhs.line, lhs.column) < (rhs.line, rhs.column)
    }
}

/// A range of a source file, from `start` up to, but not including, `end`.
package struct SourceRange: Hashable, Sendable {
    /// The first character.
    package var start: SourcePosition
    /// The position after the last character.
    package var end: SourcePosition

    /// Creates a range; `end` is exclusive.
    package init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }

    /// The empty range at the start of a file, for a finding that concerns the file as a whole.
    package static let fileStart = SourceRange(start: .start, end: .start)
}
