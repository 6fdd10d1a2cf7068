import CoreData
import TestSupport

/// The model of the randomized test of contexts, with unique values and relationships of every kind.
enum ContextFuzzModel {
    static let entities = ["Item", "Part", "Group", "Tag", "Shelf"]
    /// The relationships by entity; subentities inherit them.
    static let relationships: [String: [String]] = [
        "Item": ["group", "tags", "shelf", "card", "holder", "friends", "mark"],
        "Group": ["items", "extras"], "Tag": ["items", "shelves"], "Shelf": ["volumes", "labels"],
    ]

    static func make(_ random: inout SeededGenerator) -> NSManagedObjectModel {
        var entities: [String: NSEntityDescription] = [:]
        for name in Self.entities {
            let entity = NSEntityDescription()
            entity.name = name
            if name != "Part" { entity.properties = ["name", "note"].map { attribute($0, .stringAttributeType) } }
            entities[name] = entity
        }
        entities["Item"]?.properties += ["zone", "code", "value"].map { attribute($0, .integer64AttributeType) }
        entities["Item"]?.uniquenessConstraints = [["name"], ["zone", "code"]]
        entities["Part"]?.properties = [attribute("label", .stringAttributeType)]
        entities["Part"]?.uniquenessConstraints = [["label"]]
        entities["Tag"]?.uniquenessConstraints = [["name"]]
        if let part = entities["Part"] { entities["Item"]?.subentities = [part] }

        func relate(_ entity: String, _ name: String, _ destination: String, many: Bool, ordered: Bool = false)
            -> NSRelationshipDescription
        {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = entities[destination]
            relationship.maxCount = many ? 0 : 1
            relationship.isOrdered = ordered
            relationship.deleteRule = random.chance(6) ? .cascadeDeleteRule : .nullifyDeleteRule
            entities[entity]?.properties.append(relationship)
            return relationship
        }
        func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
            one.inverseRelationship = other
            other.inverseRelationship = one
        }
        pair(relate("Item", "group", "Group", many: false), relate("Group", "items", "Item", many: true))
        pair(relate("Item", "tags", "Tag", many: true), relate("Tag", "items", "Item", many: true))
        pair(
            relate("Item", "shelf", "Shelf", many: false), relate("Shelf", "volumes", "Item", many: true, ordered: true)
        )
        pair(relate("Item", "card", "Item", many: false), relate("Item", "holder", "Item", many: false))
        pair(relate("Tag", "shelves", "Shelf", many: true), relate("Shelf", "labels", "Tag", many: true, ordered: true))
        let friends = relate("Item", "friends", "Item", many: true)
        friends.deleteRule = .nullifyDeleteRule
        friends.inverseRelationship = friends
        // These have no inverse.
        relate("Item", "mark", "Tag", many: false).deleteRule = .nullifyDeleteRule
        relate("Group", "extras", "Shelf", many: true).deleteRule = .nullifyDeleteRule
        let model = NSManagedObjectModel()
        model.entities = Self.entities.compactMap { entities[$0] }
        return model
    }
}
