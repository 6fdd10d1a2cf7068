import TestSupport
import Testing

@testable import ModelSchema

/// Lookups in the numbered hierarchy, compared with walking up the parents.
@Suite struct EntityHierarchyTests {
    /// A seeded generator (SplitMix64).

    /// Returns entities with arbitrary parents, so that there are forests, missing parents and cycles.
    private static func model(_ generator: inout SeededGenerator) -> Model {
        let count = Int.random(in: 1...12, using: &generator)
        var model = Model(name: "M")
        for index in 0..<count {
            var entity = Entity(name: "E\(index)")
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: break
            case 3..<8 where index > 0: entity.parentName = "E\(Int.random(in: 0..<index, using: &generator))"
            default: entity.parentName = "E\(Int.random(in: 0...count, using: &generator))"
            }
            for name in ["a", "b", "c"] where Int.random(in: 0..<4, using: &generator) == 0 {
                entity.attributes.append(Attribute(name: name, type: .string))
            }
            for name in ["b", "c", "d"] where Int.random(in: 0..<4, using: &generator) == 0 {
                entity.relationships.append(Relationship(name: name, destinationName: "E0"))
            }
            model.entities.append(entity)
        }
        model.entities.shuffle(using: &generator)
        return model
    }

    private static func lineage(of name: String, _ entities: [String: Entity]) -> [Entity] {
        var result: [Entity] = []
        var seen: Set<String> = []
        var next: String? = name
        while let name = next, seen.insert(name).inserted, let entity = entities[name] {
            result.append(entity)
            next = entity.parentName
        }
        return result
    }

    @Test(arguments: 0..<2000) func lookupsEqualWalks(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let model = Self.model(&generator)
        let entities = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, $0) })
        let hierarchy = EntityHierarchy(model)
        for entity in model.entities {
            let lineage = Self.lineage(of: entity.name, entities)
            let isCyclic = lineage.contains { Self.lineage(of: $0.parentName ?? "", entities).contains($0) }
            for other in model.entities {
                #expect(
                    hierarchy.isSameOrAncestor(other.name, of: entity.name) == lineage.contains(other),
                    "\(other.name) above \(entity.name)")
            }
            for name in ["a", "b", "c", "d"] {
                let owner = lineage.first { $0.attributes.contains { $0.name == name } || $0.declares(name) }
                let found = hierarchy.declaration(of: name, in: entity.name)
                #expect((found == nil) == (owner == nil))
                let related = lineage.first { $0.declares(name) }
                let relationship = hierarchy.declaration(of: name, in: entity.name) { $0.relationship != nil }
                #expect((relationship == nil) == (related == nil))
                // Members of a cycle inherit from each other; none of them is the nearest.
                guard !isCyclic else { continue }
                #expect(found.map { model.entities[$0.entity].name } == owner?.name)
                #expect(relationship.map { model.entities[$0.entity].name } == related?.name)
                let descendants = model.entities.filter {
                    $0.name != entity.name && Self.lineage(of: $0.name, entities).contains(entity)
                }
                let isBelow = descendants.contains { $0.attributes.contains { $0.name == name } || $0.declares(name) }
                #expect((hierarchy.declaration(of: name, below: entity.name) != nil) == isBelow)
            }
        }
    }
}

extension Entity {
    fileprivate func declares(_ relationship: String) -> Bool { relationships.contains { $0.name == relationship } }
}
