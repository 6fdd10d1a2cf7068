package import Diagnostics

/// Something found in a model, at a part of it. `ModelDocument` (ModelSource) turns it into a diagnostic with a range.
package struct ModelFinding: Hashable, Sendable {
    /// How much it matters.
    package var severity: Severity
    /// What kind of finding it is.
    package var rule: RuleID
    /// What is wrong, in one sentence without a full stop.
    package var message: String
    /// The element concerned, or nil for the model as a whole.
    package var origin: ElementOrigin?
    /// The XML attribute of the element that is concerned, or nil for the element as a whole.
    package var attribute: String?
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
