import Testing

@testable import Diagnostics

@Suite struct TextLinesTests {
    @Test(arguments: [
        ("", [""]), ("a", ["a"]), ("a\nb\n", ["a", "b", ""]), ("a\r\n\r\nb\r\n", ["a", "", "b", ""]),
        ("a\rb\u{2028}c\u{85}d\n", ["a\rb\u{2028}c\u{85}d", ""]), ("\u{301}\r\n\u{301}", ["\u{301}", "\u{301}"]),
    ])
    func linesEndWithALineFeed(text: String, lines: [String]) {
        #expect(TextLines.split(text).map(String.init) == lines)
    }

    @Test func textsWithOtherLineEndsAreEqual() {
        #expect(TextLines.areEqual("a\r\nb\n".utf8, "a\nb\r\n".utf8))
        #expect(!TextLines.areEqual("a\r\nb".utf8, "a\n\nb".utf8))
        #expect(!TextLines.areEqual("a\rb".utf8, "a\nb".utf8))
    }
}
