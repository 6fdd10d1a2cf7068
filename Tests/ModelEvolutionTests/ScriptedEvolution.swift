import ModelSchema
import TestSupport

@testable import ModelEvolution

/// Two versions of a random model, with everything that migration does to the difference.
///
/// The expectation is written down with each edit, from Apple's “Using Lightweight Migration” and not from the code under test. No element
/// is edited twice, so that no edit changes what another one means. No two names have a letter in common, so that only names made for it look
/// like renames.
struct ScriptedEvolution {
    /// An obstacle or risk: the element in the new version, what it is, and how certain.
    struct Finding: Hashable, CustomStringConvertible {
        var element: String
        var text: String

        var description: String { "\(element) \(text)" }
    }

    /// An entity, or a property of one, in the new version.
    private struct Element: Hashable {
        var entity: String
        var property: String?
    }

    private(set) var old = Model(name: "M")
    private(set) var new = Model(name: "M")
    private(set) var steps: Set<MigrationStep> = []
    private(set) var obstacles: Set<Finding> = []
    private(set) var risks: Set<Finding> = []
    /// The elements that look like renamed ones and have no renaming identifier, by their new names.
    private(set) var suspectedRenames: Set<String> = []
    private(set) var log: [String] = []
    /// The settings that changed and have no step of their own.
    private var settings: [Element: Set<Field>] = [:]
    private var movedAttributes: Set<String> = []
    /// The relationships that were edited, with their inverses.
    private var edited: Set<String> = []
    private var generator: SeededGenerator
    private var names: [String] = ScriptedEvolution.alphabet

    /// Six times the same letter: such names are not similar to each other.
    /// Small letters of the Latin and Cyrillic scripts, and Han characters, which have no capitals.
    private static let alphabet = [0x61...0x7A, 0x430...0x44F, 0x4E00...0x4E80].joined()
        .compactMap(Unicode.Scalar.init).map { String(repeating: Character($0), count: 6) }

    init(using generator: SeededGenerator) {
        self.generator = generator
        makeModel()
        new = old
        for index in new.entities.indices { renameEntity(index) }
        for index in new.entities.indices { editEntity(index) }
        editHierarchies()
        for index in new.entities.indices {
            for position in new.entities[index].attributes.indices.reversed() { editAttribute(position, of: index) }
            for position in new.entities[index].relationships.indices.reversed() { editRelationship(position, of: index) }
            if pick(4) { addAttribute(to: index) }
        }
        for (element, fields) in settings {
            steps.insert(
                .changeSettings(
                    entity: element.entity, name: element.property, Field.allCases.filter { fields.contains($0) }))
        }
    }

    // MARK: Helpers

    private mutating func name() -> String { names.popLast() ?? "none" }

    private mutating func pick(_ count: Int) -> Bool { generator.chance(count) }

    private mutating func expect(obstacle text: String, _ entity: String, _ property: String? = nil) {
        obstacles.insert(Finding(element: property.map { "\(entity).\($0)" } ?? entity, text: text))
    }

    private mutating func expect(risk text: String, _ entity: String, _ property: String? = nil) {
        risks.insert(Finding(element: property.map { "\(entity).\($0)" } ?? entity, text: text))
    }

    private mutating func expect(_ field: Field, of entity: String, _ property: String? = nil) {
        settings[Element(entity: entity, property: property), default: []].insert(field)
    }

    // MARK: The first version

