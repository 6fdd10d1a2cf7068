import Diagnostics
import ModelLint
import ModelSource
import Testing

/// The rules that the linter runs for each version, and the severity of their findings.
@Suite struct LinterTests {
    private static let model = """
        <model documentVersion="1.0">
            <entity name="book">
                <relationship name="author" optional="YES" maxCount="1" deletionRule="No Action" destinationEntity="book"/>
                <attribute name="cover" attributeType="Binary" extra="1"/>
            </entity>
        </model>
        """

    private func context(_ text: String, isCurrent: Bool = true) throws -> LintContext {
        LintContext(
            source: try ModelDocument(bytes: Array(text.utf8), path: "contents", name: "Model"), modelName: "Books",
            versionNames: ["Model"], isCurrent: isCurrent)
    }

    private func rules(_ text: String, _ selection: RuleSelection = RuleSelection(), isCurrent: Bool = true) throws
        -> [RuleID]
    {
        Linter(selection).lint(try context(text, isCurrent: isCurrent)).diagnostics.map(\.rule)
    }

    @Test func theCurrentVersionGetsEveryRule() throws {
        #expect(
            try rules(Self.model) == [.entityNameCase, .missingInverse, .noActionDeleteRule, .unknownXML])
    }

    @Test func otherVersionsGetErrorsOnly() throws {
        #expect(try rules(Self.model, isCurrent: false) == [.unknownXML])
        #expect(
            try rules(Self.model, RuleSelection(checksOldVersionsFully: true), isCurrent: false)
                == rules(Self.model))
        let broken = Self.model.replacing("destinationEntity=\"book\"", with: "destinationEntity=\"Author\"")
        #expect(try rules(broken, isCurrent: false).contains(.unknownDestination))
    }

    @Test func configurationSelectsRulesAndSeverities() throws {
        var selection = RuleSelection(severities: [.missingInverse: .error, .unknownXML: nil])
        let rule = try #require(RuleRegistry.description(named: "large-binary-without-external-storage"))
        selection.enable(rule)
        let found = Linter(selection).lint(try context(Self.model)).diagnostics
        #expect(
            found.map { "\($0.rule.rawValue) \($0.severity.word)" } == [
                "entity-name-case warning", "missing-inverse error", "no-action-delete-rule warning",
                "large-binary-without-external-storage warning",
            ])
        selection.disable(rule)
        #expect(try rules(Self.model, selection).count == 3)
        #expect(try rules(Self.model, RuleSelection(only: [.missingInverse])) == [.missingInverse])
    }

    @Test func findingsNameTheirElement() throws {
        let found = Linter(RuleSelection(only: [.missingInverse])).lint(try context(Self.model)).diagnostics
        let finding = try #require(found.first)
        #expect(
            finding.element
                == ElementPath(model: "Books", version: "Model", components: ["book", "author"], kind: "relationship"))
        let named = Linter(RuleSelection(only: [.entityNameCase])).lint(try context(Self.model)).diagnostics
        #expect(named.first?.inXcode == "book ▸ Data Model inspector ▸ Name")
    }

    /// In a broken file, rules could report lost elements as missing.
    @Test func brokenFilesSkipRulesThatNeedEveryElement() throws {
        let cut = String(Self.model.prefix(Self.model.count - 60))
        let found = try rules(cut)
        #expect(found.contains(.truncated))
        #expect(!found.contains(.entityNameCase))
        // Selecting one rule does not hide that a file is unreadable.
        #expect(try rules(cut, RuleSelection(only: [.missingInverse])).contains(.truncated))
    }

    @Test func suppressingUnknownRulesIsReported() throws {
        let text = """
            <model documentVersion="1.0"><entity name="Book"><userInfo>
            <entry key="modelc.ignore" value="mising-inverse"/></userInfo></entity></model>
            """
        let found = Linter(RuleSelection()).lint(try context(text)).diagnostics
        #expect(found.map(\.message) == ["unknown rule “mising-inverse”"])
        #expect(found.first?.help == "Did you mean “missing-inverse”?")
    }

    /// An entry for a rule that did not run, or in a version that was not checked completely, may be needed.
    @Test func suppressionsOfRulesThatDidNotRunAreNotReported() throws {
        let text = """
            <model documentVersion="1.0"><entity name="Book"><userInfo>
            <entry key="modelc.ignore" value="missing-inverse, ordered-to-many"/></userInfo></entity></model>
            """
        #expect(try rules(text) == [.unusedSuppression])
        #expect(try rules(text, isCurrent: false) == [])
        #expect(try rules(text, RuleSelection(severities: [.missingInverse: nil])) == [])
    }

    /// An entry for a rule reported only by another command is never reported as unused.
    @Test(arguments: ["not-lightweight", "cloudkit-not-deployed"])
    func suppressionsOfOtherCommandsRulesAreNotReported(_ rule: String) throws {
        let text = """
            <model documentVersion="1.0"><entity name="Book"><userInfo>
            <entry key="modelc.ignore" value="\(rule)"/></userInfo></entity></model>
            """
        #expect(try rules(text).filter { $0 == .unusedSuppression } == [])
    }

    @Test func misspelledRulesGetSuggestions() {
        #expect(RuleRegistry.suggestion(for: "no-action") == nil)
        #expect(RuleRegistry.suggestion(for: "Cascade-Cycles") == "cascade-cycle")
        #expect(RuleRegistry.description(named: "mc2001")?.id == .missingInverse)
    }
}

