package import ModelSchema

/// Creates the objects that templates are rendered with (`RenderName` lists the names).
package struct RenderContext: Sendable {
    private let model: Model
    let options: GenerationOptions
    private let classNames: [String: String]
    let entitiesByName: [String: Entity]
    /// The code customizations from keys in the model, by entity name.
    let customizations: [String: EntityCustomization]
    /// The names of the entities that have subentities.
    let parentNames: Set<String>
    /// The names of the entities that code is generated for.
    let generatedNames: Set<String>
    /// The values that are the same for every file of the run.
    let common: RenderObject

    /// Creates the context of a model.
    package init(model: Model, source: GenerationSource, options: GenerationOptions) {
        let reader = CustomizationReader(model, options: options, types: nil)
        self.init(
            model: model, source: source, options: options, customizations: reader.entities,
            generatedNames: Set(model.entities.map(\.name)))
    }

    /// Creates the context of a model whose keys were read.
    init(
        model: Model, source: GenerationSource, options: GenerationOptions,
        customizations: [String: EntityCustomization], generatedNames: Set<String>
    ) {
        self.model = model
        self.customizations = customizations
        self.generatedNames = generatedNames
        parentNames = Set(model.entities.compactMap(\.parentName))
        self.options = options
        // The first of two entities with the same name is used; the second is reported elsewhere.
        classNames = Dictionary(model.entities.map { ($0.name, $0.swiftClassName) }) { first, _ in first }
        entitiesByName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        common = Self.commonObject(versionName: model.name, source: source, options: options)
    }

    /// Returns the object of each entity, in the order of the model. Files of an entity are rendered with one of these
    /// as the parent.
    package func entityObjects() -> [RenderObject] {
        model.entities.map { entityObject($0) }
    }

    /// Returns the object for the file of the whole model: the common names and all entities.
    package func modelObject(fileName: String, entities: [RenderObject]) -> RenderObject {
        let model = RenderObject(parent: common) { $0 == .entities ? .list(entities) : nil }
        return fileObject(
            fileName, isRegenerated: true, over: model,
            imports: importValues(
                [], usesCoreData: options.features.contains(.ids) && options.declaresManagedID))
    }

    /// Returns the object for the single portable file of a model: the common names and the entities that have code.
    ///
    /// - Parameter entities: The entities, their objects, and whether their class is declared.
    package func portableObject(
        fileName: String, entities: [(entity: Entity, object: RenderObject, declaresClass: Bool)]
    ) -> RenderObject {
        let objects = entities.map { entity in
            RenderObject(parent: entity.object) { $0 == .declaresClass ? .bool(entity.declaresClass) : nil }
        }
        let model = RenderObject(parent: common) { $0 == .entities ? .list(objects) : nil }
        return fileObject(
            fileName, isRegenerated: true, over: model,
            imports: importValues(entities.map(\.entity), usesCoreData: true))
    }

    /// Returns the object for the comment at the start of a file.
    func headerObject(fileName: String, isRegenerated: Bool) -> RenderObject {
        fileObject(fileName, isRegenerated: isRegenerated, over: common) { _ in nil }
    }

    /// Returns the object for a file of an entity.
    func fileObject(
        _ file: GeneratedFile.Kind, named fileName: String, isRegenerated: Bool, of entity: Entity,
        _ object: RenderObject
    ) -> RenderObject {
        let isClass = file == .classDefinition
        let usesCoreData = !isClass || className(ofEntity: entity.parentName) == "NSManagedObject"
        return fileObject(
            fileName, isRegenerated: isRegenerated, over: object,
            imports: importValues(isClass ? [] : [entity], usesCoreData: usesCoreData))
    }

    /// Returns the object for a file, whose parent is that of an entity or of the model.
    private func fileObject(
        _ fileName: String, isRegenerated: Bool, over parent: RenderObject,
        imports: @escaping @Sendable (RenderName) -> RenderValue?
    ) -> RenderObject {
        RenderObject(parent: parent) { name in
            switch name {
            case .fileName: .string(fileName)
            case .isRegenerated: .bool(isRegenerated)
            default: imports(name)
            }
        }
    }

    private static func commonObject(
        versionName: String, source: GenerationSource, options: GenerationOptions
    ) -> RenderObject {
        let style = options.style
        let modelPrefix = SwiftIdentifier.prefix(from: source.modelName)
        return RenderObject { name in
            switch name {
            case .accessPrefix: .string(options.access.prefix)
            case .classIsolation: .string(options.isolation == .nonisolated ? "nonisolated " : "")
            case .declaresManagedID: .bool(options.features.contains(.ids) && options.declaresManagedID)
            case .hasTypeAliases: .bool(style.exportsImports && options.imports == nil)
            case .hasFeatures: .bool(!options.features.isEmpty)
            case .hasTypedFetches: .bool(options.features.contains(.fetches))
            case .importPrefix: .string(importPrefix(options))
            case .isManual: .bool(options.mode == .manual)
            case .isolationPrefix: .string(Self.isNonisolated(options) ? "nonisolated " : "")
            case .memberIsolation: .string(options.isolation == IsolationStyle.none ? "" : "nonisolated ")
            case .modelName: .string(source.modelName)
            case .modelPrefix: .string(modelPrefix)
            case .semicolon: .string(style.endsFetchRequestWithSemicolon ? ";" : "")
            case .sourceName: .string(source.fileName)
            case .style: .string(style.rawValue)
            case .versionName: .string(versionName)
            default: nil
            }
        }
    }

    private static func isNonisolated(_ options: GenerationOptions) -> Bool {
        options.isolation.map { $0 == .nonisolated } ?? options.style.isNonisolated
    }

    func className(ofEntity name: String?) -> String {
        name.flatMap { classNames[$0] } ?? "NSManagedObject"
    }

    private func entityObject(_ entity: Entity) -> RenderObject {
        let className = entity.swiftClassName
        let superclassName = customizations[entity.name]?.baseClass ?? self.className(ofEntity: entity.parentName)
        // Only portable code contains slots.
        let slots = options.flavor == .portable ? SlotLayout(of: entity, parents: entitiesByName) : nil
        let attributes = RenderValue.list(
            entity.attributes.map { attributeObject(text($0, in: entity), slot: slots?.number(of: $0.name)) })
        let documentation = customizations[entity.name]?.propertyDocumentation ?? [:]
        let relationshipObjects = entity.relationships.map {
            relationshipObject($0, slot: slots?.number(of: $0.name), documentation[$0.name] ?? [])
        }
        let relationships = RenderValue.list(relationshipObjects)
        let toMany = RenderValue.list(
            zip(entity.relationships, relationshipObjects).filter { $0.0.isToMany }.map(\.1))
        let fetchedProperties = RenderValue.list(
            entity.fetchedProperties.map { fetchedPropertyObject($0, documentation[$0.name] ?? []) })
        let isIdentifiable = options.style.isIdentifiable && entity.parentName == nil
        return RenderObject(parent: common) { name in
            switch name {
            case .attributes: attributes
            case .className: .string(className)
            case .declaresClass: .bool(false)
            case .entityName: .string(entity.name)
            case .entityNameLiteral: .string(SwiftIdentifier.stringLiteral(entity.name))
            case .fetchedProperties: fetchedProperties
            case .hasParent: .bool(entity.parentName != nil)
            case .info: Self.info(entity.userInfo)
            case .isAbstract: .bool(entity.isAbstract)
            case .isIdentifiable: .bool(isIdentifiable)
            // A class in a module has no global Objective-C name: the runtime looks up `Module.Class`.
            case .objcName: entity.className.module == .none ? .string(className) : nil
            case .relationships: relationships
            case .superclassName: .string(superclassName)
            case .layout: .string("0x" + String(slots?.fingerprint ?? 0, radix: 16, uppercase: true))
            case .toManyRelationships: toMany
            case .userInfo: Self.userInfo(entity.userInfo)
            default: customValue(name, of: entity)
            }
        }
    }

    private func attributeObject(_ text: AttributeText, slot: Int?) -> RenderObject {
        let attribute = text.attribute
        return RenderObject { name in
            switch name {
            case .attributeType: .string(attribute.type.xmlValue)
            case .defaultValue: attribute.defaultValue.map { .string($0) }
            case .isDerived: .bool(attribute.isDerived)
            case .isOptional: .bool(attribute.isOptional)
            case .isTransient: .bool(attribute.isTransient)
            case .slot: slot.map { .string(String($0)) }
            case .type: .string(text.plainType)
            case .usesScalarType: .bool(attribute.usesScalarType ?? false)
            default: customValue(name, of: text) ?? Self.propertyValue(name, of: attribute.name, attribute.userInfo)
            }
        }
    }

    private func relationshipObject(
        _ relationship: Relationship, slot: Int?, _ documentation: [String]
    ) -> RenderObject {
        let destination = className(ofEntity: relationship.destinationName)
        let element = elementType(of: relationship)
        let collection = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        return RenderObject { name in
            switch name {
            case .collectionType: relationship.isToMany ? .string(collection) : nil
            case .deleteRule: (relationship.deleteRule?.xmlValue).map { .string($0) }
            case .destinationClassName: .string(destination)
            case .destinationEntityName: relationship.destinationName.map { .string($0) }
            case .documentation: Self.lines(documentation)
            case .elementType: .string(element ?? "")
            case .inverseName: relationship.inverseName.map { .string($0) }
            case .isOptional: .bool(relationship.isOptional)
            case .isOrdered: .bool(relationship.isOrdered && relationship.isToMany)
            case .isToMany: .bool(relationship.isToMany)
            case .isTransient: .bool(relationship.isTransient)
            case .slot: slot.map { .string(String($0)) }
            case .propertyType:
                .string(element.map { "Set<\($0)>" } ?? "\(relationship.isToMany ? collection : destination)?")
            case .type: .string("\(relationship.isToMany ? collection : destination)?")
            default: Self.propertyValue(name, of: relationship.name, relationship.userInfo)
            }
        }
    }

    private func fetchedPropertyObject(_ property: FetchedProperty, _ documentation: [String]) -> RenderObject {
        let destination = className(ofEntity: property.fetchRequest?.entityName)
        return RenderObject { name in
            switch name {
            case .destinationClassName: .string(destination)
            case .isOptional: .bool(property.isOptional)
            case .documentation: Self.lines(documentation)
            case .propertyType: .string("[\(destination)]")
            case .type: .string("[\(destination)]?")
            default: Self.propertyValue(name, of: property.name, property.userInfo)
            }
        }
    }

    /// Returns a value that every kind of property has.
    private static func propertyValue(
        _ name: RenderName, of property: String, _ userInfo: [UserInfoEntry]
    ) -> RenderValue? {
        switch name {
        case .capitalizedName: .string(property.prefix(1).uppercased() + property.dropFirst())
        case .declaredName: .string(SwiftIdentifier.declared(property))
        case .info: info(userInfo)
        case .name: .string(property)
        case .userInfo: self.userInfo(userInfo)
        default: nil
        }
    }

    /// Returns the `userInfo` by its keys; `nil` if it is empty, so that its section is not rendered.
    private static func info(_ entries: [UserInfoEntry]) -> RenderValue? {
        if entries.isEmpty { return nil }
        return .object(RenderObject(free: Dictionary(entries.map { ($0.key, $0.value) }) { _, last in last }))
    }

    private static func userInfo(_ entries: [UserInfoEntry]) -> RenderValue {
        .list(
            entries.map { entry in
                RenderObject { name in
                    switch name {
                    case .key: .string(entry.key)
                    case .value: .string(entry.value)
                    default: nil
                    }
                }
            })
    }
}

extension Entity {
    /// The class that code uses for the entity's objects: `NSManagedObject` if it has no custom class.
    var swiftClassName: String { className.isCustom ? className.name : "NSManagedObject" }
}
