/// A property of any kind.
package enum Property: Hashable, Sendable {
    case attribute(Attribute)
    case relationship(Relationship)
    case fetched(FetchedProperty)
}

extension Property {
    /// The property's name.
    package var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        case .fetched(let fetched): fetched.name
        }
    }

    /// The kind of property, in Core Data's terms.
    package var kind: Kind {
        switch self {
        case .attribute: .attribute
        case .relationship: .relationship
        case .fetched: .fetchedProperty
        }
    }

    /// A kind of property.
    package enum Kind: String, Hashable, Sendable {
        case attribute
        case relationship
        case fetchedProperty = "fetched property"
    }

    /// The location in the source.
    package var origin: ElementOrigin? {
        switch self {
        case .attribute(let attribute): attribute.origin
        case .relationship(let relationship): relationship.origin
        case .fetched(let fetched): fetched.origin
        }
    }

    /// The renaming identifier as written, or `nil` if the property has none.
    package var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship): relationship.renamingIdentifier
        case .fetched(let fetched): fetched.renamingIdentifier
        }
    }

    /// Whether a store keeps the property's value. Fetched properties are never stored.
    package var isStored: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isTransient
        case .relationship(let relationship): !relationship.isTransient
        case .fetched: false
        }
    }

    /// Returns the version hash, or `nil` if the property is a derived attribute whose expression is invalid.
    ///
    /// - Parameter entityName: The name of the entity that declares the property.
    package func versionHash(declaredIn entityName: String?) -> VersionHash? {
        switch self {
        case .attribute(let attribute): try? attribute.versionHash()
        case .relationship(let relationship): relationship.versionHash(declaredIn: entityName)
        case .fetched(let fetched): fetched.versionHash()
        }
    }
}

extension Entity {
    /// The entity's own properties: attributes, relationships, fetched properties, each in the order of the source.
    package var properties: [Property] {
        attributes.map(Property.attribute) + relationships.map(Property.relationship)
            + fetchedProperties.map(Property.fetched)
    }
}
