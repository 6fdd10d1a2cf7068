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
    /// The field with the name of the entity.
    package static let entityNameField = prefix + "entityName"
    /// The field that sharing needs.
    package static let receiptField = prefix + "moveReceipt"
    /// The record type of shares.
    package static let shareName = "cloudkit.share"

    private let trees: InheritanceTrees

    /// Maps some entities of a model.
    package init(_ mirrored: MirroredEntities, in model: Model) {
        trees = InheritanceTrees(mirrored.entities, in: model)
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
                if attribute.type == .composite || attribute.isDerived { addFinding(attribute, of: entity) }
                builder.add(attribute, of: entity)
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
        findings.append(
            attribute.type == .composite
                ? ModelFinding(
                    .warning, rule: .cloudkitUnproven, "the composite attribute \(name) is left out",
                    at: attribute.origin, attribute: "attributeType",
                    why: "No schema with a composite attribute is known, so its fields are not known either.",
                    help: "Initialize the schema on a Mac, and keep its fields with --merge.")
                : ModelFinding(
                    .note, rule: .cloudkitUnproven, "the derived attribute \(name) gets a field", at: attribute.origin,
                    attribute: "derived",
                    why: "No schema with a derived attribute is known; Core Data may make no field for it.",
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
        add(Field(SchemaMapping.entityNameField, .string, Set(FieldOption.allCases)), .entityName)
        add(Field(receipt, .bytes, [.queryable, .sortable]), .receipt)
        add(Field(receipt + SchemaMapping.assetSuffix, .asset), .receipt)
    }

    mutating func add(_ attribute: Attribute, of entity: Entity) {
        let name = SchemaMapping.prefix + attribute.name
        guard let fieldType = attribute.cloudKitType else {
            if attribute.type == .composite { type.unknownNames.append(name) }
            return
        }
        var mapped = MappedField(
            field: Field(name, fieldType, attribute.cloudKitOptions),
            purpose: attribute.isDerived ? .derivedAttribute : .attribute, entityName: entity.name,
            propertyName: attribute.name, origin: attribute.origin)
        mapped.renamingIdentifier = SchemaMapping.earlierName(attribute.renamingIdentifier, attribute.name)
        add(mapped)
        if attribute.hasCloudKitAsset {
            mapped.field = Field(name + SchemaMapping.assetSuffix, .asset)
            mapped.purpose = attribute.isDerived ? .derivedAttribute : .asset
            add(mapped)
        }
    }

    mutating func add(_ relationship: Relationship, of entity: Entity) {
        var mapped = MappedField(
            field: Field(SchemaMapping.prefix + relationship.name, .string, Set(FieldOption.allCases)),
            purpose: .relationship, entityName: entity.name, propertyName: relationship.name,
            origin: relationship.origin)
        mapped.renamingIdentifier = SchemaMapping.earlierName(relationship.renamingIdentifier, relationship.name)
        add(mapped)
    }

    private mutating func add(_ field: Field, _ purpose: MappedField.Purpose) {
        add(MappedField(field: field, purpose: purpose, entityName: type.entityName, origin: type.origin))
    }

    /// Adds a field. Properties with the same name in a tree share a field.
    private mutating func add(_ field: MappedField) {
        if names.insert(field.field.name).inserted { type.fields.append(field) }
    }
}
