import Diagnostics
import Foundation
import Testing

@Suite struct TextReporterTests {
    private func text(_ diagnostic: Diagnostic, _ source: String, color: Bool = false) -> String {
        TextReporter(usesColor: color).text(for: diagnostic, lines: LineIndex(Array(source.utf8)))
    }

    private func error(_ message: String, line: Int, from: Int, to: Int) -> Diagnostic {
        let range = SourceRange(
            start: SourcePosition(line: line, column: from), end: SourcePosition(line: line, column: to))
        return Diagnostic(
            .error, rule: .missingInverse, message, file: "a/b", range: range, why: "Because.", help: "Do it.")
    }

    @Test func printsLocationExcerptReasonAndFix() {
        let printed = text(error("it is wrong", line: 2, from: 3, to: 6), "first\n  bad line\n")
        #expect(
            printed == """
                a/b:2:3: error: it is wrong [missing-inverse]
                  2 |   bad line
                    |   ^~~
                  why: Because.
                  help: Do it.

                """)
    }

    @Test func keepsTabsToAlignTheCaret() {
        let printed = text(error("x", line: 1, from: 3, to: 4), "\t\tq")
        #expect(printed.contains("  1 | \t\tq\n    | \t\t^\n"))
    }

    @Test func escapesControlCharacters() {
        let printed = text(error("name “a\nb\u{1B}[2J”", line: 1, from: 1, to: 2), "x\u{1B}[31my")
        #expect(printed.contains("name “a\\nb\\u{1B}[2J”"))
        #expect(!printed.contains("\u{1B}"))
    }

    @Test func truncatesVeryLongLines() {
        let source = String(repeating: "a", count: 5000) + "BAD" + String(repeating: "b", count: 5000)
        let printed = text(error("x", line: 1, from: 5001, to: 5004), source)
        let lines = printed.split(separator: "\n")
        #expect(lines[1].count < 200)
        #expect(lines[1].contains("BAD"))
        let caret = lines[2].firstIndex(of: "^").map { lines[2].distance(from: lines[2].startIndex, to: $0) }
        let bad = lines[1].range(of: "BAD").map { lines[1].distance(from: lines[1].startIndex, to: $0.lowerBound) }
        #expect(caret == bad)
        #expect(caret != nil)
    }

    @Test func usesColorsOnlyOnRequest() {
        #expect(text(error("x", line: 1, from: 1, to: 2), "y", color: true).contains("\u{1B}[1;31merror: "))
        #expect(!text(error("x", line: 1, from: 1, to: 2), "y").contains("\u{1B}"))
    }

    @Test func sortsByFileLocationAndSeverity() {
        let note = Diagnostic(.note, rule: .unusedEntity, "n", file: "a", range: .fileStart)
        let error = Diagnostic(.error, rule: .unusedEntity, "e", file: "a", range: .fileStart)
        let other = Diagnostic(.error, rule: .unusedEntity, "o", file: "b", range: .fileStart)
        #expect([other, note, error].sortedByLocation() == [error, note, other])
    }
}
