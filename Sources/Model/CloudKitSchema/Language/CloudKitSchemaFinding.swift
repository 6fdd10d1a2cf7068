package import Diagnostics

/// A finding in a schema file. `SchemaDocument` converts it to a diagnostic.
package struct CloudKitSchemaFinding: Hashable, Sendable {
    package var severity: Severity
    /// The rule of the finding.
    package var rule: RuleID
    /// The problem, without a period.
    package var message: String
    /// The byte range.
    package var offsets: Range<Int>
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?

    /// Creates a finding.
    package init(
        severity: Severity, rule: RuleID, message: String, offsets: Range<Int>, why: String? = nil,
        help: String? = nil
    ) {
        self.severity = severity
        self.rule = rule
        self.message = message
        self.offsets = offsets
        self.why = why
        self.help = help
    }
}
