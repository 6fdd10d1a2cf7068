import Diagnostics
import ModelLint
import ModelSource

/// What a rule should say of a model.
///
/// In the text of a model, `‹` and `›` stand around each place where the rule should find something, and `⟦⟧` stands where a
/// `userInfo` element can be put that hides it.
struct RuleCase: Sendable, CustomStringConvertible {
    /// The rule's name.
    var rule: RuleID
    /// A model in which the rule finds something: what stands between `<model>` and `</model>`.
    var finding: String
    /// A part of the message of the first finding.
    var message: String
    /// A model much like it in which the rule finds nothing.
    var clean: String
    /// The model of `finding` after its fixes; nil when there is no fix.
    var fixed: String?
    /// Whether CloudKit's profile is asked for.
    var isForCloudKit = false
    /// Classes in the sources of the target, with their lines.
    var classes: [String: Int]?
    /// The attributes of the model's own tag.
    var modelAttributes = "documentVersion=\"1.0\""
    /// The same after the fix.
    var fixedModelAttributes: String?
    /// The names of all versions when something is found; the one that is looked at is called `Model`. The finding is then at
    /// the model's own tag.
    var versionNames: [String]?

    var description: String { "\(rule): \(message)" }

    /// What was found in a text, and where the marks stand.
    struct Outcome {
        var diagnostics: [Diagnostic]
        var hidden: Int
        var marks: [SourceRange]
        var bytes: [UInt8]
    }

    /// Asks the rule alone about a text.
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
            SourceClasses(declarations: classes.mapValues { .init(file: "Book.swift", line: $0) })
        }
        let context = LintContext(
            source: document, modelName: "Model", versionNames: isFinding ? versionNames ?? ["Model"] : ["Model"],
            isCurrent: isCurrent,
            isForCloudKit: isForCloudKit, sourceClasses: sources)
        var only: Set = [rule]
        // An entry that hides nothing would be reported otherwise.
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
