/// The findings of a run, as the input of reporters.
package struct Report: Sendable {
    /// The findings, sorted (`sortedByPlace()`).
    package var diagnostics: [Diagnostic]
    /// The descriptions of the rules, by `Diagnostic.rule`.
    package var rules: [RuleID: RuleDescription]
    /// The lines of the files, by path, for excerpts.
    package var lines: [String: LineIndex]
    /// The sorted paths of all checked files, including those without findings.
    package var checkedFiles: [String]
    /// The number of findings that suppressions and the baseline hide.
    package var hiddenCount: Int
    /// The version of the tool.
    package var toolVersion: String
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
