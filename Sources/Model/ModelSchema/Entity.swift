/// An entity: the counterpart of a class in Swift, or of a table in a database.
package struct Entity: Hashable, Sendable {
    /// The entity's name.
    package var name: String
    /// The class of its objects (`representedClassName`).
    package var className: ClassName
    /// Whether the entity is abstract.
    package var isAbstract: Bool
    /// The name of the entity it inherits from, or `nil`.
    package var parentName: String?
    /// The files that Xcode generates for it.
    package var codeGeneration: CodeGenerationMode
    /// The name that identifies it in migrations (`elementID`), or `nil` if that is the entity's name.
    package var renamingIdentifier: String?
    /// Text that affects the version hash and nothing else, or `nil`.
    package var versionHashModifier: String?
    /// The expression for an object's display name in Spotlight (`coreSpotlightDisplayNameExpression`), or `nil`.
    package var spotlightDisplayNameExpression: String?
    /// The `syncable` flag that Xcode writes on every entity, or `nil` if it is absent.
    package var isSyncable: Bool?
    /// The attributes, without inherited ones.
    package var attributes: [Attribute]
    /// The relationships, without inherited ones.
    package var relationships: [Relationship]
    /// The fetched properties, without inherited ones.
    package var fetchedProperties: [FetchedProperty]
    /// The indexes of models up to Xcode 8.
    package var compoundIndexes: [CompoundIndex]
    /// The fetch indexes (Xcode 9 and later).
    package var fetchIndexes: [FetchIndex]
    /// The sets of properties whose values must be unique together.
    package var uniquenessConstraints: [UniquenessConstraint]
    /// The entity's `userInfo`.
    package var userInfo: [UserInfoEntry]
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates an entity without properties and without a custom class.
    package init(name: String) {
        self.name = name
        className = ClassName("")
        isAbstract = false
        codeGeneration = .manual
        attributes = []
        relationships = []
        fetchedProperties = []
        compoundIndexes = []
        fetchIndexes = []
        uniquenessConstraints = []
        userInfo = []
        unrecognized = []
    }
}

/// The choice of files that Xcode generates for an entity: the Codegen menu of its inspector.
package enum CodeGenerationMode: Hashable, Sendable {
    /// Manual/None: no files. The attribute is absent, or `none` in files not written by Xcode.
    case manual
    /// Class Definition (`class`): the class and its properties.
    case classDefinition
    /// Category/Extension (`category`): the properties only; the class is handwritten.
    case category
    /// A value that no Xcode up to 27 writes. Treated as `manual`.
    case unknown(String)

    /// Creates a mode from the value of `codeGenerationType`; `nil` if the attribute is absent.
    package init(xmlValue: String?) {
        switch xmlValue {
        case nil, "none": self = .manual
        case "class": self = .classDefinition
        case "category": self = .category
        case .some(let value): self = .unknown(value)
        }
    }

    /// The name that Xcode's inspector shows.
    package var inspectorName: String {
        switch self {
        case .manual, .unknown: "Manual/None"
        case .classDefinition: "Class Definition"
        case .category: "Category/Extension"
        }
    }
}
