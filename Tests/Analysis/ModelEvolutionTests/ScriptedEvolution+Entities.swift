import ModelSchema

@testable import ModelEvolution

/// Edits of entities.
extension ScriptedEvolution {
    /// Renames an entity, with a renaming identifier. The relationships to it follow, which changes their version
    /// hashes.
    mutating func renameEntity(_ index: Int) {
        guard pick(4) else { return }
        let (before, after) = (new.entities[index].name, name())
        log.append("rename entity \(before) to \(after)")
        new.entities[index].renamingIdentifier = before
        steps.insert(.renameEntity(old: before, new: after))
        redirect(before, to: after)
    }

    mutating func redirect(_ before: String, to after: String) {
        let index = new.entities.firstIndex { $0.name == before }
        if let index { new.entities[index].name = after }
        // Update the entity names in existing expectations.
        let known = settings
        settings = [:]
        for (element, fields) in known {
            settings[Element(entity: element.entity == before ? after : element.entity, property: element.property)] =
                fields
        }
        for other in new.entities.indices {
            if new.entities[other].parentName == before { new.entities[other].parentName = after }
            for position in new.entities[other].relationships.indices
            where new.entities[other].relationships[position].destinationName == before {
                new.entities[other].relationships[position].destinationName = after
                expect(.destination, of: new.entities[other].name, new.entities[other].relationships[position].name)
            }
        }
    }

    mutating func editEntity(_ index: Int) {
        let entity = new.entities[index].name
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            new.entities[index].isAbstract.toggle()
            expect(.isAbstract, of: entity)
            // There is no known problem with making an entity concrete.
            if new.entities[index].isAbstract { expect(obstacle: "becomes abstract (unknown)", entity) }
        case 1:
            new.entities[index].versionHashModifier = "m"
            expect(.versionHashModifier, of: entity)
        case 2:
            guard let key = new.entities[index].attributes.first else { return }
            expect(.uniquenessConstraints, of: entity)
            guard new.entities[index].uniquenessConstraints.isEmpty else {
                new.entities[index].uniquenessConstraints = []
                break
            }
            new.entities[index].uniquenessConstraints = [
                UniquenessConstraint(properties: [PropertyMention(name: key.name)])
            ]
            expect(risk: "new constraint (\(key.name))", entity)
        case 3:
            // Indexes are not part of the version hash.
            guard let key = new.entities[index].attributes.first else { return }
            var fetchIndex = FetchIndex(name: "byKey")
            fetchIndex.elements = [FetchIndex.Element(propertyName: key.name)]
            new.entities[index].fetchIndexes = [fetchIndex]
        case 4:
            // Two attributes with one renaming identifier: both refer to the key.
            guard let key = new.entities[index].attributes.first else { return }
            var other = Attribute(name: name(), type: .string)
            other.isOptional = true
            other.renamingIdentifier = key.name
            new.entities[index].attributes.append(other)
            steps.insert(.addAttribute(entity: entity, name: other.name, defaultValue: nil))
            expect(obstacle: "identifier \(key.name) of \(key.name) (known)", entity, other.name)
        default: return
        }
        log.append("edit entity \(entity): \(settings[Element(entity: entity)] ?? [])")
    }

    /// Edits the hierarchy at the end of the first version and the two entities without properties.
    mutating func editHierarchies() {
        let count = new.entities.count
        let (parent, child) = (new.entities[count - 4].name, new.entities[count - 3].name)
        let (third, fourth) = (new.entities[count - 2].name, new.entities[count - 1].name)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0:
            log.append("remove entity \(fourth)")
            let source = old.entities[count - 1].name
            // A removed entity must not have been renamed or edited.
            guard source == fourth, new.entities[count - 1] == old.entities[count - 1] else { return }
            new.entities.removeLast()
            steps.insert(.removeEntity(fourth))
        case 1:
            let added = name()
            log.append("add entity \(added)")
            new.entities.append(Entity(name: added))
            steps.insert(.addEntity(added))
        case 2:
            let added = name()
            log.append("a parent for \(third)")
            new.entities.append(Entity(name: added))
            new.entities[count - 2].parentName = added
            steps.formUnion([.addEntity(added), .changeParent(entity: third, old: nil, new: added)])
        case 3:
            let added = name()
            log.append("a parent for \(third) and \(fourth)")
            new.entities.append(Entity(name: added))
            for (index, entity) in [(count - 2, third), (count - 1, fourth)] {
                new.entities[index].parentName = added
                steps.insert(.changeParent(entity: entity, old: nil, new: added))
            }
            steps.insert(.addEntity(added))
            let roots = [old.entities[count - 2].name, old.entities[count - 1].name]
            expect(obstacle: "joins \(roots.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })", added)
        case 4:
            log.append("move an attribute from \(child) to \(parent)")
            let key = new.entities[count - 3].attributes.removeFirst()
            guard new.entities[count - 3].uniquenessConstraints.isEmpty, new.entities[count - 3].fetchIndexes.isEmpty,
                !new.entities[count - 3].attributes.contains(where: { $0.renamingIdentifier == key.name })
            else {
                new.entities[count - 3].attributes.insert(key, at: 0)
                return
            }
            new.entities[count - 3].attributes.insert(Attribute(name: "placeholder", type: .string), at: 0)
            new.entities[count - 3].attributes[0].isTransient = true
            new.entities[count - 4].attributes.append(key)
            steps.insert(.addAttribute(entity: parent, name: key.name, defaultValue: nil))
            movedAttributes.insert(key.name)
        case 5:
            log.append("rename \(fourth) without an identifier")
            guard new.entities[count - 1] == old.entities[count - 1] else { return }
            let added = name()
            new.entities[count - 1].name = added
            steps.formUnion([.removeEntity(fourth), .addEntity(added)])
        default: return
        }
    }
}
