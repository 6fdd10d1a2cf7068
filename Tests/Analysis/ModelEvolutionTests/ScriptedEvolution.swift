import ModelSchema
import TestSupport

@testable import ModelEvolution
@testable import ModelMigration

/// Two versions of a random model, with all the migration steps for their differences.
///
/// The expectation is written down with each edit, from Apple's “Using Lightweight Migration” and not from the code
/// under test. No element is edited twice, so that no edit changes what another one means. No two names have a letter
/// in common, so that only names made for it look like renames.
struct ScriptedEvolution {
    /// An obstacle or risk: the element in the new version, the description, and the certainty.
    struct Finding: Hashable, CustomStringConvertible {
        var element: String
        var text: String

        var description: String { "\(element) \(text)" }
    }

    /// An entity, or a property of one, in the new version.
    struct Element: Hashable {
        var entity: String
        var property: String?
    }

    var old = Model(name: "M")
    var new = Model(name: "M")
    var steps: Set<MigrationStep> = []
    var obstacles: Set<Finding> = []
    var risks: Set<Finding> = []
    /// The elements that seem renamed but have no renaming identifier, by their new names.
    var suspectedRenames: Set<String> = []
    var log: [String] = []
    /// The changed settings, which form one step for each element.
    var settings: [Element: Set<Field>] = [:]
    var movedAttributes: Set<String> = []
    /// The relationships that were edited, with their inverses.
    var edited: Set<String> = []
    var generator: SeededGenerator
    var names: [String] = ScriptedEvolution.alphabet

    /// Returns a name of six equal letters; such names are not similar to each other. Lowercase Latin and Cyrillic
    /// letters, and Han characters, which have no case.
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
            for position in new.entities[index].relationships.indices.reversed() {
                editRelationship(position, of: index)
            }
            if pick(4) { addAttribute(to: index) }
        }
        for (element, fields) in settings {
            steps.insert(
                .changeSettings(
                    entity: element.entity, name: element.property, Field.allCases.filter { fields.contains($0) }))
        }
    }

    // MARK: Helpers

    mutating func name() -> String { names.popLast() ?? "none" }

    mutating func pick(_ count: Int) -> Bool { generator.chance(count) }

    mutating func expect(obstacle text: String, _ entity: String, _ property: String? = nil) {
        obstacles.insert(Finding(element: property.map { "\(entity).\($0)" } ?? entity, text: text))
    }

    mutating func expect(risk text: String, _ entity: String, _ property: String? = nil) {
        risks.insert(Finding(element: property.map { "\(entity).\($0)" } ?? entity, text: text))
    }

    mutating func expect(_ field: Field, of entity: String, _ property: String? = nil) {
        settings[Element(entity: entity, property: property), default: []].insert(field)
    }

    // MARK: The first version

    /// Creates pairs of entities whose relationships with inverses connect them, followed by a hierarchy and two
    /// entities without properties.
    mutating func makeModel() {
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

    mutating func entity() -> Entity {
        var entity = Entity(name: name())
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            var attribute = Attribute(name: name(), type: RandomModel.types.randomElement(using: &generator) ?? .date)
            attribute.isOptional = pick(2)
            entity.attributes.append(attribute)
        }
        // One attribute stays unchanged, for constraints and identifiers.
        var key = Attribute(name: name(), type: .string)
        key.isOptional = true
        entity.attributes.insert(key, at: 0)
        entity.isAbstract = pick(5)
        if pick(5) {
            entity.uniquenessConstraints = [UniquenessConstraint(properties: [PropertyMention(name: key.name)])]
        }
        return entity
    }
}
