import ModelSchema

@testable import ModelEvolution

/// Edits of properties.
extension ScriptedEvolution {
    // MARK: Attributes

    mutating func addAttribute(to index: Int) {
        var attribute = Attribute(name: name(), type: .integer32)
        attribute.isOptional = pick(2)
        attribute.defaultValue = pick(2) ? "7" : nil
        new.entities[index].attributes.append(attribute)
        guard !isKept(index) else { return expectAddition(attribute, to: new.entities[index].name) }
        // A new parent has no rows, but its children do.
        for child in new.entities where child.parentName == new.entities[index].name {
            expectAddition(attribute, to: child.name)
        }
    }

    /// Returns whether the entity is in the first version too.
    func isKept(_ index: Int) -> Bool {
        old.entities.contains { $0.name == new.entities[index].renamingIdentifier ?? new.entities[index].name }
    }

    mutating func expectAddition(_ attribute: Attribute, to entity: String) {
        log.append("add attribute \(entity).\(attribute.name)")
        steps.insert(.addAttribute(entity: entity, name: attribute.name, defaultValue: attribute.defaultValue))
        if !attribute.isOptional, attribute.defaultValue == nil {
            expect(obstacle: "new and required (likely)", entity, attribute.name)
        }
    }

    mutating func editAttribute(_ position: Int, of index: Int) {
        let before = new.entities[index].attributes[position]
        let entity = new.entities[index].name
        // The first is the key; others may already be new.
        guard position > 0, isKept(index), before.renamingIdentifier == nil, !movedAttributes.contains(before.name),
            old.entities.contains(where: { $0.attributes.contains { $0.name == before.name } })
        else { return }
        var after = before
        switch Int.random(in: 0..<12, using: &generator) {
        case 0:
            new.entities[index].attributes.remove(at: position)
            steps.insert(.removeAttribute(entity: entity, name: before.name))
            log.append("remove \(entity).\(before.name)")
            return
        case 1:
            after.name = name()
            after.renamingIdentifier = before.name
            steps.insert(.renameAttribute(entity: entity, old: before.name, new: after.name))
        case 2:
            after.name = before.name + "New"
            steps.insert(.removeAttribute(entity: entity, name: before.name))
            expectAddition(after, to: entity)
            suspectedRenames.insert("\(entity).\(after.name)")
        case 3: convert(before, &after, in: entity)
        case 4:
            guard before.isOptional else { return }
            after.isOptional = false
            after.defaultValue = pick(2) ? "7" : nil
            steps.insert(.requireAttribute(entity: entity, name: before.name, defaultValue: after.defaultValue))
            if after.defaultValue == nil { expect(obstacle: "became required (likely)", entity, before.name) }
        case 5:
            guard !before.isOptional else { return }
            after.isOptional = true
            steps.insert(.relaxAttribute(entity: entity, name: before.name))
        case 6:
            after.isTransient = true
            steps.insert(.removeAttribute(entity: entity, name: before.name))
        case 7:
            after.versionHashModifier = "m"
            expect(.versionHashModifier, of: entity, before.name)
        case 8:
            becomeRelationship(position, of: index)
            return
        case 9:
            // These are not part of the version hash.
            after.defaultValue = "7"
            after.usesScalarType = true
        default: return
        }
        log.append("edit \(entity).\(before.name) → \(after.name)")
        new.entities[index].attributes[position] = after
    }

    mutating func convert(_ before: Attribute, _ after: inout Attribute, in entity: String) {
        after.type = RandomModel.types.randomElement(using: &generator) ?? .date
        guard after.type != before.type else { return }
        steps.insert(.convertAttribute(entity: entity, name: before.name, old: before.type, new: after.type))
        // The bits of an integer type, or of the integers that a floating-point type represents exactly.
        let integers: [AttributeType: Int] = [.integer16: 15, .integer32: 31, .integer64: 63]
        let floats: [AttributeType: Int] = [.float: 24, .double: 53]
        let isNumber = { (type: AttributeType) in integers[type] ?? floats[type] != nil }
        let isLikeNumber = { (type: AttributeType) in isNumber(type) || type == .decimal || type == .boolean }
        let holdsAll: Bool
        switch (integers[before.type], floats[before.type], integers[after.type], floats[after.type]) {
        case (let bits?, _, let space?, _), (let bits?, _, _, let space?), (_, let bits?, _, let space?):
            holdsAll = bits <= space
        default: holdsAll = false
        }
        if before.type == .boolean, integers[after.type] != nil { return }
        if isNumber(before.type), isNumber(after.type) {
            if !holdsAll { expect(risk: "narrower", entity, before.name) }
        } else {
            let isUnknown = isLikeNumber(before.type) && isLikeNumber(after.type)
            expect(obstacle: "types (\(isUnknown ? "unknown" : "known"))", entity, before.name)
        }
    }

