/// Everything one run has found, as reporters get it.
package struct Report: Sendable {
    /// The findings, in the order of a reader (`sortedByPlace()`).
    package var diagnostics: [Diagnostic]
    /// The descriptions of the rules, by `Diagnostic.rule`.
    package var rules: [RuleID: RuleDescription]
    /// The lines of the files, by path, for excerpts.
    package var lines: [String: LineIndex]
    /// The paths of the files that were checked, sorted; also those without findings.
    package var checkedFiles: [String]
    /// How many findings a suppression or the baseline hides.
    package var hiddenCount: Int
    /// The version of the tool.
    package var toolVersion: String

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
