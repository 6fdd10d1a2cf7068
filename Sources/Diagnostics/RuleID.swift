/// The stable identifier of a kind of finding.
///
/// Every identifier that can be printed is a case here, so that none can be misspelled, and `RuleRegistry` (ModelLint)
/// describes each of them for `modelc explain` and `Documentation/Rules.md`. Raw values appear in suppressions, settings,
/// baselines and reports: renaming one breaks them.
package enum RuleID: String, CaseIterable, Sendable {
    // MARK: Structure

    case notAModel = "not-a-model"
    case notWellFormed = "not-well-formed"
    case truncated
    case conflictMarkers = "conflict-markers"
    case entityDeclaration = "entity-declaration"
    case tooDeep = "too-deep"
    case tooManyAttributes = "too-many-attributes"
    case unknownXML = "unknown-xml"
    case malformedValue = "malformed-value"
    case missingName = "missing-name"
    case duplicateName = "duplicate-name"
    case unknownParent = "unknown-parent"
    case inheritanceCycle = "inheritance-cycle"
    case unknownType = "unknown-type"
    case noVersions = "no-versions"
    case noCurrentVersion = "no-current-version"
    case currentVersionMissingFile = "current-version-missing-file"
    case malformedCurrentVersion = "malformed-current-version"
    case inheritanceTooDeep = "inheritance-too-deep"
    case toolsVersionMismatch = "tools-version-mismatch"
    case versionNaming = "version-naming"
    case unusedVersionGap = "unused-version-gap"
    case fileSystem = "file-system"
    case fileTooLarge = "file-too-large"
    case unusedSuppression = "unused-suppression"
    case legacyBinaryVersion = "legacy-binary-version"
    case notUTF8 = "not-utf8"
    case unsupportedEncoding = "unsupported-encoding"

    // MARK: Relationships

    case missingInverse = "missing-inverse"
    case inverseMismatch = "inverse-mismatch"
    case inverseDestinationMismatch = "inverse-destination-mismatch"
    case noActionDeleteRule = "no-action-delete-rule"
    case cascadeCycle = "cascade-cycle"
    case cascadeToManyToMany = "cascade-to-many-to-many"
    case denyBlocksCascade = "deny-blocks-cascade"
    case orderedToMany = "ordered-to-many"
    case minCountGreaterThanMax = "min-count-greater-than-max"
    case crossConfigurationRelationship = "cross-configuration-relationship"
    case missingDestination = "missing-destination"
    case unknownDestination = "unknown-destination"
    case transientInverse = "transient-inverse"

    // MARK: Attributes

    case nonOptionalWithoutDefault = "non-optional-without-default"
    case optionalScalar = "optional-scalar"
    case scalarDefaultHidesNull = "scalar-default-hides-null"
    case insecureTransformer = "insecure-transformer"
    case transformableWithoutClass = "transformable-without-class"
    case undefinedType = "undefined-type"
    case defaultOutOfRange = "default-out-of-range"
    case minGreaterThanMax = "min-greater-than-max"
    case regexInvalid = "regex-invalid"
    case externalStorageIndexed = "external-storage-indexed"
    case largeBinaryWithoutExternalStorage = "large-binary-without-external-storage"
    case dateDefaultLiteral = "date-default-literal"
    case decimalMinmax = "decimal-minmax"

    // MARK: Indexes

    case legacyIndexedAttribute = "legacy-indexed-attribute"
    case duplicateIndex = "duplicate-index"
    case redundantPrefixIndex = "redundant-prefix-index"
    case indexOnUnknownProperty = "index-on-unknown-property"
    case indexCoveredByUnique = "index-covered-by-unique"
    case constraintUnknownAttribute = "constraint-unknown-attribute"
    case constraintOnRelationship = "constraint-on-relationship"
    case unindexedFetchTemplate = "unindexed-fetch-template"
    case indexWithoutColumn = "index-without-column"

    // MARK: Entities

    case abstractWithoutChildren = "abstract-without-children"
    case singleTableInheritanceWidth = "single-table-inheritance-width"
    case unusedEntity = "unused-entity"
    case duplicateClass = "duplicate-class"
    case codegenModuleMismatch = "codegen-module-mismatch"
    case tooManyProperties = "too-many-properties"

    // MARK: Naming

    case entityNameCase = "entity-name-case"
    case propertyNameCase = "property-name-case"
    case reservedName = "reserved-name"
    case nameCollisionSwift = "name-collision-swift"
    case caseOnlyDifference = "case-only-difference"

    // MARK: Fetching

    case invalidPredicate = "invalid-predicate"
    case unknownFetchEntity = "unknown-fetch-entity"
    case unknownKeyPath = "unknown-key-path"
    case invalidDerivation = "invalid-derivation"
    case unknownDerivationKeyPath = "unknown-derivation-key-path"

    // MARK: Sources

    case classDeclaredByHand = "class-declared-by-hand"
    case classMissing = "class-missing"

    // MARK: Mapping models

    case notAMappingModel = "not-a-mapping-model"
    case malformedMapping = "malformed-mapping"
    case orphanedMapping = "orphaned-mapping"
    case missingMappedModel = "missing-mapped-model"
    case unreadableModelCopy = "unreadable-model-copy"
    case staleModelCopy = "stale-model-copy"
    case unreadableMappingExpression = "unreadable-mapping-expression"
    case unknownMappedEntity = "unknown-mapped-entity"
    case unknownMappedProperty = "unknown-mapped-property"
    case unmappedProperty = "unmapped-property"
    case mappingWithoutExpression = "mapping-without-expression"
    case duplicateMapping = "duplicate-mapping"
    case unknownMappingName = "unknown-mapping-name"
    case bareMappingKeyPath = "bare-mapping-key-path"
    case policyClassPlaceholder = "policy-class-placeholder"
    case incompleteMappingSource = "incomplete-mapping-source"

    // MARK: CloudKit

    case cloudkitUniqueConstraint = "cloudkit-unique-constraint"
    case cloudkitAttributeType = "cloudkit-attribute-type"
    case cloudkitRequiredAttribute = "cloudkit-required-attribute"
    case cloudkitRelationship = "cloudkit-relationship"
    case cloudkitReservedName = "cloudkit-reserved-name"
    case cloudkitName = "cloudkit-name"
    case cloudkitCaseCollision = "cloudkit-case-collision"
    case cloudkitInheritanceClash = "cloudkit-inheritance-clash"
    case cloudkitConfigurationCrossing = "cloudkit-configuration-crossing"
    case cloudkitEncryption = "cloudkit-encryption"
    case cloudkitRename = "cloudkit-rename"
    case cloudkitNotDeployed = "cloudkit-not-deployed"
    case cloudkitTypeChanged = "cloudkit-type-changed"
    case cloudkitRenamed = "cloudkit-renamed"
    case cloudkitOrphan = "cloudkit-orphan"
    case cloudkitLargeValue = "cloudkit-large-value"
    case cloudkitIncomplete = "cloudkit-incomplete"
    case cloudkitIndexMissing = "cloudkit-index-missing"
    case cloudkitSyntax = "cloudkit-syntax"
    case cloudkitUnknownElement = "cloudkit-unknown-element"
    case cloudkitDuplicate = "cloudkit-duplicate"
    case cloudkitInvalidField = "cloudkit-invalid-field"
    case cloudkitUnproven = "cloudkit-unproven"

    // MARK: Evolution

    case releasedVersionEdited = "released-version-edited"
    case releasedVersionDeleted = "released-version-deleted"
    case releasedVersionRolledBack = "released-version-rolled-back"
    case currentVersionWentBack = "current-version-went-back"
    case equalVersionHashes = "equal-version-hashes"
    case notLightweight = "not-lightweight"
    case renameWithoutIdentifier = "rename-without-identifier"
    case renamingIdentifierCollision = "renaming-identifier-collision"
    case cloudkitNotAdditive = "cloudkit-not-additive"
    case droppedValues = "dropped-values"
    case gitRevision = "git-revision"
    case lockOutOfDate = "lock-out-of-date"
    case malformedLock = "malformed-lock"
    case malformedProject = "malformed-project"
    case unreadableVersion = "unreadable-version"
    case migrationImpossible = "migration-impossible"
    /// A mapping model of the project serves no pair of versions.
    case unusedMapping = "unused-mapping"

    // MARK: Findings of commands

    case ambiguousKey = "ambiguous-key"
    case brokenTemplate = "broken-template"
    case cannotEncode = "cannot-encode"
    case codeNameCollision = "code-name-collision"
    case configuration
    case duplicateModel = "duplicate-model"
    case duplicateSource = "duplicate-source"
    case fetchRequestCast = "fetch-request-cast"
    case fileExists = "file-exists"
    case format
    case invalidCodeOption = "invalid-code-option"
    case invalidName = "invalid-name"
    case invalidType = "invalid-type"
    case keywordName = "keyword-name"
    case lostWhenCompiled = "lost-when-compiled"
    case malformedArchive = "malformed-archive"
    case malformedBaseline = "malformed-baseline"
    case manifestNotEditable = "manifest-not-editable"
    case mergeConflict = "merge-conflict"
    case migrationFailed = "migration-failed"
    case missingExternalData = "missing-external-data"
    case missingTool = "missing-tool"
    case modelNotExcluded = "model-not-excluded"
    case needsManualEdit = "needs-manual-edit"
    case noClassName = "no-class-name"
    case noModelInStore = "no-model-in-store"
    case noModels = "no-models"
    case noSuchConfiguration = "no-such-configuration"
    case noSuchEntity = "no-such-entity"
    case noSuchFile = "no-such-file"
    case noSources = "no-sources"
    case noSuchVersion = "no-such-version"
    case noTemplates = "no-templates"
    case notAStore = "not-a-store"
    case objectiveCAttribute = "objective-c-attribute"
    case overrideInExtension = "override-in-extension"
    case rewriteMismatch = "rewrite-mismatch"
    case sourceLanguage = "source-language"
    case sourceMismatch = "source-mismatch"
    case sourceStaysExcluded = "source-stays-excluded"
    case uncalledKeyMethod = "uncalled-key-method"
    case unknownArchivePart = "unknown-archive-part"
    case unknownComposite = "unknown-composite"
    case unknownManagedFunction = "unknown-managed-function"
    case unknownManagedProperty = "unknown-managed-property"
    case unknownRule = "unknown-rule"
    case unprovenArchiveForm = "unproven-archive-form"
    case unreadableModelCache = "unreadable-model-cache"
    case unsatisfiableModel = "unsatisfiable-model"
    case unsupportedArchivePart = "unsupported-archive-part"
    case unsupportedFetchIndex = "unsupported-fetch-index"
    case unsupportedManagedFunction = "unsupported-managed-function"
    case unsupportedManagedProperty = "unsupported-managed-property"
    case unsupportedPredicate = "unsupported-predicate"
    case untypedVariable = "untyped-variable"

    // MARK: SwiftData

    case swiftSourceUnreadable = "swift-source-unreadable"
    case swiftDataUnsupported = "swiftdata-unsupported"
    case swiftDataLimit = "swiftdata-limit"
    case swiftDataHash = "swiftdata-hash"
    case swiftDataRequiredInverse = "swiftdata-required-inverse"
    case swiftDataAmbiguousInverse = "swiftdata-ambiguous-inverse"
    case swiftDataUnnamedInverse = "swiftdata-unnamed-inverse"
    case swiftDataLiveDeclaration = "swiftdata-live-declaration"
    case swiftDataSharedValue = "swiftdata-shared-value"
    case swiftDataUnlistedModel = "swiftdata-unlisted-model"
    case swiftDataDuplicateModel = "swiftdata-duplicate-model"
}