    mutating func becomeRelationship(_ position: Int, of index: Int) {
        let (entity, attribute) = (new.entities[index].name, new.entities[index].attributes.remove(at: position))
        var relationship = Relationship(name: attribute.name, destinationName: entity)
        relationship.isOptional = pick(2)
        new.entities[index].relationships.append(relationship)
        log.append("make \(entity).\(attribute.name) a relationship")
        steps.formUnion([
            .removeAttribute(entity: entity, name: attribute.name),
            .addRelationship(entity: entity, name: attribute.name),
        ])
        expect(risk: "was attribute", entity, attribute.name)
        if !relationship.isOptional { expect(risk: "required", entity, attribute.name) }
    }

    // MARK: Relationships

    mutating func editRelationship(_ position: Int, of index: Int) {
        let before = new.entities[index].relationships[position]
        let entity = new.entities[index].name
        guard let inverse = before.inverseName, !edited.contains(before.name), !edited.contains(inverse) else { return }
        var after = before
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
            removePair(before, index)
            return
        case 1, 2:
            let hasIdentifier = pick(2)
            after.name = hasIdentifier ? name() : before.name + "New"
            after.renamingIdentifier = hasIdentifier ? before.name : nil
            rename(before, to: after, in: entity)
            setInverse(of: inverse, to: after.name)
        case 3:
            after.isToMany.toggle()
            if after.isToMany {
                steps.insert(.makeToMany(entity: entity, name: before.name))
            } else {
                after.isOrdered = false
                expect(obstacle: "to-one (likely)", entity, before.name)
            }
        case 4:
            guard before.isToMany else { return }
            after.isOrdered.toggle()
            steps.insert(.changeOrdering(entity: entity, name: before.name, isOrdered: after.isOrdered))
        case 5:
            after.isOptional = false
            expect(.isOptional, of: entity, before.name)
            if !before.isToMany { expect(risk: "required", entity, before.name) }
        case 6:
            setInverse(of: inverse, to: nil)
            after.inverseName = nil
            expect(.inverse, of: entity, before.name)
        case 7:
            guard before.destinationName != entity else { return }
            lead(before, to: &after, in: entity)
        case 8:
            becomeAttribute(position, of: index)
            setInverse(of: inverse, to: nil)
            edited.insert(inverse)
            return
        default: return
        }
        // The two are not edited again.
        edited.formUnion([before.name, inverse, after.name])
        log.append(
            "edit \(entity).\(before.name) → \(after.name), to-many \(after.isToMany), to \(after.destinationName ?? "")"
        )
        new.entities[index].relationships[position] = after
    }

    mutating func rename(_ before: Relationship, to after: Relationship, in entity: String) {
        let wasRedirected = settings.removeValue(forKey: Element(entity: entity, property: before.name)) != nil
        guard after.renamingIdentifier == nil else {
            steps.insert(.renameRelationship(entity: entity, old: before.name, new: after.name))
            if wasRedirected { expect(.destination, of: entity, after.name) }
            return
        }
        steps.formUnion([
            .removeRelationship(entity: entity, name: before.name), .addRelationship(entity: entity, name: after.name),
        ])
        // A relationship with another destination name is not suspected to be a rename.
        if !wasRedirected { suspectedRenames.insert("\(entity).\(after.name)") }
    }

    mutating func becomeAttribute(_ position: Int, of index: Int) {
        let (entity, relationship) = (
            new.entities[index].name, new.entities[index].relationships.remove(at: position)
        )
        settings[Element(entity: entity, property: relationship.name)] = nil
        var attribute = Attribute(name: relationship.name, type: .string)
        attribute.isOptional = pick(2)
        new.entities[index].attributes.append(attribute)
        log.append("make \(entity).\(relationship.name) an attribute")
        steps.insert(.removeRelationship(entity: entity, name: relationship.name))
        expectAddition(attribute, to: entity)
        expect(risk: "was relationship", entity, attribute.name)
    }

    /// Redirects a relationship to its own entity.
    mutating func lead(_ before: Relationship, to after: inout Relationship, in entity: String) {
        settings[Element(entity: entity, property: before.name)] = nil
        after.destinationName = entity
        steps.formUnion([
            .removeRelationship(entity: entity, name: before.name), .addRelationship(entity: entity, name: before.name),
        ])
        expect(risk: "other destination", entity, before.name)
    }

    /// Changes the name of the inverse of a relationship.
    mutating func setInverse(of relationship: String, to name: String?) {
        for index in new.entities.indices {
            for position in new.entities[index].relationships.indices
            where new.entities[index].relationships[position].name == relationship {
                new.entities[index].relationships[position].inverseName = name
                expect(.inverse, of: new.entities[index].name, relationship)
            }
        }
    }

    mutating func removePair(_ relationship: Relationship, _ index: Int) {
        log.append("remove \(new.entities[index].name).\(relationship.name) and its inverse")
        for name in [relationship.name, relationship.inverseName] {
            for other in new.entities.indices {
                let count = new.entities[other].relationships.count
                new.entities[other].relationships.removeAll { $0.name == name }
                guard new.entities[other].relationships.count < count, let name else { continue }
                settings[Element(entity: new.entities[other].name, property: name)] = nil
                steps.insert(.removeRelationship(entity: new.entities[other].name, name: name))
            }
        }
    }
}
