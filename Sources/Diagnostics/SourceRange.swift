/// A place in a source file.
///
/// Lines and columns count from 1. Columns count Unicode scalars ("characters"), not bytes and not UTF-16 units, as
/// SARIF's `unicodeCodePoints` does.
public struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The character in the line, from 1.
    public var column: Int

    /// Makes a position of a line and a column, both counted from 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The first character of a file.
    public static let start = SourcePosition(line: 1, column: 1)

    /// Orders positions as they stand in the file.
    public static func < (lhs: SourcePosition, rhs: SourcePosition) -> Bool {
        (lhs.line, lhs.column) < (rhs.line, rhs.column)
    }
}

/// A stretch of a source file, from its first character up to, but not including, `end`.
public struct SourceRange: Hashable, Sendable {
    /// The first character.
    public var start: SourcePosition
    /// The character behind the last one.
    public var end: SourcePosition

    /// Makes a range; `end` is exclusive.
    public init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }

    /// The empty range at the start of a file, for a finding that concerns the file as a whole.
    public static let fileStart = SourceRange(start: .start, end: .start)
}
