import Diagnostics
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Every reporter: a golden file of a report with all possible parts, and the requirements of its readers.
@Suite struct ReporterTests {
    /// An unexpected name from a model.
    static let hostile =
        "a<b>&\"'|`*_@everyone\u{0}\n::error::x]]>é%,:\r::error::y\u{1B}[2J\u{7F}\u{9B}31m\u{202E}\u{2028}\u{E0041}##[error]z"

    static func range(_ line: Int, _ column: Int, _ endColumn: Int) -> SourceRange {
        SourceRange(start: .init(line: line, column: column), end: .init(line: line, column: endColumn))
    }

    static let report: Report = {
        let contents = "Modèles/My Books.xcdatamodeld/Books.xcdatamodel/contents"
        let text = "<model>\n    <entity name=\"Büch\" deletionRule=\"No Action\"/>\n</model>\n"
        var rule = Diagnostic(
            .warning, rule: .noActionDeleteRule, "“Book.author” has the delete rule No Action", file: contents,
            range: range(2, 25, 48), why: "The other end points at nothing", help: "Choose Nullify")
        rule.element = ElementPath(
            model: "Books", version: "Books", components: ["Book", "author"], kind: "relationship")
        rule.inXcode = "Book ▸ author ▸ Data Model inspector ▸ Delete Rule"
        rule.fixes = [
            FixIt(
                "Set the delete rule to Nullify", safety: .unsafe,
                edits: [FixIt.Edit(bytes: 50..<59, range: range(2, 39, 48), replacement: "Nullify")])
        ]
        rule.related = [RelatedLocation("the inverse is here", file: contents, range: range(3, 1, 3))]
        // A second finding of the same rule at the same element, which must be distinguishable.
        var again = rule
        again.range = range(3, 1, 2)
        again.fixes = []
        again.related = []
        var named = Diagnostic(.error, rule: .duplicateName, hostile, file: "b/\(hostile)", range: nil)
        named.element = ElementPath(model: "M", version: nil, components: [hostile], kind: "entity")
        let note = Diagnostic(.note, rule: .keywordName, "a rule without a description", file: nil)
        let long = Diagnostic(
            .note, rule: .unknownXML, "an element over several lines", file: contents,
            range: SourceRange(start: .init(line: 1, column: 1), end: .init(line: 3, column: 4)))
        let descriptions = [
            RuleDescription(
                id: .noActionDeleteRule, code: "MC2004", group: "relationships",
                title: "a relationship has the delete rule No Action", explanation: "It leaves dangling references.",
                remedy: "Choose another.", defaultSeverity: .warning, fix: .unsafe),
            RuleDescription(
                id: .unknownXML, code: "MC1008", group: "structure", title: "an element is unknown",
                explanation: String(repeating: "long ", count: 400), remedy: "", defaultSeverity: nil),
        ]
        return Report(
            diagnostics: [rule, again, named, note, long],
            rules: Dictionary(uniqueKeysWithValues: descriptions.map { ($0.id, $0) }),
            lines: [contents: LineIndex(Array(text.utf8))], checkedFiles: [contents, "clean/contents"], hiddenCount: 2,
            toolVersion: "1.2.3")
    }()

    static let empty = Report(
        diagnostics: [], rules: [:], lines: [:], checkedFiles: ["a"], hiddenCount: 0, toolVersion: "1.2.3")

    private static func text(_ kind: ReporterKind, _ report: Report = report) -> String {
        kind.reporter(usesColor: false).text(for: report)
    }

