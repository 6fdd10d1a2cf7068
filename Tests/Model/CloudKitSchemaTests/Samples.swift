import ModelSchema

/// Models for tests.
enum Samples {
    /// Returns a model of entities with a name, a parent and string attributes.
    static func model(_ entities: [(name: String, parent: String?, attributes: [String])]) -> Model {
        var model = Model(name: "M")
        for (index, description) in entities.enumerated() {
            var entity = Entity(name: description.name)
            entity.parentName = description.parent
            entity.attributes = description.attributes.map { Attribute(name: $0, type: .string) }
            entity.origin = ElementOrigin(index: index)
            model.entities.append(entity)
        }
        return model
    }

    /// Returns an optional relationship.
    static func relationship(
        _ name: String, _ destination: String, inverse: String, isToMany: Bool = false
    ) -> Relationship {
        var relationship = Relationship(name: name, destinationName: destination)
        relationship.isOptional = true
        relationship.isToMany = isToMany
        relationship.inverseName = inverse
        relationship.inverseEntityName = destination
        return relationship
    }

    /// Returns a configuration of some entities.
    static func configuration(_ name: String, _ entities: [String]) -> Configuration {
        var configuration = Configuration(name: name)
        configuration.members = entities.map { Configuration.Member(entityName: $0) }
        return configuration
    }
}
