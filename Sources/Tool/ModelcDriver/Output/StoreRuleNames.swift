package import Diagnostics
internal import ModelLint

/// The rules of `modelc store check`, for the command.
package enum StoreRuleNames {
    /// Returns the rules with names or codes.
    ///
    /// - Throws: If a name is unknown, or that of another command's rule.
    package static func rules(_ names: [String]) throws(InputFailure) -> Set<RuleID> {
        var result: Set<RuleID> = []
        for name in names {
            guard let rule = RuleRegistry.description(named: name), RuleRegistry.storeDescriptions.contains(rule)
            else {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .unknownRule, "“\(name)” is not a rule of store check",
                            help: RuleRegistry.storeSuggestion(for: name).map { "Did you mean “\($0)”?" }
                                ?? "“modelc rules” lists the rules.")
                    ],
                    exitCode: .couldNotRun)
            }
            result.insert(rule.id)
        }
        return result
    }
}
