/// A token of Swift source code. A string literal with its interpolations is one token; comments are not tokens.
package struct SwiftToken: Hashable, Sendable {
    /// The kinds of tokens.
    package enum Kind: Hashable, Sendable {
        /// A name or a keyword, depending on the context.
        case word
        /// A name in backquotes.
        case quotedName
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

    /// Whether the token can be the name of a declaration.
    package var isName: Bool { kind == .word || kind == .quotedName }

    /// The change in the number of open brackets: 1, -1 or 0.
    package var nesting: Int {
        guard kind == .sign else { return 0 }
        switch text {
        case "(", "[", "{": return 1
        case ")", "]", "}": return -1
        default: return 0
        }
    }
}

extension [SwiftToken] {
    /// Returns the index of the bracket that closes the one at an index.
    package func closingBrackets() -> [Int: Int] {
        var open: [Int] = []
        var closing: [Int: Int] = [:]
        for (index, token) in enumerated() {
            if token.nesting == 1 { open.append(index) }
            if token.nesting == -1, let start = open.popLast() { closing[start] = index }
        }
        return closing
    }
}

extension ArraySlice<SwiftToken> {
    /// Splits tokens at each occurrence of a sign outside brackets. Parts may be empty.
    package func split(atTopLevel sign: String) -> [ArraySlice<SwiftToken>] {
        var parts: [ArraySlice<SwiftToken>] = []
        var (open, start) = (0, startIndex)
        for (index, token) in zip(indices, self) where token.kind == .sign {
            open += token.nesting
            if open == 0, token.is(sign) {
                parts.append(self[start..<index])
                start = index + 1
            }
        }
        parts.append(self[start...])
        return parts
    }
}
