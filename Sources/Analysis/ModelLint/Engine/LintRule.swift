package import Diagnostics

/// A rule that models are checked against. Each rule has its own file.
///
/// A rule is a value without state and may be used on any thread.
package protocol LintRule: Sendable {
    var description: RuleDescription { get }
    /// Whether the rule checks only the current version by default. Released versions can no longer change, so style
    /// findings there are noise; build-breaking ones are not.
    var isForCurrentVersionOnly: Bool { get }
    /// Checks a version and reports the findings.
    func check(_ context: LintContext, _ report: (RuleFinding) -> Void)
}

extension LintRule {
    /// Versions that are not current are checked only for errors.
    package var isForCurrentVersionOnly: Bool { description.defaultSeverity != .error }
}
