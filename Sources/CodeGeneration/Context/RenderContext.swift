package import ModelSchema

/// Makes the objects that templates are rendered with. Their keys are the contract with a user's own templates, and are
/// described in Documentation/Templates.md.
package struct RenderContext: Sendable {
    private let model: Model
    private let source: GenerationSource
    private let options: GenerationOptions
    private let classNames: [String: String]
    private let base: [String: RenderValue]

    /// Prepares the context of a model.
    package init(model: Model, source: GenerationSource, options: GenerationOptions) {
        self.model = model
        self.source = source
        self.options = options
        // The first of two entities of one name counts; the second is a finding elsewhere.
        classNames = Dictionary(model.entities.map { ($0.name, $0.swiftClassName) }) { first, _ in first }
        let style = options.style
        base = [
            "accessPrefix": .string(options.access.prefix),
            "hasTypeAliases": .bool(style.exportsImports),
            "isManual": .bool(options.mode == .manual),
            "importPrefix": .string(style.exportsImports ? options.access.prefix : ""),
            "isolationPrefix": .string(style.isNonisolated ? "nonisolated " : ""),
            "modelName": .string(source.modelName),
            "modelPrefix": .string(SwiftIdentifier.prefix(from: source.modelName)),
            "semicolon": .string(style.endsFetchRequestWithSemicolon ? ";" : ""),
            "sourceName": .string(source.fileName),
            "style": .string(style.rawValue),
            "versionName": .string(model.name),
        ]
    }

    /// The object that the file of the whole model is rendered with: the common names and all entities.
    package func modelObject(fileName: String, isRegenerated: Bool = true) -> RenderObject {
        let entities = model.entities.map { RenderObject(entityValues($0)) }
        return RenderObject(
            fileValues(fileName, isRegenerated).merging(["entities": .list(entities)]) { own, _ in own }, over: base)
    }

    /// The object that a file of an entity is rendered with: the common names and the entity's own.
    package func entityObject(_ entity: Entity, fileName: String, isRegenerated: Bool) -> RenderObject {
        RenderObject(
            entityValues(entity).merging(fileValues(fileName, isRegenerated)) { own, _ in own }, over: base)
    }

    private func fileValues(_ name: String, _ isRegenerated: Bool) -> [String: RenderValue] {
        ["fileName": .string(name), "isRegenerated": .bool(isRegenerated)]
    }

    private func className(ofEntity name: String?) -> String {
        name.flatMap { classNames[$0] } ?? "NSManagedObject"
    }

    private func entityValues(_ entity: Entity) -> [String: RenderValue] {
        let relationships = entity.relationships.map(relationshipObject)
        let toMany = zip(entity.relationships, relationships).filter { $0.0.isToMany }.map(\.1)
        var values: [String: RenderValue] = [
            "attributes": .list(entity.attributes.map(attributeObject)),
            "className": .string(entity.swiftClassName),
            "entityName": .string(entity.name),
            "entityNameLiteral": .string(SwiftIdentifier.stringLiteral(entity.name)),
            "fetchedProperties": .list(entity.fetchedProperties.map(fetchedPropertyObject)),
            "hasParent": .bool(entity.parentName != nil),
            "info": .object(Self.info(entity.userInfo)),
            "isAbstract": .bool(entity.isAbstract),
            "isIdentifiable": .bool(options.style.isIdentifiable && entity.parentName == nil),
            "relationships": .list(relationships),
            "superclassName": .string(className(ofEntity: entity.parentName)),
            "toManyRelationships": .list(toMany),
            "userInfo": .list(Self.userInfo(entity.userInfo)),
        ]
        // A class inside a module has no global Objective-C name: the runtime looks for `Module.Class`.
        if entity.className.module == .none { values["objcName"] = .string(entity.swiftClassName) }
        return values
    }

    private func attributeObject(_ attribute: Attribute) -> RenderObject {
        var values = Self.propertyValues(attribute.name, userInfo: attribute.userInfo)
        values["attributeType"] = .string(attribute.type.xmlValue)
        values["isDerived"] = .bool(attribute.isDerived)
        values["isOptional"] = .bool(attribute.isOptional)
        values["isTransient"] = .bool(attribute.isTransient)
        values["type"] = .string(attribute.swiftType(style: options.style))
        values["usesScalarType"] = .bool(attribute.usesScalarType ?? false)
        if let value = attribute.defaultValue { values["defaultValue"] = .string(value) }
        return RenderObject(values)
    }

    private func relationshipObject(_ relationship: Relationship) -> RenderObject {
        var values = Self.propertyValues(relationship.name, userInfo: relationship.userInfo)
        let destination = className(ofEntity: relationship.destinationName)
        let collection = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        values["collectionType"] = .string(collection)
        values["destinationClassName"] = .string(destination)
        values["isOptional"] = .bool(relationship.isOptional)
        values["isOrdered"] = .bool(relationship.isOrdered && relationship.isToMany)
        values["isToMany"] = .bool(relationship.isToMany)
        values["isTransient"] = .bool(relationship.isTransient)
        values["type"] = .string("\(relationship.isToMany ? collection : destination)?")
        if let name = relationship.destinationName { values["destinationEntityName"] = .string(name) }
        if let name = relationship.inverseName { values["inverseName"] = .string(name) }
        if let rule = relationship.deleteRule { values["deleteRule"] = .string(rule.xmlValue) }
        return RenderObject(values)
    }

    private func fetchedPropertyObject(_ property: FetchedProperty) -> RenderObject {
        var values = Self.propertyValues(property.name, userInfo: property.userInfo)
        let destination = className(ofEntity: property.fetchRequest?.entityName)
        values["destinationClassName"] = .string(destination)
        values["type"] = .string("[\(destination)]?")
        return RenderObject(values)
    }

    private static func propertyValues(_ name: String, userInfo: [UserInfoEntry]) -> [String: RenderValue] {
        [
            "capitalizedName": .string(name.prefix(1).uppercased() + name.dropFirst()),
            "declaredName": .string(SwiftIdentifier.declared(name)),
            "info": .object(info(userInfo)),
            "name": .string(name),
            "userInfo": .list(self.userInfo(userInfo)),
        ]
    }

    private static func info(_ entries: [UserInfoEntry]) -> RenderObject {
        RenderObject(Dictionary(entries.map { ($0.key, .string($0.value)) }) { _, last in last })
    }

    private static func userInfo(_ entries: [UserInfoEntry]) -> [RenderObject] {
        entries.map { RenderObject(["key": .string($0.key), "value": .string($0.value)]) }
    }

    /// Every name that a template may use somewhere; `info` holds names of the user's own.
    static let vocabulary: Set<String> = [
        "accessPrefix", "attributeType", "attributes", "capitalizedName", "className", "collectionType", "declaredName",
        "defaultValue", "deleteRule", "destinationClassName", "destinationEntityName", "entities", "entityName",
        "entityNameLiteral", "fetchedProperties", "fileName", "hasParent", "hasTypeAliases", "importPrefix", "info",
        "inverseName", "isAbstract", "isDerived", "isIdentifiable", "isManual", "isOptional", "isOrdered", "isRegenerated",
        "isToMany", "isTransient", "isolationPrefix", "key", "modelName", "modelPrefix", "name", "objcName",
        "relationships", "semicolon", "sourceName", "style", "superclassName", "toManyRelationships", "type",
        "userInfo", "usesScalarType", "value", "versionName",
    ]
}

extension Entity {
    /// The class that code uses for the entity's objects: `NSManagedObject` when it has none of its own.
    var swiftClassName: String { className.isCustom ? className.name : "NSManagedObject" }
}
