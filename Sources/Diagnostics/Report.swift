/// Everything one run has found, as reporters get it.
public struct Report: Sendable {
    /// The findings, in the order of a reader (`sortedByPlace()`).
    public var diagnostics: [Diagnostic]
    /// The descriptions of the rules, by `Diagnostic.rule`.
    public var rules: [RuleID: RuleDescription]
    /// The lines of the files, by path, for excerpts.
    public var lines: [String: LineIndex]
    /// The paths of the files that were checked, sorted; also those without findings.
    public var checkedFiles: [String]
    /// How many findings a suppression or the baseline hides.
    public var hiddenCount: Int
    /// The version of the tool.
    public var toolVersion: String

    /// Makes a report.
    public init(
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
