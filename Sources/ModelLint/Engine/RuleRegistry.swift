public import Diagnostics

/// All rules.
public enum RuleRegistry {
    /// The rules that look at a version, in the order of their codes.
    static let rules: [any LintRule] = [
        ToolsVersionMismatchRule(),
        VersionNamingRule(),
        UnusedVersionGapRule(),
        InverseMismatchRule(),
        InverseDestinationMismatchRule(),
        CascadeCycleRule(),
        CascadeManyToManyRule(),
        DenyBlocksCascadeRule(),
        OrderedToManyRule(),
        MinGreaterThanMaxCountRule(),
        CrossConfigurationRelationshipRule(),
        NonOptionalWithoutDefaultRule(),
        OptionalScalarRule(),
        ScalarDefaultHidesNullRule(),
        InsecureTransformerRule(),
        TransformableWithoutClassRule(),
        UndefinedTypeRule(),
        DefaultOutOfRangeRule(),
        MinGreaterThanMaxRule(),
        RegexInvalidRule(),
        ExternalStorageIndexedRule(),
        LargeBinaryRule(),
        DateDefaultLiteralRule(),
        DecimalLimitsRule(),
        LegacyIndexedAttributeRule(),
        DuplicateIndexRule(),
        RedundantPrefixIndexRule(),
        IndexOnUnknownPropertyRule(),
        IndexCoveredByUniqueRule(),
        ConstraintUnknownAttributeRule(),
        ConstraintOnRelationshipRule(),
        UnindexedFetchTemplateRule(),
        AbstractWithoutChildrenRule(),
        SingleTableWidthRule(),
        UnusedEntityRule(),
        DuplicateClassRule(),
        CodegenModuleMismatchRule(),
        EntityNameCaseRule(),
        PropertyNameCaseRule(),
        ReservedNameRule(),
        SwiftNameCollisionRule(),
        CaseOnlyDifferenceRule(),
        InvalidPredicateRule(),
        UnknownFetchEntityRule(),
        UnknownKeyPathRule(),
        ClassDeclaredByHandRule(),
        ClassMissingRule(),
        CloudKitUniqueConstraintRule(),
        CloudKitAttributeTypeRule(),
        CloudKitRequiredAttributeRule(),
        CloudKitRelationshipRule(),
    ]

    /// What all rules are, in the order of their codes.
    public static let descriptions: [RuleDescription] =
        (ReaderRules.descriptions + rules.map(\.description)).sorted { $0.code < $1.code }

    /// The names of the rules that are asked about versions here, and not where a model is read.
    public static var checkedNames: Set<String> { Set(rules.map(\.description.id)) }

    private static let byName: [String: RuleDescription] = Dictionary(
        descriptions.flatMap { [($0.id, $0), ($0.code.lowercased(), $0)] }
    ) { first, _ in first }

    /// The rule of a name or a code, in upper or lower case.
    public static func description(named name: String) -> RuleDescription? { byName[name.lowercased()] }

    /// The name of a rule that looks much like a text that is none; nil when none does.
    public static func suggestion(for name: String) -> String? {
        let name = name.lowercased()
        let nearest = descriptions.map { ($0.id, EditDistance.between(name, $0.id)) }.min { $0.1 < $1.1 }
        guard let nearest, nearest.1 <= max(2, name.count / 3) else { return nil }
        return nearest.0
    }
}
