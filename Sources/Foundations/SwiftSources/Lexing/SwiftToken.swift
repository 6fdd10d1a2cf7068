/// A token of Swift source code. A string literal with its interpolations is one token; comments are not tokens.
package struct SwiftToken: Hashable, Sendable {
    /// The kinds of tokens.
    package enum Kind: Hashable, Sendable {
        /// A name or a keyword, depending on the context.
        case word
        /// A name in backquotes.
        case quotedName
        /// A number.
        case number
        /// A string literal, or a regular expression between slashes.
        case literal
        /// A word after `#`, such as `#if`, `#keyPath` or a macro.
        case pound
        /// A single-byte punctuation character.
        case sign
    }

    /// The kind of token.
    package var kind: Kind
    /// The byte range in the file, including quotes and `#`.
    package var range: Range<Int>
    /// The text, without backquotes and `#`; empty for literals.
    package var text: String
    /// Whether a line begins between the previous token and this one.
    package var isFirstOnLine: Bool
    /// Whether nothing, not even a space, separates this token from the previous one.
    package var isAdjacent: Bool

    /// Returns whether the token is the given keyword or sign.
    package func `is`(_ text: String) -> Bool { (kind == .word || kind == .sign) && self.text == text }
}
