import CompiledModel
import Foundation
import ModelSchema
import StoreFile
import TestSupport
import Testing

/// Stores of random models, and of all versions of real ones.
@Suite struct RandomStoreTests {
    @Test(.randomized) func aRandomModelGivesALegalStoreOrAReason() throws {
        var generator = Seeds.generator()
        var made = 0
        for _ in 0..<25 {
            let model = RandomStoreModel.make(using: &generator)
            let scratch = try StoreScratch()
            try scratch.write(Data(try EncodedModel(model).bytes), to: "M.mom")
            let code = scratch.make("M.mom", rows: Int.random(in: 0...20, using: &generator))
            if code == 0 {
                made += 1
                #expect(try StoreFile(path: scratch.url("a.sqlite").path).hashes == model.versionHashes().entities)
                #expect(scratch.diff("a.sqlite", "a.sqlite") == 0, "\(scratch.errorOutput)")
                try validateObjects(of: scratch)
            } else {
                #expect(code == 1 && scratch.errorOutput.contains("[unsatisfiable-model]"), "\(scratch.errorOutput)")
                #expect(!scratch.errorOutput.contains("is not valid"), "\(scratch.errorOutput)")
            }
        }
        #expect(made > 5)
    }

    /// Checks that each row, written without objects, is a valid object.
    private func validateObjects(of scratch: StoreScratch) throws {
        let (context, objects) = try scratch.objects(of: "a.sqlite", "M.mom")
        context.performAndWait {
            for object in objects.values.joined() {
                do { try object.validateForUpdate() } catch { Issue.record("\(error)") }
            }
        }
    }

    @Test(.enabled(if: corpus != nil)) func everyModelOfTheCorpusGivesAStoreOrAReason() throws {
        let root = try #require(Self.corpus) + "/models"
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        var made = 0
        for path in paths.sorted() where path.hasSuffix(".xcdatamodel") {
            let scratch = try StoreScratch()
            let code = scratch.make("\(root)/\(path)")
            if code == 0 { made += 1 }
            let reasons = ["[unsatisfiable-model]", "[not-a-model]"]
            #expect(
                code == 0 || reasons.contains { scratch.errorOutput.contains($0) }, "\(path): \(scratch.errorOutput)")
            #expect(!scratch.errorOutput.contains("the store cannot be made"), "\(path): \(scratch.errorOutput)")
        }
        #expect(made > 100)
    }

    private static let corpus = ProcessInfo.processInfo.environment["MODELC_CORPUS"]
}

/// A generator of random models with rules that a store must satisfy.
enum RandomStoreModel {
    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri,
        .transformable,
    ]

    static func make(using generator: inout SeededGenerator) -> Model {
        var model = Model(name: "M")
        let count = Int.random(in: 1...6, using: &generator)
        for index in 0..<count {
            var entity = Entity(name: "E\(index)")
            if index > 0, generator.chance(3) { entity.parentName = "E\(Int.random(in: 0..<index, using: &generator))" }
            entity.isAbstract = generator.chance(6)
            for number in 0..<Int.random(in: 0...4, using: &generator) {
                entity.attributes.append(attribute("e\(index)a\(number)", using: &generator))
            }
            if let first = entity.attributes.first, ![.transformable, .binary].contains(first.type), generator.chance(4)
            {
                entity.uniquenessConstraints = [UniquenessConstraint(properties: [PropertyMention(name: first.name)])]
            }
            model.entities.append(entity)
        }
        for number in 0..<Int.random(in: 0...4, using: &generator) { addPair(number, to: &model, using: &generator) }
        return model
    }

    private static func attribute(_ name: String, using generator: inout SeededGenerator) -> Attribute {
        var attribute = Attribute(name: name, type: types.randomElement(using: &generator) ?? .string)
        attribute.isOptional = generator.chance(2)
        switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal:
            let low = Int.random(in: -100...100, using: &generator)
            if generator.chance(3) { attribute.minimum = "\(low)" }
            if generator.chance(3) { attribute.maximum = "\(low + Int.random(in: 0...50, using: &generator))" }
        case .string where generator.chance(3):
            let low = Int.random(in: 0...5, using: &generator)
            attribute.minimum = "\(low)"
            attribute.maximum = "\(low + Int.random(in: 0...20, using: &generator))"
        case .string where generator.chance(3):
            attribute.regularExpression = ["[a-z]+", "\\d{3}-\\d{4}", "(foo|bar)*x?", "[^@]+@[^@]+\\.[a-z]{2,4}"]
                .randomElement(
                    using: &generator)
        case .date where generator.chance(3):
            attribute.minimumDateInterval = "\(Int.random(in: -1000...1000, using: &generator))"
        default: break
        }
        return attribute
    }

    private static func addPair(_ number: Int, to model: inout Model, using generator: inout SeededGenerator) {
        let first = Int.random(in: 0..<model.entities.count, using: &generator)
        let second = Int.random(in: 0..<model.entities.count, using: &generator)
        var one = end("r\(number)", "E\(second)", using: &generator)
        var other = end("i\(number)", "E\(first)", using: &generator)
        one.inverseName = other.name
        one.inverseEntityName = "E\(second)"
        other.inverseName = one.name
        other.inverseEntityName = "E\(first)"
        model.entities[first].relationships.append(one)
        model.entities[second].relationships.append(other)
    }

    private static func end(
        _ name: String, _ destination: String, using generator: inout SeededGenerator
    ) -> Relationship {
        var relationship = Relationship(name: name, destinationName: destination)
        relationship.isOptional = !generator.chance(3)
        relationship.isToMany = generator.chance(2)
        relationship.isOrdered = relationship.isToMany && generator.chance(3)
        relationship.maximumCount = 1
        if relationship.isToMany {
            relationship.minimumCount = Int.random(in: 0...2, using: &generator)
            relationship.maximumCount = generator.chance(2) ? 0 : Int.random(in: 2...4, using: &generator)
        }
        return relationship
    }
}
