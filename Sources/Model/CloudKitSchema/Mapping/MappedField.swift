package import ModelSchema

/// A field that a model needs, with its property.
package struct MappedField: Hashable, Sendable {
    /// The purpose of a field.
    package enum Purpose: Hashable, Sendable {
        /// The name of the object's entity.
        case entityName
        case attribute
        /// An attribute for which Core Data may or may not create a field: a derived or composite one.
        case unprovenAttribute
        /// A to-one relationship: the name of the other record.
        case relationship
        /// The asset with the large values of an attribute.
        case asset
        /// Moves between zones, which sharing needs.
        case receipt
    }

    package var field: RecordField
    package var purpose: Purpose
    /// The name of the entity that declares the property, or of the root entity.
    package var entityName: String
    /// The name of the property, if the field belongs to one.
    package var propertyName: String?
    /// The name that identifies the property in migrations, if it differs.
    package var renamingIdentifier: String?
    /// The location of the property or entity in the model.
    package var origin: ElementOrigin?
}

/// A record type that a model needs.
package struct MappedType: Hashable, Sendable {
    /// The name of the record type.
    package var name: String
    /// The root entity's name.
    package var entityName: String
    /// The name that identifies the root entity in migrations, if it differs.
    package var renamingIdentifier: String?
    /// The location of the root entity in the model.
    package var origin: ElementOrigin?
    /// The fields other than system fields, each name once.
    package var fields: [MappedField]
    /// The possible prefixes of other fields of composite attributes whose form is unproven.
    package var unknownNames: [String] = []

    /// Returns the field with a name, if any.
    package func field(named name: String) -> MappedField? { fields.first { $0.field.name == name } }
}
