package import Diagnostics

/// Something found in a schema file. `SchemaDocument` turns it into a diagnostic.
package struct SchemaFinding: Hashable, Sendable {
    /// How much it matters.
    package var severity: Severity
    /// What kind of finding it is.
    package var rule: RuleID
    /// What is wrong, without a full stop.
    package var message: String
    /// Where it stands, in bytes.
    package var offsets: Range<Int>
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?

    /// Creates a finding.
    package init(
        _ severity: Severity, _ rule: RuleID, _ message: String, _ offsets: Range<Int>, why: String? = nil,
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
