/// The names of XML attributes that models have (xcdatamodel-vocabulary.md, 2).
///
/// The parser turns a name into one of these once for a document, so that reading compares numbers, not text.
enum XMLName: UInt8, CaseIterable, Sendable {
    case allowsCloudEncryption
    case allowsExternalBinaryDataStorage
    case attributeType
    case codeGenerationType
    case composite
    case customClassName
    case defaultDateTimeInterval
    case defaultValueString
    case deletionRule
    case derivationExpression
    case derived
    case destinationEntity
    case documentVersion
    case elementID
    case entity
    case expression
    case fetchBatchSize
    case fetchLimit
    case height
    case includePropertyValues
    case includesPendingChanges
    case includeSubentities
    case indexed
    case inverseEntity
    case inverseName
    case iOSVersion
    case isAbstract
    case key
    case lastSavedToolsVersion
    case macOSVersion
    case maxCount
    case maxDateTimeInterval
    case maxValueString
    case minCount
    case minDateTimeInterval
    case minimumToolsVersion
    case minValueString
    case name
    case optional
    case order
    case ordered
    case parentEntity
    case partialIndexPredicate
    case positionX
    case positionY
    case predicateString
    case preserveAfterDeletion
    case property
    case regularExpressionString
    case representedClassName
    case resultType
    case returnDistinctResults
    case returnObjectsAsFaults
    case sourceLanguage
    case spotlightIndexingEnabled
    case storedInTruthFile
    case syncable
    case systemVersion
    case toMany
    case transient
    case type
    case usedWithCloudKit
    case usedWithSwiftData
    case userDefinedModelVersionIdentifier
    case usesScalarValueType
    case value
    case valueTransformerName
    case versionHashModifier
    case width

    /// The name as files write it.
    var text: String { String(describing: self) }

    /// The name that a text is, or nil for one that models do not have.
    init?(text: String) {
        guard let name = Self.byText[text] else { return nil }
        self = name
    }

    private static let byText = Dictionary(uniqueKeysWithValues: allCases.map { ($0.text, $0) })
}
