/// The names that templates can use. They are the contract with custom templates, described in
/// Documentation/Guides/Templates.md; a test compares the two.
package enum RenderName: String, CaseIterable, Sendable {
    // The run.
    case accessPrefix
    case classIsolation
    case coreDataImportPrefix
    case declaresManagedID
    case extraImports
    case fileName
    case foundationImportPrefix
    case hasFeatures
    case hasTypedFetches
    case hasTypeAliases
    case importPrefix
    case isManual
    case isolationPrefix
    case isRegenerated
    case memberIsolation
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
    case fetchRequests
    case finalPrefix
    case hasCustomAccessors
    case hasInitializer
    case hasManagedID
    case hasNestedKeys
    case hasParent
    case initializers
    case isAbstract
    case isIdentifiable
    case keyTypes
    case layout
    case objcName
    case relationships
    case superclassName
    case toManyRelationships
    // A property.
    case attributeType
    case capitalizedName
    case codableFunctions
    case codableProperty
    case codableType
    case collectionType
    case declaredName
    case defaultValue
    case deleteRule
    case destinationClassName
    case destinationEntityName
    case elementType
    case hasCustomAccessor
    case inverseName
    case isDerived
    case isOptional
    case isOrdered
    case isPropertyList
    case isReadOnly
    case isText
    case isToMany
    case isTransient
    case name
    case propertyType
    case rawType
    case readFailure
    case readGuard
    case readValue
    case slot
    case storedValue
    case swiftOptional
    case type
    case usesScalarType
    // An entry of a list: a parameter, a case, a function, a line of a comment.
    case cases
    case defaultArgument
    case documentation
    case initializerParameters
    case isFirst
    case isSetIfPresent
    case isThrowing
    case line
    case methodName
    case nameLiteral
    case resultType
    case setterName
    case variables
    // The userInfo of an entity or a property.
    case info
    case key
    case userInfo
    case value
}
