internal import Diagnostics

/// The findings of `modelc store check`. Settings and suppressions of `modelc lint` have no effect on them.
enum StoreRules {
    static let descriptions: [RuleDescription] =
        (StoreFileRules.descriptions + StoredRowRules.descriptions + StoredValueRules.descriptions
        + StoreHistoryRules.descriptions).map { description in
            var description = description
            description.fix = StoreRepairs.safety[description.id]
            return description
        }

    static func rule(
        _ id: RuleID, code: String, group: String, title: String, explanation: String, fix remedy: String,
        _ severity: Severity
    ) -> RuleDescription {
        RuleDescription(
            id: id, code: code, group: group, title: title, explanation: explanation, remedy: remedy,
            defaultSeverity: severity, commands: "`store check`")
    }
}
