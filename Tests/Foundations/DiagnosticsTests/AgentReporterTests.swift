import Diagnostics
import Foundation
import Testing

/// The limits of reports for coding agents.
@Suite struct AgentReporterTests {
    private func report(_ diagnostics: [Diagnostic], lines: [String: LineIndex] = [:]) -> Report {
        var report = Report(
            diagnostics: diagnostics, rules: [:], lines: lines, checkedFiles: [], hiddenCount: 0, toolVersion: "1")
        report.headlines = [Headline("verdict", "compatible"), Headline("next", list: ["nothing"])]
        return report
    }

    private func object(_ report: Report) throws -> [String: Any] {
        let text = AgentReporter().text(for: report)
        #expect(text.utf8.count <= AgentReporter.sizeLimit)
        #expect(text.hasSuffix("}\n"))
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func longListsAreCutAndSayHowToGetTheRest() throws {
        let many = (0..<100).map { Diagnostic(.warning, rule: .missingInverse, "finding \($0)", file: "a") }
        let object = try object(report(many))
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.count == AgentReporter.findingLimit)
        #expect(findings.first?["reason"] as? String == "finding 0")
        #expect(object["warnings"] as? Int == 100)
        let more = try #require(object["more"] as? [String: Any])
        #expect(more["count"] as? Int == 80)
        #expect((more["get"] as? String)?.contains("--reporter json") == true)
    }

    /// Names that need many bytes in JSON, in every place of a finding.
    @Test(arguments: ["x", "\u{1}", "é", "#", "\u{E0041}", "\""], [1, 100, 1000, 20_000])
    func everyReportFits(unit: String, count: Int) throws {
        let name = String(repeating: unit, count: count)
        var finding = Diagnostic(
            .error, rule: .duplicateName, name, file: name, range: ReporterTests.range(1, 1, 2), why: name, help: name)
        finding.element = ElementPath(model: name, version: name, components: [name], kind: name)
        finding.command = name
        finding.fixes = [
            FixIt(
                name, safety: .safe,
                edits: [FixIt.Edit(bytes: 0..<1, range: ReporterTests.range(1, 1, 2), replacement: name)])
        ]
        var report = report(
            Array(repeating: finding, count: 30), lines: [name: LineIndex(Array(name.utf8))])
        report.headlines = [Headline("verdict", name), Headline("next", list: Array(repeating: name, count: 9))]
        let object = try object(report)
        let findings = try #require(object["findings"] as? [[String: Any]])
        for finding in findings { #expect(finding["file"] as? String == name) }
        let more = (object["more"] as? [String: Any])?["count"] as? Int ?? 0
        #expect(findings.count + more == 30)
    }

    @Test func anEditHoldsTheLineBeforeAndAfterIt() throws {
        var finding = Diagnostic(
            .warning, rule: .noActionDeleteRule, "m", file: "a", range: ReporterTests.range(2, 1, 2))
        finding.fixes = [
            FixIt(
                "f", safety: .unsafe,
                edits: [
                    FixIt.Edit(bytes: 0..<0, range: ReporterTests.range(2, 3, 3), replacement: "new "),
                    FixIt.Edit(bytes: 0..<0, range: ReporterTests.range(2, 5, 6), replacement: ""),
                ])
        ]
        let object = try object(report([finding], lines: ["a": LineIndex(Array("one\nétwo é\n".utf8))]))
        let findings = try #require(object["findings"] as? [[String: Any]])
        let fix = try #require(findings.first?["fix"] as? [String: Any])
        let edit = try #require(fix["edit"] as? [String: Any])
        #expect(edit["line"] as? Int == 2)
        #expect(edit["old"] as? String == "étwo é")
        #expect(edit["new"] as? String == "étnew woé")
        #expect(fix["safety"] as? String == "unsafe")
    }

    /// An edit behind the end of its line, as a reader of a changed file may see it, is given as a range.
    @Test func anEditOutsideOfItsLineIsARange() throws {
        var finding = Diagnostic(
            .warning, rule: .noActionDeleteRule, "m", file: "a", range: ReporterTests.range(1, 1, 2))
        finding.fixes = [
            FixIt(
                "f", safety: .safe,
                edits: [FixIt.Edit(bytes: 0..<0, range: ReporterTests.range(1, 9, 12), replacement: "x")])
        ]
        let object = try object(report([finding], lines: ["a": LineIndex(Array("one".utf8))]))
        let findings = try #require(object["findings"] as? [[String: Any]])
        let fix = try #require(findings.first?["fix"] as? [String: Any])
        #expect(fix["edit"] == nil)
        #expect((fix["edits"] as? [Any])?.count == 1)
    }
}
