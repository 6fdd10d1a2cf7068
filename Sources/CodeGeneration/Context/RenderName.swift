/// The names that templates can use. They are the contract with templates of users, described in
/// Documentation/Templates.md; a test compares the two.
package enum RenderName: UInt8, CaseIterable, Sendable {
    // The run.
    case accessPrefix
    case fileName
    case hasTypeAliases
    case importPrefix
    case isManual
    case isolationPrefix
    case isRegenerated
    case semicolon
    case style
    // The model.
    case entities
    case modelName
    case modelPrefix
    case sourceName
    case versionName
    // An entity.
    case attributes
    case className
    case entityName
    case entityNameLiteral
    case fetchedProperties
    case hasParent
    case isAbstract
    case isIdentifiable
    case objcName
    case relationships
    case superclassName
    case toManyRelationships
    // A property.
    case attributeType
    case capitalizedName
    case collectionType
    case declaredName
    case defaultValue
    case deleteRule
    case destinationClassName
    case destinationEntityName
    case inverseName
    case isDerived
    case isOptional
    case isOrdered
    case isToMany
    case isTransient
    case name
    case type
    case usesScalarType
    // The userInfo of an entity or a property.
    case info
    case key
    case userInfo
    case value

    /// The name as templates write it.
    var text: String { String(describing: self) }

    /// The name that a text is, or nil.
    init?(text: some StringProtocol) {
        guard let name = Self.byText[String(text)] else { return nil }
        self = name
    }

    private static let byText = Dictionary(uniqueKeysWithValues: allCases.map { ($0.text, $0) })
}
