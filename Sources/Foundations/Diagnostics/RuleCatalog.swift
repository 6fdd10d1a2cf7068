/// Rules by name.
package struct RuleCatalog: Sendable {
    /// The descriptions of the rules that settings and suppressions can name.
    package let configurable: [RuleDescription]
    private let byID: [RuleID: RuleDescription]
    private let byName: [String: RuleDescription]

    /// Creates a catalog. The first of several rules with a name has it.
    package init(_ descriptions: [RuleDescription], configurable: [RuleDescription]) {
        self.configurable = configurable
        byID = Dictionary(descriptions.map { ($0.id, $0) }) { first, _ in first }
        let names = descriptions.flatMap { [($0.id.rawValue, $0), ($0.code.lowercased(), $0)] }
        byName = Dictionary(names) { first, _ in first }
    }

    package func description(of rule: RuleID) -> RuleDescription? { byID[rule] }

    /// Returns the description of the rule with a name or a code, case-insensitively.
    package func description(named name: String) -> RuleDescription? { byName[name.lowercased()] }

    /// Returns whether settings and suppressions apply to a rule.
    package func isConfigurable(_ rule: RuleDescription) -> Bool { configurable.contains { $0.id == rule.id } }

    /// Returns the name of a configurable rule closest to an unknown name, or `nil` if none is close.
    package func suggestion(for name: String) -> String? {
        EditDistance.closest(to: name, among: configurable.map(\.id.rawValue))
    }
}
