package import Diagnostics
package import ModelSchema

/// A finding in the sources of a version that can be read.
package struct DeclarationFinding: Sendable {
    package var rule: RuleID
    /// The problem, in one sentence without a period.
    package var message: String
    /// The affected declaration.
    package var origin: ElementOrigin?
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?
    /// Other declarations that explain the finding.
    package var related: [(message: String, origin: ElementOrigin)] = []
}
