public import Diagnostics

/// Something found in a model, at a part of it. `ModelDocument` (ModelSource) turns it into a diagnostic with a range.
public struct ModelFinding: Hashable, Sendable {
    /// How much it matters.
    public var severity: Severity
    /// What kind of finding it is.
    public var rule: RuleID
    /// What is wrong, in one sentence without a full stop.
    public var message: String
    /// The element concerned, or nil for the model as a whole.
    public var origin: ElementOrigin?
    /// The XML attribute of the element that is concerned, or nil for the element as a whole.
    public var attribute: String?
    /// Why it matters.
    public var why: String?
    /// What to do about it.
    public var help: String?

    /// Makes a finding.
    public init(
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
