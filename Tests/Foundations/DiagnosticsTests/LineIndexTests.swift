import Diagnostics
import Testing

@Suite struct LineIndexTests {
    private func position(_ text: String, _ offset: Int) -> SourcePosition {
        LineIndex(Array(text.utf8)).position(at: offset)
    }

    @Test func countsLinesAndColumnsFromOne() {
        #expect(position("ab\ncd", 0) == SourcePosition(line: 1, column: 1))
        #expect(position("ab\ncd", 2) == SourcePosition(line: 1, column: 3))
        #expect(position("ab\ncd", 3) == SourcePosition(line: 2, column: 1))
        #expect(position("ab\ncd", 5) == SourcePosition(line: 2, column: 3))
    }

    @Test func columnsCountCharactersNotBytes() {
        // "größe" has two characters of two bytes; the emoji has four bytes.
        #expect(position("größe=1", "größe".utf8.count) == SourcePosition(line: 1, column: 6))
        #expect(position("😁x", 4) == SourcePosition(line: 1, column: 2))
    }

    @Test func recognizesEveryLineEnding() {
        let index = LineIndex(Array("a\r\nb\rc\nd".utf8))
        #expect(index.lineCount == 4)
        #expect(index.position(at: 3) == SourcePosition(line: 2, column: 1))
        #expect(index.position(at: 5) == SourcePosition(line: 3, column: 1))
        #expect(index.text(ofLine: 1) == "a")
        #expect(index.text(ofLine: 4) == "d")
        #expect(index.text(ofLine: 5) == nil)
        #expect(index.text(ofLine: 0) == nil)
    }

    @Test func offsetsOutsideTheTextAreClamped() {
        #expect(position("ab", -5) == .start)
        #expect(position("ab", 99) == SourcePosition(line: 1, column: 3))
        #expect(position("", 0) == .start)
    }

    @Test func columnsInLongLinesAreRight() {
        let text = String(repeating: "aé😁", count: 5000) + "\n" + String(repeating: "ü", count: 9000)
        let bytes = Array(text.utf8)
        let index = LineIndex(bytes)
        var line = 1
        var column = 1
        for (offset, byte) in bytes.enumerated() where byte & 0xC0 != 0x80 {
            if offset.isMultiple(of: 7) {
                #expect(index.position(at: offset) == SourcePosition(line: line, column: column))
            }
            (line, column) = byte == 0x0A ? (line + 1, 1) : (line, column + 1)
        }
        #expect(index.position(at: bytes.count) == SourcePosition(line: 2, column: 9001))
    }
}
