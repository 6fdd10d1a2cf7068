/// The names that templates can use. They are the contract with templates of users, described in
/// Documentation/Templates.md; a test compares the two.
package enum RenderName: String, CaseIterable, Sendable {
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
    case declaresClass
    case entityName
    case entityNameLiteral
    case fetchedProperties
    case hasParent
    case isAbstract
    case isIdentifiable
    case layout
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
    case slot
    case type
    case usesScalarType
    // The userInfo of an entity or a property.
    case info
    case key
    case userInfo
    case value
}
