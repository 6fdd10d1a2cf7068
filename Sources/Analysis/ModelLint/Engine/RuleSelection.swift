package import Diagnostics

/// The rules to run, and the severities of their findings.
package struct RuleSelection: Sendable {
    /// The severity of findings by rule; `nil` turns a rule off.
    package var severities: [RuleID: Severity?]
    /// The only rules to run; `nil` runs every enabled rule.
    package var only: Set<RuleID>?
    /// Whether all rules run on versions that are not current.
    package var checksOldVersionsFully: Bool

    /// Creates a selection, by default with the rules' default severities.
    package init(
        severities: [RuleID: Severity?] = [:], only: Set<RuleID>? = nil, checksOldVersionsFully: Bool = false
    ) {
        self.severities = severities
        self.only = only
        self.checksOldVersionsFully = checksOldVersionsFully
    }

    /// Turns a rule on, with its default severity or, if it is off by default, as a warning.
    package mutating func enable(_ rule: RuleDescription) {
        severities.updateValue(rule.defaultSeverity ?? .warning, forKey: rule.id)
    }

    /// Turns a rule off.
    package mutating func disable(_ rule: RuleDescription) {
        severities.updateValue(nil, forKey: rule.id)
    }

    /// Returns the severity of a rule's findings; `nil` if the rule is not selected.
    package func severity(of rule: RuleDescription) -> Severity? {
        if let only {
            guard only.contains(rule.id) else { return nil }
            if case .some(.some(let severity)) = severities[rule.id] { return severity }
            return rule.defaultSeverity ?? .warning
        }
        if let chosen = severities[rule.id] { return chosen }
        return rule.defaultSeverity
    }
}