/// Baselines.
@Suite struct BaselineTests {
    private static func finding(_ rule: RuleID, _ path: String..., line: Int = 1) -> Diagnostic {
        var diagnostic = Diagnostic(
            .warning, rule: rule, "message \(line)", file: "contents",
            range: SourceRange(start: .init(line: line, column: 1), end: .init(line: line, column: 2)))
        diagnostic.element = ElementPath(model: "Books", version: "Books \(line)", components: path, kind: "attribute")
        return diagnostic
    }

    @Test func baselinesSurviveMovedLinesAndNewVersions() throws {
        let old = [
            Self.finding(.cascadeCycle, "Book", "x"), Self.finding(.cascadeCycle, "Book", "x", line: 5),
            Self.finding(.missingInverse, "Book"),
        ]
        let baseline = try Baseline(text: Baseline(old).text)
        let moved = [
            Self.finding(.cascadeCycle, "Book", "x", line: 9), Self.finding(.missingInverse, "Book", line: 10),
            Self.finding(.missingInverse, "Author", line: 11),
        ]
        let result = baseline.filter(moved)
        #expect(result.rest == [moved[2]])
        #expect(result.hiddenCount == 2)
        #expect(result.staleCount == 1)
        // A third finding of the same kind is new.
        #expect(baseline.filter(old + [old[0]]).rest.count == 1)
    }

    /// As git checks files out on Windows.
    @Test func baselinesWithCarriageReturnsAreRead() throws {
        let found = [Self.finding(.cascadeCycle, "Book", "x"), Self.finding(.missingInverse, "Book")]
        let baseline = try Baseline(text: Baseline(found).text.replacing("\n", with: "\r\n"))
        #expect(baseline.filter(found).rest.isEmpty)
    }

    @Test func baselinesHaveOneLinePerKindOfFinding() {
        #expect(
            Baseline([
                Self.finding(.missingInverse, "Book"), Self.finding(.cascadeCycle, "Book", "x"),
                Self.finding(.missingInverse, "Book"),
            ]).text
                == "# modelc baseline 1\ncascade-cycle\tBooks\tBook.x\t1\nmissing-inverse\tBooks\tBook\t2\n")
        #expect(Baseline([]).text == "# modelc baseline 1\n")
        #expect(Baseline([Self.finding(.cascadeCycle, "B\too\nk")]).text.split(separator: "\n").count == 2)
    }

    @Test(arguments: ["", "a\tb\tc\t1", "# modelc baseline 1\na\tb\t1", "# modelc baseline 1\n\na\tb\tc\t-1"])
    func malformedBaselinesAreErrors(_ text: String) {
        #expect(throws: Baseline.Malformed.self) { try Baseline(text: text) }
    }
}
