/// A setting of a model element that two versions can disagree about.
///
/// Raw values appear in `modelc diff --format json`.
package enum Field: String, Hashable, Sendable, CaseIterable {
    case name
    case renamingIdentifier
    case versionHashModifier
    case userInfo

    // Entities
    case parentEntity
    case isAbstract
    case className
    case codeGeneration
    case uniquenessConstraints
    case fetchIndexes
    case compoundIndexes
    case spotlightDisplayName

    // Properties
    case isOptional
    case isTransient
    case isIndexed
    case isIndexedBySpotlight
    case isStoredInTruthFile
    case isSyncable

    // Attributes
    case type
    case defaultValue
    case minimum
    case maximum
    case regularExpression
    case usesScalarType
    case valueTransformer
    case customClass
    case allowsExternalBinaryStorage
    case allowsCloudEncryption
    case isPreservedAfterDeletion
    case derivation
    case composite

    // Relationships
    case destination
    case inverse
    case isToMany
    case isOrdered
    case minimumCount
    case maximumCount
    case deleteRule

    // Fetched properties, fetch requests
    case fetchRequest

    // Configurations, composite types
    case entities
    case usedWithCloudKit
    case attributes

    // Models
    case versionIdentifier
    case sourceLanguage
    case minimumToolsVersion

    /// The setting's name in messages, as in Xcode's inspector if it has a field for it.
    package var title: String {
        switch self {
        case .name: "name"
        case .renamingIdentifier: "renaming identifier"
        case .versionHashModifier: "hash modifier"
        case .userInfo: "user info"
        case .parentEntity: "parent entity"
        case .isAbstract: "abstract"
        case .className: "class"
        case .codeGeneration: "codegen"
        case .uniquenessConstraints: "constraints"
        case .fetchIndexes: "fetch indexes"
        case .compoundIndexes: "compound indexes"
        case .spotlightDisplayName: "Spotlight display name"
        case .isOptional: "optional"
        case .isTransient: "transient"
        case .isIndexed: "indexed"
        case .isIndexedBySpotlight: "indexed by Spotlight"
        case .isStoredInTruthFile: "stored in external record file"
        case .isSyncable: "syncable"
        case .type: "type"
        case .defaultValue: "default value"
        case .minimum: "minimum"
        case .maximum: "maximum"
        case .regularExpression: "regular expression"
        case .usesScalarType: "scalar type"
        case .valueTransformer: "transformer"
        case .customClass: "custom class"
        case .allowsExternalBinaryStorage: "external storage"
        case .allowsCloudEncryption: "CloudKit encryption"
        case .isPreservedAfterDeletion: "preserve after deletion"
        case .derivation: "derivation"
        case .composite: "composite type"
        case .destination: "destination"
        case .inverse: "inverse"
        case .isToMany: "to-many"
        case .isOrdered: "ordered"
        case .minimumCount: "minimum count"
        case .maximumCount: "maximum count"
        case .deleteRule: "delete rule"
        case .fetchRequest: "fetch request"
        case .entities: "entities"
        case .usedWithCloudKit: "used with CloudKit"
        case .attributes: "attributes"
        case .versionIdentifier: "version identifier"
        case .sourceLanguage: "source language"
        case .minimumToolsVersion: "minimum tools version"
        }
    }

    /// Whether version hashes cover the setting (except for derived attributes, whose hash covers only the derivation).
    package var isHashTerm: Bool {
        switch self {
        case .name, .versionHashModifier, .parentEntity, .isAbstract, .uniquenessConstraints, .isOptional, .isTransient,
            .type, .allowsExternalBinaryStorage, .isPreservedAfterDeletion, .derivation, .composite, .destination,
            .inverse, .isOrdered, .minimumCount, .maximumCount:
            true
        default: false
        }
    }
}

/// A setting with different values in two versions.
package struct FieldChange: Hashable, Sendable {
    /// The setting.
    package var field: Field
    /// The value in the first version; `nil` if it has none.
    package var old: String?
    /// The value in the second version; `nil` if it has none.
    package var new: String?
    /// Whether the change affects the element's version hash.
    package var changesHash: Bool

    /// Creates a change.
    package init(field: Field, old: String?, new: String?, changesHash: Bool) {
        self.field = field
        self.old = old
        self.new = new
        self.changesHash = changesHash
    }

    /// The change in the opposite direction.
    package var inverted: FieldChange {
        FieldChange(field: field, old: new, new: old, changesHash: changesHash)
    }
}
