/// The findings of a run, as the input of reporters.
package struct Report: Sendable {
    /// The findings, sorted (`sortedByLocation()`).
    package var diagnostics: [Diagnostic]
    /// The findings as fingerprints identify them, in the same order; `nil` if they are `diagnostics`.
    package var identified: [Diagnostic]?
    /// The identities of the findings, in the same order.
    package var fingerprints: [Fingerprint] { Fingerprint.all(identified ?? diagnostics) }
    /// The descriptions of the rules, by `Diagnostic.rule`.
    package var rules: [RuleID: RuleDescription]
    /// The lines of the files, by path, for excerpts.
    package var lines: [String: LineIndex]
    /// The sorted paths of all checked files, including those without findings.
    package var checkedFiles: [String]
    /// The number of findings that suppressions and the baseline hide.
    package var hiddenCount: Int
    package var toolVersion: String
    /// The verdict, shown above the findings in text, Markdown and JSON.
    package var headlines: [Headline] = []
    /// The summaries of the checked stores, for the JSON report.
    package var stores: [JSONValue] = []

    /// Creates a report.
    package init(
        diagnostics: [Diagnostic], rules: [RuleID: RuleDescription], lines: [String: LineIndex],
        checkedFiles: [String], hiddenCount: Int, toolVersion: String
    ) {
        self.diagnostics = diagnostics
        self.rules = rules
        self.lines = lines
        self.checkedFiles = checkedFiles
        self.hiddenCount = hiddenCount
        self.toolVersion = toolVersion
    }
}

/// A line above the findings of a report: a name with its values.
package struct Headline: Hashable, Sendable {
    /// The name, such as `verdict`, which is also the key in JSON.
    package var name: String
    /// The values, printed on separate lines.
    package var values: [String]
    /// Whether JSON has a list, even of a single value.
    package var isList: Bool

    /// Creates a line with one value.
    package init(_ name: String, _ value: String) {
        self.name = name
        values = [value]
        isList = false
    }

    /// Creates a line for each value.
    package init(_ name: String, list values: [String]) {
        self.name = name
        self.values = values
        isList = true
    }

    /// The lines, each `name: value`.
    package var lines: [String] { values.map { "\(name): \($0)" } }

    /// The value as a member of a JSON object.
    var member: (key: String, value: JSONValue) {
        (name, isList ? .array(values.map { .string($0) }) : .optional(values.first))
    }
}
