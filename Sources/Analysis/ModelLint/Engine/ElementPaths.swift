internal import Diagnostics
internal import ModelSchema

/// The names and kinds of a model's elements by their index, for findings.
struct ElementPaths {
    private var locations: [Int: Location] = [:]

    /// The names and the kind of an element.
    struct Location {
        /// The names from the entity down.
        var components: [String]
        var kind: String
    }

    init(_ model: Model) {
        for entity in model.entities { add(entity) }
        for request in model.fetchRequests { add([request.name], kind: "fetch request", origin: request.origin) }
        for configuration in model.configurations {
            add([configuration.name], kind: "configuration", origin: configuration.origin)
            for member in configuration.members {
                add([configuration.name, member.entityName], kind: "configuration member", origin: member.origin)
            }
        }
        for composite in model.composites {
            add([composite.name], kind: "composite", origin: composite.origin)
            for attribute in composite.attributes {
                add([composite.name, attribute.name], kind: "composite attribute", origin: attribute.origin)
            }
        }
    }

    private mutating func add(_ entity: Entity) {
        add([entity.name], kind: "entity", origin: entity.origin)
        add([entity.name], entity.userInfo)
        for attribute in entity.attributes {
            add([entity.name, attribute.name], kind: "attribute", origin: attribute.origin)
            add([entity.name, attribute.name], attribute.userInfo)
        }
        for relationship in entity.relationships {
            add([entity.name, relationship.name], kind: "relationship", origin: relationship.origin)
            add([entity.name, relationship.name], relationship.userInfo)
        }
        for fetched in entity.fetchedProperties {
            add([entity.name, fetched.name], kind: "fetched property", origin: fetched.origin)
            add([entity.name, fetched.name], fetched.userInfo)
            add([entity.name, fetched.name], kind: "fetched property", origin: fetched.fetchRequest?.origin)
        }
        for index in entity.fetchIndexes {
            add([entity.name, index.name], kind: "fetch index", origin: index.origin)
            for element in index.elements {
                add(
                    [entity.name, index.name, element.propertyName ?? ""], kind: "fetch index element",
                    origin: element.origin)
            }
        }
        for index in entity.compoundIndexes {
            add([entity.name] + index.properties.map(\.name), kind: "compound index", origin: index.origin)
            for property in index.properties {
                add([entity.name, property.name], kind: "compound index", origin: property.origin)
            }
        }
        for constraint in entity.uniquenessConstraints {
            add(
                [entity.name] + constraint.properties.map(\.name), kind: "uniqueness constraint",
                origin: constraint.origin)
            for property in constraint.properties {
                add([entity.name, property.name], kind: "uniqueness constraint", origin: property.origin)
            }
        }
    }

    private mutating func add(_ components: [String], _ userInfo: [UserInfoEntry]) {
        for entry in userInfo { add(components, kind: "user info entry", origin: entry.origin) }
    }

    private mutating func add(_ components: [String], kind: String, origin: ElementOrigin?) {
        if let origin { locations[origin.index] = Location(components: components, kind: kind) }
    }

    /// Returns the names and the kind of an element, or those of the model for an element without a name.
    func location(of origin: ElementOrigin?) -> Location {
        origin.flatMap { locations[$0.index] } ?? Location(components: [], kind: "model")
    }
}
