internal import Diagnostics

/// The rules for Core Data models that also apply to SwiftData models. The others are about settings that an
/// `.xcdatamodel` has and code does not, such as scalar types and code generation.
enum SwiftDataApplicability {
    private static let rules: Set<RuleID> = [
        .cascadeCycle, .denyBlocksCascade, .duplicateIndex, .redundantPrefixIndex,
        .indexOnUnknownProperty, .indexCoveredByUnique, .largeBinaryWithoutExternalStorage, .reservedName,
        .caseOnlyDifference,
        .insecureTransformer,
    ]

    /// Returns whether a rule applies to SwiftData models.
    static func includes(_ rule: RuleDescription) -> Bool {
        includes(rule.id) || rule.profile == "cloudkit"
    }

    /// Returns whether a rule applies to SwiftData models, in addition to those for CloudKit.
    static func includes(_ rule: RuleID) -> Bool { rules.contains(rule) }
}
