internal import Diagnostics
internal import ModelSchema

/// The names and kinds of a model's elements by their index, for findings.
struct ElementPaths {
    private var places: [Int: Place] = [:]

    /// The names and the kind of an element.
    struct Place {
        /// The names from the entity down.
        var components: [String]
        /// The kind of element.
        var kind: String
    }

    init(_ model: Model) {
        for entity in model.entities { add(entity) }
        for request in model.fetchRequests { add([request.name], "fetch request", request.origin) }
        for configuration in model.configurations {
            add([configuration.name], "configuration", configuration.origin)
            for member in configuration.members {
                add([configuration.name, member.entityName], "configuration member", member.origin)
            }
        }
        for composite in model.composites {
            add([composite.name], "composite", composite.origin)
            for attribute in composite.attributes {
                add([composite.name, attribute.name], "composite attribute", attribute.origin)
            }
        }
    }

    private mutating func add(_ entity: Entity) {
        add([entity.name], "entity", entity.origin)
        add([entity.name], entity.userInfo)
        for attribute in entity.attributes {
            add([entity.name, attribute.name], "attribute", attribute.origin)
            add([entity.name, attribute.name], attribute.userInfo)
        }
        for relationship in entity.relationships {
            add([entity.name, relationship.name], "relationship", relationship.origin)
            add([entity.name, relationship.name], relationship.userInfo)
        }
        for fetched in entity.fetchedProperties {
            add([entity.name, fetched.name], "fetched property", fetched.origin)
            add([entity.name, fetched.name], fetched.userInfo)
            add([entity.name, fetched.name], "fetched property", fetched.fetchRequest?.origin)
        }
        for index in entity.fetchIndexes {
            add([entity.name, index.name], "fetch index", index.origin)
            for element in index.elements {
                add([entity.name, index.name, element.propertyName ?? ""], "fetch index element", element.origin)
            }
        }
        for index in entity.compoundIndexes {
            add([entity.name] + index.properties.map(\.name), "compound index", index.origin)
            for property in index.properties { add([entity.name, property.name], "compound index", property.origin) }
        }
        for constraint in entity.uniquenessConstraints {
            add([entity.name] + constraint.properties.map(\.name), "uniqueness constraint", constraint.origin)
            for property in constraint.properties {
                add([entity.name, property.name], "uniqueness constraint", property.origin)
            }
        }
    }

    private mutating func add(_ components: [String], _ userInfo: [UserInfoEntry]) {
        for entry in userInfo { add(components, "user info entry", entry.origin) }
    }

    private mutating func add(_ components: [String], _ kind: String, _ origin: ElementOrigin?) {
        if let origin { places[origin.index] = Place(components: components, kind: kind) }
    }

    /// Returns the names and the kind of an element, or those of the model for an element without a name.
    func place(of origin: ElementOrigin?) -> Place {
        origin.flatMap { places[$0.index] } ?? Place(components: [], kind: "model")
    }
}
