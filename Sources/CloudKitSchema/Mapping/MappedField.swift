package import ModelSchema

/// A field that a model needs, with the property it is for.
package struct MappedField: Hashable, Sendable {
    /// What a field is for.
    package enum Purpose: Hashable, Sendable {
        /// The name of the object's entity.
        case entityName
        /// An attribute.
        case attribute
        /// A derived attribute. Whether Core Data makes a field for it is not known.
        case derivedAttribute
        /// A to-one relationship: the name of the other record.
        case relationship
        /// The asset with the large values of an attribute.
        case asset
        /// Moves between zones, which sharing needs.
        case receipt
    }

    /// The field.
    package var field: Field
    /// What it is for.
    package var purpose: Purpose
    /// The name of the entity that declares the property, or of the root entity.
    package var entityName: String
    /// The name of the property, if it is for one.
    package var propertyName: String?
    /// The name that migration knows the property by, if it is another one.
    package var renamingIdentifier: String?
    /// The place of the property or entity in the model.
    package var origin: ElementOrigin?
}

/// A record type that a model needs.
package struct MappedType: Hashable, Sendable {
    /// The name of the record type.
    package var name: String
    /// The root entity's name.
    package var entityName: String
    /// The name that migration knows the root entity by, if it is another one.
    package var renamingIdentifier: String?
    /// The place of the root entity in the model.
    package var origin: ElementOrigin?
    /// The fields besides those of the system, each name once.
    package var fields: [MappedField]
    /// The names that fields of composite attributes may begin with. What Core Data makes of them is not known.
    package var unknownNames: [String] = []

    /// Returns the field with a name, if any.
    package func field(named name: String) -> MappedField? { fields.first { $0.field.name == name } }
}
