/// A token of Swift source code. Comments are skipped, and a string literal with its interpolations is one token.
package struct SwiftToken: Hashable, Sendable {
    /// What a token is.
    package enum Kind: Hashable, Sendable {
        /// A name or a keyword; which of them depends on where it stands.
        case word
        /// A name in back quotes.
        case quotedName
        /// A number.
        case number
        /// A text, or a regular expression between slashes.
        case literal
        /// A word behind `#`, such as `#if`, `#keyPath` or a macro.
        case pound
        /// A sign of one byte.
        case sign
    }

    /// What it is.
    package var kind: Kind
    /// The bytes of the file, quotes and `#` included.
    package var range: Range<Int>
    /// The text: of a name without quotes, of `#if` without `#`; empty for literals.
    package var text: String
    /// Whether a line begins between this token and the one before.
    package var isFirstOnLine: Bool
    /// Whether nothing stands between this token and the one before, not even a space.
    package var isAdjacent: Bool

    /// Whether the token is this keyword or sign.
    package func `is`(_ text: String) -> Bool { (kind == .word || kind == .sign) && self.text == text }
}
