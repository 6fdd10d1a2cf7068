internal import Diagnostics
package import ModelSchema

/// The CloudKit schema of a model, as NSPersistentCloudKitContainer initializes it
/// (Documentation/Formats/CloudKitSchema.md, 3).
package struct SchemaMapping: Sendable {
    /// The record types of the model's entities, in the order of the model.
    package private(set) var types: [MappedType] = []
    /// The first many-to-many relationship, if any: its entity, its name and its location.
    package private(set) var manyToMany: (entityName: String, name: String, origin: ElementOrigin?)?
    /// The findings about unproven parts of the schema.
    package private(set) var findings: [ModelFinding] = []

    /// The prefix of the names of Core Data's record types and fields.
    package static let prefix = "CD_"
    /// The suffix of the fields for large values.
    package static let assetSuffix = "_ckAsset"
    /// The record type of many-to-many relationships.
    package static let manyToManyName = "CDMR"
    package static let entityNameField = prefix + "entityName"
    /// The field that sharing needs.
    package static let receiptField = prefix + "moveReceipt"
    /// The record type of shares.
    package static let shareName = "cloudkit.share"

    private let trees: InheritanceTrees
    /// Whether the form of composite attributes' fields is proven, which it is for SwiftData.
    private let provesComposites: Bool

    /// Maps some entities of a model.
    package init(_ mirrored: MirroredEntities, in model: Model) {
        trees = InheritanceTrees(mirrored.entities, in: model)
        provesComposites = model.settings.usedWithSwiftData == true
        for tree in trees.trees { add(tree) }
    }

    private mutating func add(_ tree: InheritanceTrees.Tree) {
        let root = tree.root
        var builder = MappedTypeBuilder(
            MappedType(
                name: Self.prefix + root.name, entityName: root.name,
                renamingIdentifier: Self.earlierName(root.renamingIdentifier, root.name), origin: root.origin,
                fields: []
            ))
        builder.addSystemFields()
        for entity in tree.members {
            for attribute in entity.attributes where !attribute.isTransient {
                let isProven = attribute.type == .composite ? provesComposites : !attribute.isDerived
                if !isProven { addFinding(attribute, of: entity) }
                builder.add(attribute, of: entity, isProven: isProven)
            }
            for relationship in entity.relationships where !relationship.isTransient {
                if !relationship.isToMany {
                    builder.add(relationship, of: entity)
                } else if manyToMany == nil, trees.inverse(of: relationship)?.isToMany == true {
                    manyToMany = (entity.name, relationship.name, relationship.origin)
                }
            }
        }
        types.append(builder.type)
    }

    private mutating func addFinding(_ attribute: Attribute, of entity: Entity) {
        let name = "“\(entity.name).\(attribute.name)”"
        let kind = attribute.type == .composite ? "composite" : "derived"
        findings.append(
            ModelFinding(
                .note, rule: .cloudkitUnproven, "the \(kind) attribute \(name) gets a field", at: attribute.origin,
                attribute: attribute.type == .composite ? "attributeType" : "derived",
                why: attribute.type == .composite
                    ? "Composite attributes of SwiftData have such a field; no schema of a Core Data model with one is known."
                    : "No schema with a derived attribute is known; Core Data may make no field for it.",
                help: "“modelc cloudkit check” accepts schemas with and without the field."))
    }

    /// Returns a renaming identifier if it differs from the name.
    static func earlierName(_ identifier: String?, _ name: String) -> String? {
        guard let identifier, !identifier.isEmpty, identifier != name else { return nil }
        return identifier
    }
}

/// Collects the fields of a record type.
private struct MappedTypeBuilder {
    var type: MappedType
    private var names: Set<String> = []

    init(_ type: MappedType) {
        self.type = type
    }

    mutating func addSystemFields() {
        let receipt = SchemaMapping.receiptField
        add(
            RecordField(name: SchemaMapping.entityNameField, type: .string, options: Set(FieldOption.allCases)),
            .entityName)
        add(RecordField(name: receipt, type: .bytes, options: [.queryable, .sortable]), .receipt)
        add(RecordField(name: receipt + SchemaMapping.assetSuffix, type: .asset), .receipt)
    }

    mutating func add(_ attribute: Attribute, of entity: Entity, isProven: Bool) {
        let name = SchemaMapping.prefix + attribute.name
        guard let fieldType = attribute.cloudKitType else { return }
        if attribute.type == .composite, !isProven { type.unknownNames.append(name) }
        var mapped = MappedField(
            field: RecordField(name: name, type: fieldType, options: attribute.cloudKitOptions),
            purpose: isProven ? .attribute : .unprovenAttribute, entityName: entity.name,
            propertyName: attribute.name, origin: attribute.origin)
        mapped.renamingIdentifier = SchemaMapping.earlierName(attribute.renamingIdentifier, attribute.name)
        add(mapped)
        if attribute.hasCloudKitAsset {
            mapped.field = RecordField(name: name + SchemaMapping.assetSuffix, type: .asset)
            mapped.purpose = isProven ? .asset : .unprovenAttribute
            add(mapped)
        }
    }

    mutating func add(_ relationship: Relationship, of entity: Entity) {
        var mapped = MappedField(
            field: RecordField(
                name: SchemaMapping.prefix + relationship.name, type: .string, options: Set(FieldOption.allCases)),
            purpose: .relationship, entityName: entity.name, propertyName: relationship.name,
            origin: relationship.origin)
        mapped.renamingIdentifier = SchemaMapping.earlierName(relationship.renamingIdentifier, relationship.name)
        add(mapped)
    }

    private mutating func add(_ field: RecordField, _ purpose: MappedField.Purpose) {
        add(MappedField(field: field, purpose: purpose, entityName: type.entityName, origin: type.origin))
    }

    /// Adds a field. Properties with the same name in a tree share a field.
    private mutating func add(_ field: MappedField) {
        if names.insert(field.field.name).inserted { type.fields.append(field) }
    }
}