    @Test(arguments: ReporterKind.allCases)
    func reportsMatchTheirGoldens(_ kind: ReporterKind) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Goldens/report.\(kind.rawValue).txt")
        let text = Self.text(kind)
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
            try Data(text.utf8).write(to: file)
        }
        #expect(text == String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    @Test(arguments: ReporterKind.allCases)
    func everyReportEndsInALineFeed(_ kind: ReporterKind) {
        for text in [Self.text(kind), Self.text(kind, Self.empty)] where !text.isEmpty { #expect(text.hasSuffix("\n")) }
        #expect(!kind.summary.isEmpty)
    }

    /// No name can control a terminal or be a command to a CI system.
    @Test(arguments: ReporterKind.allCases)
    func namesCannotInjectControlSequences(_ kind: ReporterKind) {
        let text = Self.text(kind)
        for scalar in text.unicodeScalars where scalar != "\n" && scalar != "\t" {
            #expect(
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory))
        }
        let lines = DisplayText.lines(text).split(separator: "\n")
        for line in kind == .github ? text.split(separator: "\n") : lines {
            let isOwnCommand =
                kind == .github && ["::error ", "::warning ", "::notice "].contains { line.hasPrefix($0) }
            #expect(isOwnCommand || !line.drop { $0.isWhitespace }.hasPrefix("::"))
            #expect(isOwnCommand || !line.contains("##["))
        }
    }

    // MARK: JSON

    private static func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func jsonContainsEveryField() throws {
        let object = try Self.json(Self.text(.json))
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.count == 5)
        #expect(findings[2]["message"] as? String == Self.hostile)
        #expect(findings[0]["code"] as? String == "MC2004")
        #expect(findings[3]["file"] == nil)
        let fingerprints = findings.compactMap { $0["fingerprint"] as? String }
        #expect(Set(fingerprints).count == 5)
        #expect(
            (object["summary"] as? [String: Int]) == ["errors": 1, "warnings": 2, "notes": 2, "hidden": 2, "files": 2])
    }

    @Test func jsonLinesAreObjects() throws {
        let lines = Self.text(.jsonl).split(separator: "\n")
        #expect(lines.count == 5)
        for line in lines { #expect(try Self.json(String(line))["rule"] is String) }
        #expect(Self.text(.jsonl, Self.empty) == "")
    }

    @Test func gitLabAndReviewdogReportsAreValid() throws {
        let issues = try #require(
            try JSONSerialization.jsonObject(with: Data(Self.text(.gitlab).utf8)) as? [[String: Any]])
        #expect(Set(issues.compactMap { $0["fingerprint"] as? String }).count == 5)
        #expect(issues.map { $0["severity"] as? String } == ["minor", "minor", "critical", "info", "info"])
        let diagnostics = try #require(try Self.json(Self.text(.rdjson))["diagnostics"] as? [[String: Any]])
        let suggestions = try #require(diagnostics[0]["suggestions"] as? [[String: Any]])
        #expect(suggestions.first?["text"] as? String == "Nullify")
    }

    // MARK: SARIF

    /// The requirements of SARIF 2.1.0 and GitHub (Documentation/Formats/ReportFormats.md, 1).
    @Test(arguments: [false, true])
    func sarifReportsAreValid(isEmpty: Bool) throws {
        let log = try Self.json(Self.text(.sarif, isEmpty ? Self.empty : Self.report))
        #expect(log["version"] as? String == "2.1.0")
        #expect(log["$schema"] is String)
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        #expect(run["columnKind"] as? String == "unicodeCodePoints")
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "modelc")
        let rules = try #require(driver["rules"] as? [[String: Any]])
        for rule in rules {
            for key in ["shortDescription", "fullDescription", "help"] {
                let text = try #require((rule[key] as? [String: Any])?["text"] as? String)
                #expect(!text.isEmpty)
                if key != "help" { #expect(text.count <= 1024) }
            }
            #expect(((rule["properties"] as? [String: Any])?["tags"] as? [String])?.isEmpty == false)
        }
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.count == (isEmpty ? 0 : 5))
        var fingerprints: Set<String> = []
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
            #expect(["note", "warning", "error"].contains(result["level"] as? String))
            #expect(((result["message"] as? [String: Any])?["text"] as? String)?.isEmpty == false)
            let location = try #require((result["locations"] as? [[String: Any]])?.first)
            let physical = try #require(location["physicalLocation"] as? [String: Any])
            let uri = try #require((physical["artifactLocation"] as? [String: Any])?["uri"] as? String)
            #expect(URL(string: uri) != nil && !uri.isEmpty && !uri.hasPrefix("/"))
            let region = try #require(physical["region"] as? [String: Int])
            // An alert is shown in a pull request only if all its lines are in the diff.
            #expect(region["startLine"] == region["endLine"])
            if let end = region["endColumn"] { #expect(end > region["startColumn"] ?? 0) }
            let fingerprint = (result["partialFingerprints"] as? [String: String])?["primaryLocationLineHash"]
            fingerprints.insert(try #require(fingerprint))
        }
        #expect(fingerprints.count == results.count)
    }

    @Test func fingerprintsSurviveMovedLines() {
        var moved = Self.report.diagnostics
        for index in moved.indices {
            moved[index].range = nil
            moved[index].message = "another text"
            moved[index].element?.version = "Books 2"
        }
        #expect(Fingerprint.all(moved) == Fingerprint.all(Self.report.diagnostics))
    }

    // MARK: GitHub

    @Test func annotationsAreEscaped() {
        let lines = Self.text(.github).split(separator: "\n")
        #expect(lines.count == 5)
        #expect(
            lines.allSatisfy { $0.hasPrefix("::error ") || $0.hasPrefix("::warning ") || $0.hasPrefix("::notice ") })
        #expect(lines.first?.hasPrefix("::error file=b/") == true)
        #expect(lines.first?.contains("%25%2C%3A") == true)
    }

    @Test func annotationsRespectGitHubsLimit() {
        var report = Self.empty
        report.diagnostics = (1...25).map { Diagnostic(.warning, rule: .unusedEntity, "m\($0)", file: "f") }
        let lines = Self.text(.github, report).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("::warning") } == 10)
        #expect(lines.last?.contains("15 more warnings") == true)
    }

    // MARK: XML

    @Test(arguments: [ReporterKind.junit, .checkstyle])
    func xmlReportsAreWellFormed(_ kind: ReporterKind) throws {
        for report in [Self.report, Self.empty] {
            let reader = AttributeReader()
            let parser = XMLParser(data: Data(Self.text(kind, report).utf8))
            parser.delegate = reader
            #expect(parser.parse())
            // XML cannot represent these.
            let shown = Self.hostile.replacing("\u{0}", with: "\\0").replacing("\u{1B}", with: "\\u{1B}")
            #expect(reader.values.contains(shown) == !report.diagnostics.isEmpty)
        }
    }

    private final class AttributeReader: NSObject, XMLParserDelegate {
        var values: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            values += attributes.values
        }
    }

    // MARK: Text

    @Test func markdownStaysInItsTable() {
        let lines = Self.text(.markdown).split(separator: "\n")
        #expect(lines.count == 7)
        for line in lines {
            let bars = line.replacing("\\|", with: "").count { $0 == "|" }
            #expect(bars == 5, "\(line)")
            #expect(!line.contains("<") && !line.contains("@"))
        }
        #expect(Self.text(.markdown, Self.empty) == "No findings in 1 file.\n")
    }

    @Test func xcodeReportsHaveOneLinePerFinding() {
        let lines = Self.text(.xcode).split(separator: "\n")
        #expect(lines.count == 5)
        #expect(
            lines.first
                == "Modèles/My Books.xcdatamodeld/Books.xcdatamodel/contents:2:25: warning: “Book.author” has the delete rule No Action [no-action-delete-rule]"
        )
    }
}
