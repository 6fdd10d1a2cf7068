import Diagnostics
import Foundation
import Testing

/// Suggestions of reviewdog's format, applied as reviewdog does.
@Suite struct RDJSONTests {
    private struct Output: Decodable {
        struct Finding: Decodable {
            struct Location: Decodable { var range: Range }
            var location: Location
            var suggestions: [Suggestion]?
        }
        struct Suggestion: Decodable {
            var range: Range
            var text: String
        }
        struct Range: Decodable {
            var start: Position
            var end: Position
        }
        struct Position: Decodable {
            var line: Int
            var column: Int?
        }
        var diagnostics: [Finding]
    }

    private static let text = "<a größe=\"1\" ü=\"é\"/>\r\n<b 😀=\"x\" y=\"z\"/>\n"

    private func edit(_ old: String, _ new: String) throws -> FixIt.Edit {
        let bytes = Array(Self.text.utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: old.utf8) })
        let range = start..<(start + old.utf8.count)
        return FixIt.Edit(bytes: range, range: LineIndex(bytes).range(of: range), replacement: new)
    }

    private func output(_ edits: [FixIt.Edit], hasText: Bool = true) throws -> Output {
        var diagnostic = Diagnostic(.warning, rule: .unknownXML, "message", file: "f", range: edits[0].range)
        diagnostic.fixes = [FixIt("Fix it", safety: .safe, edits: edits)]
        let report = Report(
            diagnostics: [diagnostic], rules: [:], lines: hasText ? ["f": LineIndex(Array(Self.text.utf8))] : [:],
            checkedFiles: ["f"], hiddenCount: 0, toolVersion: "1")
        let text = ReporterKind.rdjson.reporter(usesColor: false).text(for: report)
        return try JSONDecoder().decode(Output.self, from: Data(text.utf8))
    }

    /// Returns the offset of a position whose column counts bytes.
    private func offset(_ position: Output.Position) throws -> Int {
        var starts = [0]
        for (index, byte) in Self.text.utf8.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        return starts[position.line - 1] + (try #require(position.column)) - 1
    }

    @Test(arguments: [
        [("1", "2")], [("é", "")], [("x", "ÿ")], [("1", "22"), ("é", "e")], [("ü", "u"), ("😀", "s"), ("z", "")],
    ])
    func aFixIsOneSuggestionWhoseColumnsCountBytes(changes: [(String, String)]) throws {
        let edits = try changes.map { try edit($0.0, $0.1) }
        var expected = Array(Self.text.utf8)
        for edit in edits.reversed() { expected.replaceSubrange(edit.bytes, with: Array(edit.replacement.utf8)) }
        let suggestions = try #require(try output(edits).diagnostics.first?.suggestions)
        #expect(suggestions.count == 1)
        var bytes = Array(Self.text.utf8)
        let range = suggestions[0].range
        bytes.replaceSubrange(
            try offset(range.start)..<(try offset(range.end)), with: Array(suggestions[0].text.utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    }

    @Test func withoutTheTextThereAreNeitherColumnsNorSuggestions() throws {
        let finding = try #require(try output([try edit("x", "y")], hasText: false).diagnostics.first)
        #expect(finding.suggestions == nil)
        #expect(finding.location.range.start.line == 2)
        #expect(finding.location.range.start.column == nil)
    }
}
