import Diagnostics
import Testing

@Suite struct DisplayTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("é 日本 →", "é 日本 →"), ("a\tb\n", "a\tb\n"), ("a\rb\r\n", "a\\u{D}b\\u{D}\n"),
        ("\u{1B}[31mred\u{1B}[0m", "\\u{1B}[31mred\\u{1B}[0m"), ("\u{7F}\u{9B}2J", "\\u{7F}\\u{9B}2J"),
        ("abc\u{202E}fed\u{2066}", "abc\\u{202E}fed\\u{2066}"), ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
        ("::error::x", "\\u{3A}:error::x"),
        ("a::b\n \t\u{3000}::stop-commands::x", "a::b\n \t\u{3000}\\u{3A}:stop-commands::x"),
        ("a ##[error]b ##vso[task]", "a \\u{23}#[error]b \\u{23}#vso[task]"), ("### Title", "### Title"),
        (": :", ": :"),
        ("###[x]", "#\\u{23}#[x]"),
    ])
    func linesAreEscaped(text: String, expected: String) {
        #expect(DisplayText.lines(text) == expected)
    }

    /// GitHub's runner ignores whitespace at the start of a line.
    @Test func noLineIsAWorkflowCommand() {
        for scalar in (0...0x3000).compactMap(Unicode.Scalar.init) {
            let text = DisplayText.lines("\n\(scalar)::error::x\n")
            for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                #expect(!line.drop { $0.isWhitespace }.hasPrefix("::"), "U+\(String(scalar.value, radix: 16))")
            }
        }
    }

    @Test func singleLinesEscapeTabsAndLineFeeds() {
        #expect(DisplayText.line("a\tb\nc\u{0}") == "a\\tb\\nc\\0")
    }

    @Test func onlyTheReportersOwnStylesAreKept() {
        #expect(DisplayText.lines("\u{1B}[1mx\u{1B}[0m", keepsStyles: true) == "\u{1B}[1mx\u{1B}[0m")
        #expect(DisplayText.lines("\u{1B}[2Jx\u{1B}]0;t\u{7}", keepsStyles: true) == "\\u{1B}[2Jx\\u{1B}]0;t\\u{7}")
    }
}
