package import Diagnostics

/// A finding about a part of a model. `ModelDocument` (ModelSource) converts it to a diagnostic with a range.
package struct ModelFinding: Hashable, Sendable {
    package var severity: Severity
    /// The rule that was violated.
    package var rule: RuleID
    /// The problem, in one sentence without a period.
    package var message: String
    /// The affected element, or `nil` for the model as a whole.
    package var origin: ElementOrigin?
    /// The affected XML attribute of the element, or `nil` for the element as a whole.
    package var attribute: String?
    /// The field of Xcode's Data Model inspector where it is fixed, for example `Constraints`, or `nil`.
    package var inspectorField: String?
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?

    /// Creates a finding.
    package init(
        _ severity: Severity, rule: RuleID, _ message: String, at origin: ElementOrigin?, attribute: String? = nil,
        why: String? = nil, help: String? = nil
    ) {
        self.severity = severity
        self.rule = rule
        self.message = message
        self.origin = origin
        self.attribute = attribute
        self.why = why
        self.help = help
    }
}
