package import ModelSchema

/// Makes the objects that templates are rendered with (`RenderName` lists the names).
package struct RenderContext: Sendable {
    private let model: Model
    private let options: GenerationOptions
    private let classNames: [String: String]
    private let entitiesByName: [String: Entity]
    /// The values that are the same for every file of the run.
    let common: RenderObject

    /// Prepares the context of a model.
    package init(model: Model, source: GenerationSource, options: GenerationOptions) {
        self.model = model
        self.options = options
        // The first of two entities of one name counts; the second is a finding elsewhere.
        classNames = Dictionary(model.entities.map { ($0.name, $0.swiftClassName) }) { first, _ in first }
        entitiesByName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        common = Self.commonObject(versionName: model.name, source: source, options: options)
    }

    /// The object of each entity, in the order of the model. Files of an entity are rendered with one of these as the
    /// parent.
    package func entityObjects() -> [RenderObject] {
        model.entities.map { entityObject($0) }
    }

    /// The object that the file of the whole model is rendered with: the common names and all entities.
    package func modelObject(fileName: String, entities: [RenderObject]) -> RenderObject {
        let model = RenderObject(parent: common) { $0 == .entities ? .list(entities) : nil }
        return fileObject(fileName, isRegenerated: true, over: model)
    }

    /// The object that the one file of a model is rendered with: the common names and the entities that have code.
    ///
    /// - Parameter entities: the objects of the entities, and whether their class is declared.
    package func portableObject(
        fileName: String, entities: [(object: RenderObject, declaresClass: Bool)]
    ) -> RenderObject {
        let objects = entities.map { entity in
            RenderObject(parent: entity.object) { $0 == .declaresClass ? .bool(entity.declaresClass) : nil }
        }
        return modelObject(fileName: fileName, entities: objects)
    }

    /// The object that a file is rendered with, over that of an entity or of the model.
    package func fileObject(_ fileName: String, isRegenerated: Bool, over parent: RenderObject) -> RenderObject {
        RenderObject(parent: parent) { name in
            switch name {
            case .fileName: .string(fileName)
            case .isRegenerated: .bool(isRegenerated)
            default: nil
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
            case .hasTypeAliases: .bool(style.exportsImports)
            case .importPrefix: .string(style.exportsImports ? options.access.prefix : "")
            case .isManual: .bool(options.mode == .manual)
            case .isolationPrefix: .string(style.isNonisolated ? "nonisolated " : "")
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

    private func className(ofEntity name: String?) -> String {
        name.flatMap { classNames[$0] } ?? "NSManagedObject"
    }

    private func entityObject(_ entity: Entity) -> RenderObject {
        let className = entity.swiftClassName
        let superclassName = self.className(ofEntity: entity.parentName)
        // Only portable code has slots in it.
        let slots = options.flavour == .portable ? SlotLayout(of: entity, parents: entitiesByName) : nil
        let attributes = RenderValue.list(
            entity.attributes.map { attributeObject($0, slot: slots?.number(of: $0.name)) })
        let relationshipObjects = entity.relationships.map {
            relationshipObject($0, slot: slots?.number(of: $0.name))
        }
        let relationships = RenderValue.list(relationshipObjects)
        let toMany = RenderValue.list(
            zip(entity.relationships, relationshipObjects).filter { $0.0.isToMany }.map(\.1))
        let fetchedProperties = RenderValue.list(entity.fetchedProperties.map { fetchedPropertyObject($0) })
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
            // A class inside a module has no global Objective-C name: the runtime looks for `Module.Class`.
            case .objcName: entity.className.module == .none ? .string(className) : nil
            case .relationships: relationships
            case .superclassName: .string(superclassName)
            case .layout: .string("0x" + String(slots?.fingerprint ?? 0, radix: 16, uppercase: true))
            case .toManyRelationships: toMany
            case .userInfo: Self.userInfo(entity.userInfo)
            default: nil
            }
        }
    }

    private func attributeObject(_ attribute: Attribute, slot: Int?) -> RenderObject {
        let style = options.style
        return RenderObject { name in
            switch name {
            case .attributeType: .string(attribute.type.xmlValue)
            case .defaultValue: attribute.defaultValue.map { .string($0) }
            case .isDerived: .bool(attribute.isDerived)
            case .isOptional: .bool(attribute.isOptional)
            case .isTransient: .bool(attribute.isTransient)
            case .slot: slot.map { .string(String($0)) }
            case .type: .string(attribute.swiftType(style: style))
            case .usesScalarType: .bool(attribute.usesScalarType ?? false)
            default: Self.propertyValue(name, of: attribute.name, attribute.userInfo)
            }
        }
    }

    private func relationshipObject(_ relationship: Relationship, slot: Int?) -> RenderObject {
        let destination = className(ofEntity: relationship.destinationName)
        let collection = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        return RenderObject { name in
            switch name {
            case .collectionType: relationship.isToMany ? .string(collection) : nil
            case .deleteRule: (relationship.deleteRule?.xmlValue).map { .string($0) }
            case .destinationClassName: .string(destination)
            case .destinationEntityName: relationship.destinationName.map { .string($0) }
            case .inverseName: relationship.inverseName.map { .string($0) }
            case .isOptional: .bool(relationship.isOptional)
            case .isOrdered: .bool(relationship.isOrdered && relationship.isToMany)
            case .isToMany: .bool(relationship.isToMany)
            case .isTransient: .bool(relationship.isTransient)
            case .slot: slot.map { .string(String($0)) }
            case .type: .string("\(relationship.isToMany ? collection : destination)?")
            default: Self.propertyValue(name, of: relationship.name, relationship.userInfo)
            }
        }
    }

    private func fetchedPropertyObject(_ property: FetchedProperty) -> RenderObject {
        let destination = className(ofEntity: property.fetchRequest?.entityName)
        return RenderObject { name in
            switch name {
            case .destinationClassName: .string(destination)
            case .isOptional: .bool(property.isOptional)
            case .type: .string("[\(destination)]?")
            default: Self.propertyValue(name, of: property.name, property.userInfo)
            }
        }
    }

    /// The values that every kind of property has.
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

    /// The `userInfo` by its keys; nothing when there is none, so that a section of it is left out.
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
    /// The class that code uses for the entity's objects: `NSManagedObject` when it has none of its own.
    var swiftClassName: String { className.isCustom ? className.name : "NSManagedObject" }
}