    /// Entities in pairs: relationships with inverses lead from one to the other. Behind them a hierarchy, and two entities without
    /// properties.
    private mutating func makeModel() {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            var (first, second) = (entity(), entity())
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                var (relationship, inverse) = (
                    Relationship(name: name(), destinationName: second.name),
                    Relationship(name: name(), destinationName: first.name)
                )
                relationship.isOptional = true
                inverse.isOptional = true
                relationship.inverseName = inverse.name
                inverse.inverseName = relationship.name
                relationship.isToMany = pick(2)
                relationship.isOrdered = relationship.isToMany && pick(2)
                first.relationships.append(relationship)
                second.relationships.append(inverse)
            }
            old.entities += [first, second]
        }
        let parent = entity()
        var child = entity()
        child.parentName = parent.name
        old.entities += [parent, child, Entity(name: name()), Entity(name: name())]
    }

    private mutating func entity() -> Entity {
        var entity = Entity(name: name())
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            var attribute = Attribute(name: name(), type: RandomModel.types.randomElement(using: &generator) ?? .date)
            attribute.isOptional = pick(2)
            entity.attributes.append(attribute)
        }
        // One attribute stays as it is, for constraints and identifiers.
        var key = Attribute(name: name(), type: .string)
        key.isOptional = true
        entity.attributes.insert(key, at: 0)
        entity.isAbstract = pick(5)
        if pick(5) {
            entity.uniquenessConstraints = [UniquenessConstraint(properties: [PropertyMention(name: key.name)])]
        }
        return entity
    }

    // MARK: Entities

    /// Renames an entity, with a renaming identifier. The relationships to it follow, which their version hashes tell.
    private mutating func renameEntity(_ index: Int) {
        guard pick(4) else { return }
        let (before, after) = (new.entities[index].name, name())
        log.append("rename entity \(before) to \(after)")
        new.entities[index].renamingIdentifier = before
        steps.insert(.renameEntity(old: before, new: after))
        redirect(before, to: after)
    }

    private mutating func redirect(_ before: String, to after: String) {
        let index = new.entities.firstIndex { $0.name == before }
        if let index { new.entities[index].name = after }
        // The names of entities in what is expected already.
        let known = settings
        settings = [:]
        for (element, fields) in known {
            settings[Element(entity: element.entity == before ? after : element.entity, property: element.property)] = fields
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

    private mutating func editEntity(_ index: Int) {
        let entity = new.entities[index].name
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            new.entities[index].isAbstract.toggle()
            expect(.isAbstract, of: entity)
            // Nothing is known against making an entity concrete.
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
            // Indexes are no part of the version hash.
            guard let key = new.entities[index].attributes.first else { return }
            var fetchIndex = FetchIndex(name: "byKey")
            fetchIndex.elements = [FetchIndex.Element(propertyName: key.name)]
            new.entities[index].fetchIndexes = [fetchIndex]
        case 4:
            // The two of a renaming identifier: both stand for the key.
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

    /// Edits the hierarchy at the end of the first version, and the two entities without properties.
    private mutating func editHierarchies() {
        let count = new.entities.count
        let (parent, child) = (new.entities[count - 4].name, new.entities[count - 3].name)
        let (third, fourth) = (new.entities[count - 2].name, new.entities[count - 1].name)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0:
            log.append("remove entity \(fourth)")
            let source = old.entities[count - 1].name
            // An entity that is gone was not renamed or edited.
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

    // MARK: Attributes

    private mutating func addAttribute(to index: Int) {
        var attribute = Attribute(name: name(), type: .integer32)
        attribute.isOptional = pick(2)
        attribute.defaultValue = pick(2) ? "7" : nil
        new.entities[index].attributes.append(attribute)
        guard !isKept(index) else { return expectAddition(attribute, to: new.entities[index].name) }
        // A new parent has no rows, but its children have.
        for child in new.entities where child.parentName == new.entities[index].name {
            expectAddition(attribute, to: child.name)
        }
    }

    /// Returns whether the entity is in the first version too.
    private func isKept(_ index: Int) -> Bool {
        old.entities.contains { $0.name == new.entities[index].renamingIdentifier ?? new.entities[index].name }
    }

    private mutating func expectAddition(_ attribute: Attribute, to entity: String) {
        log.append("add attribute \(entity).\(attribute.name)")
        steps.insert(.addAttribute(entity: entity, name: attribute.name, defaultValue: attribute.defaultValue))
        if !attribute.isOptional, attribute.defaultValue == nil {
            expect(obstacle: "new and required (likely)", entity, attribute.name)
        }
    }

    private mutating func editAttribute(_ position: Int, of index: Int) {
        let before = new.entities[index].attributes[position]
        let entity = new.entities[index].name
        // The first is the key; others may be new already.
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
            // Not a part of the version hash.
            after.defaultValue = "7"
            after.usesScalarType = true
        default: return
        }
        log.append("edit \(entity).\(before.name) → \(after.name)")
        new.entities[index].attributes[position] = after
    }

    private mutating func convert(_ before: Attribute, _ after: inout Attribute, in entity: String) {
        after.type = RandomModel.types.randomElement(using: &generator) ?? .date
        guard after.type != before.type else { return }
        steps.insert(.convertAttribute(entity: entity, name: before.name, old: before.type, new: after.type))
        // The bits of an integer, and of the integers that a floating-point type holds exactly.
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
        if isNumber(before.type), isNumber(after.type) {
            if !holdsAll { expect(risk: "narrower", entity, before.name) }
        } else {
            let isUnknown = isLikeNumber(before.type) && isLikeNumber(after.type)
            expect(obstacle: "types (\(isUnknown ? "unknown" : "known"))", entity, before.name)
        }
    }

    private mutating func becomeRelationship(_ position: Int, of index: Int) {
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

    private mutating func editRelationship(_ position: Int, of index: Int) {
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
            expect(risk: "required", entity, before.name)
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
        // Nothing else is done to the two.
        edited.formUnion([before.name, inverse, after.name])
        log.append("edit \(entity).\(before.name) → \(after.name), to-many \(after.isToMany), to \(after.destinationName ?? "")")
        new.entities[index].relationships[position] = after
    }

    private mutating func rename(_ before: Relationship, to after: Relationship, in entity: String) {
        let wasRedirected = settings.removeValue(forKey: Element(entity: entity, property: before.name)) != nil
        guard after.renamingIdentifier == nil else {
            steps.insert(.renameRelationship(entity: entity, old: before.name, new: after.name))
            if wasRedirected { expect(.destination, of: entity, after.name) }
            return
        }
        steps.formUnion([
            .removeRelationship(entity: entity, name: before.name), .addRelationship(entity: entity, name: after.name),
        ])
        // Destinations of different names are different relationships to the guess.
        if !wasRedirected { suspectedRenames.insert("\(entity).\(after.name)") }
    }

    private mutating func becomeAttribute(_ position: Int, of index: Int) {
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

    /// Makes a relationship lead to its own entity.
    private mutating func lead(_ before: Relationship, to after: inout Relationship, in entity: String) {
        settings[Element(entity: entity, property: before.name)] = nil
        after.destinationName = entity
        steps.formUnion([
            .removeRelationship(entity: entity, name: before.name), .addRelationship(entity: entity, name: before.name),
        ])
        expect(risk: "other destination", entity, before.name)
    }

    /// Changes the name of the inverse of a relationship.
    private mutating func setInverse(of relationship: String, to name: String?) {
        for index in new.entities.indices {
            for position in new.entities[index].relationships.indices
            where new.entities[index].relationships[position].name == relationship {
                new.entities[index].relationships[position].inverseName = name
                expect(.inverse, of: new.entities[index].name, relationship)
            }
        }
    }

    private mutating func removePair(_ relationship: Relationship, _ index: Int) {
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
