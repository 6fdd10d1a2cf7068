/// How names and strings are spelled in SQL, so that whatever they contain, they do not end early.
///
/// Marks are doubled by scalars: to Swift's strings, a mark with a combining accent is another character.
package enum SQLSpelling {
    /// Returns a name in quotes, which is not taken for a keyword.
    package static func name(_ name: String) -> String { "\"" + doubled("\"", in: name) + "\"" }

    /// Returns a string literal.
    package static func literal(_ text: String) -> String { "'" + doubled("'", in: text) + "'" }

    private static func doubled(_ mark: Unicode.Scalar, in text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.flatMap { $0 == mark ? [$0, $0] : [$0] }))
    }
}
