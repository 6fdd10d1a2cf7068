package import Diagnostics
package import ModelSchema

/// Something to know about a version that can be read, found in its sources.
package struct SchemaFinding: Sendable {
    /// The rule.
    package var rule: RuleID
    /// What is wrong, in one sentence without a full stop.
    package var message: String
    /// The declaration concerned.
    package var origin: ElementOrigin?
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?
    /// Other declarations that explain the finding.
    package var related: [(message: String, origin: ElementOrigin)] = []
}
