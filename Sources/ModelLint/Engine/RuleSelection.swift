package import Diagnostics

/// The rules to run, and the severities of their findings.
package struct RuleSelection: Sendable {
    /// How much the findings of a rule matter, by rule; nil switches it off.
    package var severities: [RuleID: Severity?]
    /// The only rules to run; nil for all that are not off.
    package var only: Set<RuleID>?
    /// Whether all rules run on versions that are not current.
    package var checksOldVersionsFully: Bool

    /// Creates a selection: the rules' own severities unless told otherwise.
    package init(
        severities: [RuleID: Severity?] = [:], only: Set<RuleID>? = nil, checksOldVersionsFully: Bool = false
    ) {
        self.severities = severities
        self.only = only
        self.checksOldVersionsFully = checksOldVersionsFully
    }

    /// Switches a rule on: with its own severity, or as a warning when it is off by default.
    package mutating func enable(_ rule: RuleDescription) {
        severities.updateValue(rule.defaultSeverity ?? .warning, forKey: rule.id)
    }

    /// Switches a rule off.
    package mutating func disable(_ rule: RuleDescription) {
        severities.updateValue(nil, forKey: rule.id)
    }

    /// How much the findings of a rule matter; nil when it is not asked.
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
