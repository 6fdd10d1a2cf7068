import CoreData

/// Builds small models for tests of stores.
enum SmallModel {
    static func attribute(
        _ name: String, _ type: NSAttributeType, _ change: (NSAttributeDescription) -> Void = { _ in }
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        change(attribute)
        return attribute
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// A model with the configurations “one”, with notes, and “two”, with pages whose names are unique.
    static func twoConfigurations() -> NSManagedObjectModel {
        let note = entity("Note", [attribute("number", .integer64AttributeType)])
        let page = entity(
            "Page", [attribute("name", .stringAttributeType), attribute("number", .integer64AttributeType)])
        page.uniquenessConstraints = [["name"]]
        let model = model([note, page])
        model.setEntities([note], forConfigurationName: "one")
        model.setEntities([page], forConfigurationName: "two")
        return model
    }
}
