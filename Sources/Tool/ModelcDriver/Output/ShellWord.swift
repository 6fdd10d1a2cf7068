/// Text as a word of a shell command, for commands that messages recommend.
package enum ShellWord {
    /// Returns the text so that a POSIX shell reads it as one word: unchanged, or in single quotes.
    ///
    /// A word that begins with “-” is still an option to most programs.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
                true
            default: "_-./:@%+,=~".utf8.contains(byte)
            }
        }
        return isPlain && !text.isEmpty && !text.hasPrefix("~") ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}
