internal import ModelSource

/// An index of the entities and composite types that declare properties, built from the edited elements.
struct PropertyIndex {
    private struct EntityEntry {
        var parent: String?
        /// The destination of each property: an entity, or the key of a composite type; `nil` for other attributes.
        var properties: [String: String?] = [:]
    }

    private var entities: [String: EntityEntry] = [:]
    private var children: [String: [String]] = [:]

    /// Indexes the entities of a model.
    init(_ root: XMLNode) {
        for entity in root.children("entity") {
            guard let name = entity["name"] else { continue }
            var entry = EntityEntry(parent: entity["parentEntity"])
            for property in entity.children {
                guard let key = property["name"] else { continue }
                switch property.name {
                case "attribute": entry.properties[key] = .some(property["composite"].map(Self.compositeKey))
                case "relationship": entry.properties[key] = property["destinationEntity"]
                case "fetchedProperty": entry.properties[key] = property.child("fetchRequest")?["entity"]
                default: break
                }
            }
            if let parent = entry.parent { children[parent, default: []].append(name) }
            entities[name] = entry
        }
        for composite in root.children("composite") {
            guard let name = composite["name"] else { continue }
            var entry = EntityEntry()
            for element in composite.children("attribute") {
                guard let key = element["name"] else { continue }
                entry.properties[key] = .some(element["composite"].map(Self.compositeKey))
            }
            entities[Self.compositeKey(name)] = entry
        }
    }

    /// Returns the name under which the index has a composite type: no entity has a name with a control character.
    static func compositeKey(_ name: String) -> String { "\u{0}" + name }

    /// Returns the entity that declares a property of an entity: the entity itself, an ancestor, or a descendant, as
    /// SQLite stores resolve it.
    func declaringEntity(of key: String, in entity: String) -> String? {
        var seen: Set<String> = []
        var current: String? = entity
        while let name = current, seen.insert(name).inserted {
            if entities[name]?.properties[key] != nil { return name }
            current = entities[name]?.parent
        }
        var queue = children[entity] ?? []
        seen = [entity]
        while let name = queue.popLast() {
            guard seen.insert(name).inserted else { continue }
            if entities[name]?.properties[key] != nil { return name }
            queue += children[name] ?? []
        }
        return nil
    }

    func destination(of key: String, in entity: String) -> String? {
        declaringEntity(of: key, in: entity).flatMap { entities[$0]?.properties[key] ?? nil }
    }

    /// Returns whether an entity is another one or inherits from it.
    func isSame(_ entity: String, orInheritsFrom ancestor: String) -> Bool {
        var seen: Set<String> = []
        var current: String? = entity
        while let name = current, seen.insert(name).inserted {
            if name == ancestor { return true }
            current = entities[name]?.parent
        }
        return false
    }
}
