package import Diagnostics

/// All rules.
package enum RuleRegistry {
    /// The rules that check a version, in the order of their codes.
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
        IndexWithoutColumnRule(),
        IndexCoveredByUniqueRule(),
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
        PeriodInNameRule(),
        UnknownKeyPathRule(),
        ClassDeclaredByHandRule(),
        ClassMissingRule(),
        ClassMismatchRule(),
        CloudKitUniqueConstraintRule(),
        CloudKitAttributeTypeRule(),
        CloudKitRequiredAttributeRule(),
        CloudKitRelationshipRule(),
        CloudKitReservedNameRule(),
        CloudKitNameRule(),
        CloudKitCaseCollisionRule(),
        CloudKitInheritanceClashRule(),
        CloudKitConfigurationCrossingRule(),
        CloudKitEncryptionRule(),
        CloudKitRenameRule(),
    ]

    /// The descriptions of every finding that modelc prints, in the order of their codes.
    package static let descriptions: [RuleDescription] =
        (ReaderRules.descriptions + CompilerRules.descriptions + rules.map(\.description) + MappingRules.descriptions
        + ProjectRules.descriptions
        + CommandFindings.descriptions + EvolutionRules.descriptions + CloudKitFindings.descriptions
        + SwiftDataRules.descriptions + StoreRules.descriptions).sorted {
            $0.code < $1.code
        }

    /// The CloudKit rules that check versions.
    package static let cloudKitRules: Set<RuleID> = Set(
        rules.map(\.description).filter { $0.profile == "cloudkit" }.map(\.id))

    /// The descriptions of the findings of `modelc lint`, which settings can configure.
    package static let lintDescriptions: [RuleDescription] = descriptions.filter { $0.commands == nil }

    /// The rules of a command's findings, whose entries in a baseline the command replaces.
    ///
    /// - Parameter command: The command's name in the rules' descriptions, such as `breaking`; `nil` for `modelc lint`.
    package static func rules(of command: String?) -> Set<RuleID> {
        guard let command else { return Set(lintDescriptions.map(\.id)) }
        return Set(descriptions.filter { $0.commands?.contains("`\(command)`") ?? false }.map(\.id))
    }

    /// The descriptions of the findings that settings can configure: those of `modelc lint`, `modelc breaking` and
    /// `modelc cloudkit check`.
    package static var configurableDescriptions: [RuleDescription] { catalog.configurable }

    /// The descriptions of the findings of `modelc store check`.
    package static let storeDescriptions: [RuleDescription] = StoreRules.descriptions

    /// The rules that are checked by the linter or the compiler, rather than by the reader of a model.
    package static var checkedRules: Set<RuleID> {
        Set((rules.map(\.description) + CompilerRules.descriptions).map(\.id))
    }

    /// The rules by name.
    package static let catalog = RuleCatalog(descriptions, configurable: descriptions.filter(\.isConfigurable))

    /// Returns the description of a rule. Every identifier has one, which a test checks.
    package static func description(of rule: RuleID) -> RuleDescription? { catalog.description(of: rule) }

    /// Returns the description of the finding with a name or a code, case-insensitively.
    package static func description(named name: String) -> RuleDescription? { catalog.description(named: name) }

    /// Returns the name of the rule of `modelc store check` closest to an unknown name, or `nil` if none is close.
    package static func storeSuggestion(for name: String) -> String? {
        EditDistance.closest(to: name, among: storeDescriptions.map(\.id.rawValue))
    }

    /// Returns the lint rule name closest to an unknown name, or `nil` if none is close.
    package static func suggestion(for name: String) -> String? { catalog.suggestion(for: name) }
}
