import Diagnostics
import ModelLint
import ModelSource

/// The expected findings of a rule.
///
/// In the text of a model, `‹` and `›` enclose each range where the rule should find something, and `⟦⟧` marks where a
/// `userInfo` element that suppresses the finding can be inserted.
struct RuleCase: Sendable, CustomStringConvertible {
    /// The rule's name.
    var rule: RuleID
    /// The content of `<model>`, in which the rule finds something.
    var finding: String
    /// A part of the message of the first finding.
    var message: String
    /// A similar model in which the rule finds nothing.
    var clean: String
    /// The model of `finding` after its fixes; `nil` if there is no fix.
    var fixed: String?
    /// Whether the CloudKit profile is selected.
    var isForCloudKit = false
    /// The classes in the sources of the target, with their lines.
    var classes: [String: Int]?
    /// The properties of the class `Book` in the sources.
    var properties: [String: SourceClasses.Property] = [:]
    /// The attributes of the `<model>` tag.
    var modelAttributes = "documentVersion=\"1.0\""
    /// The attributes of the `<model>` tag after the fix.
    var fixedModelAttributes: String?
    /// The names of all versions in the case with a finding, or `nil` for one version. The version to lint is called
    /// `Model`, and the finding is at its `<model>` tag.
    var versionNames: [String]?

    var description: String { "\(rule): \(message)" }

    /// The findings in a text, and the ranges of its marks.
    struct Outcome {
        var diagnostics: [Diagnostic]
        var hidden: Int
        var marks: [SourceRange]
        var bytes: [UInt8]
    }

    /// Lints a text with this rule only.
    func lint(
        _ text: String, userInfo: String = "", isCurrent: Bool = true, isFinding: Bool = true, isFixed: Bool = false
    ) throws -> Outcome {
        let isMarked = versionNames != nil && isFinding
        let attributes = isFixed ? fixedModelAttributes ?? modelAttributes : modelAttributes
        let whole =
            "\(isMarked ? "‹" : "")<model \(attributes)\(isMarked ? "›" : "")>\n" + text.replacing("⟦⟧", with: userInfo)
            + "\n</model>"
        let (bytes, offsets) = Self.removingMarks(whole)
        let document = try ModelDocument(bytes: bytes, path: "Model.xcdatamodel/contents", name: "Model")
        let sources = classes.map { classes in
            var sources = SourceClasses(declarations: classes.mapValues { .init(file: "Book.swift", line: $0) })
            sources.properties = ["Book": properties]
            sources.variables = ["derived"]
            return sources
        }
        let context = LintContext(
            source: document, modelName: "Model", versionNames: isFinding ? versionNames ?? ["Model"] : ["Model"],
            isCurrent: isCurrent,
            isForCloudKit: isForCloudKit, sourceClasses: sources)
        var only: Set = [rule]
        // Otherwise, an entry that suppresses nothing would be reported.
        if !userInfo.isEmpty { only.insert(.unusedSuppression) }
        let result = Linter(RuleSelection(only: only)).lint(context)
        let lines = LineIndex(bytes)
        return Outcome(
            diagnostics: result.diagnostics, hidden: result.suppressedCount, marks: offsets.map { lines.range(of: $0) },
            bytes: bytes)
    }

    private static func removingMarks(_ text: String) -> (bytes: [UInt8], offsets: [Range<Int>]) {
        var bytes: [UInt8] = []
        var starts: [Int] = []
        var offsets: [Range<Int>] = []
        for character in text {
            switch character {
            case "‹": starts.append(bytes.count)
            case "›": if let start = starts.popLast() { offsets.append(start..<bytes.count) }
            default: bytes += Array(String(character).utf8)
            }
        }
        return (bytes, offsets)
    }
}
