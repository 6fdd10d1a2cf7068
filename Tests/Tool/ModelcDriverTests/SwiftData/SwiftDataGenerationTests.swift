import CodeGeneration
import Diagnostics
import ModelSchema
import SwiftDataModel
import TestSupport
import Testing

@testable import ModelcDriver

/// Generated SwiftData code, read back like SwiftData does.
@Suite struct SwiftDataGenerationTests {
    private static func generate(
        _ versions: [(name: String, model: Model)]
    ) throws -> (inputs: [SwiftDataInput], result: SwiftDataGenerator.Result) {
        let inputs = SwiftDataGeneration.inputs(versions)
        let templates = try TemplateLoader(files: POSIXFileSystem(workingDirectory: "/")).load(nil)
        let generator = SwiftDataGenerator(
            versions: inputs, source: GenerationSource(modelName: "Shop", fileName: "Shop.xcdatamodeld"),
            options: GenerationOptions(), templates: templates)
        return (inputs, generator.generate())
    }

    private static func read(_ result: SwiftDataGenerator.Result) -> SwiftDataSources {
        SwiftDataSources(result.files.map { SwiftSourceFile(path: $0.name, bytes: Array($0.text.utf8)) })
    }

    /// Returns a model that SwiftData can express, with random types, flags, names and constraints.
    private static func model(_ random: inout some RandomNumberGenerator) -> Model {
        var model = Model(name: "Shop")
        let types: [AttributeType] = [
            .integer16, .integer32, .integer64, .double, .float, .boolean, .string, .decimal, .date, .binary, .uuid,
            .uri,
        ]
        let names = ["alpha", "beta", "repeat", "init", "größe", "e"]
        for name in ["Alpha", "Data", "String", "Schema"].prefix(Int.random(in: 2...4, using: &random)) {
            var entity = Entity(name: name)
            for attribute in names.shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random)) {
                var attribute = Attribute(name: attribute, type: types.randomElement(using: &random) ?? .string)
                attribute.isOptional = .random(using: &random)
                attribute.allowsExternalBinaryStorage = attribute.type == .binary && .random(using: &random)
                attribute.isPreservedAfterDeletion = Int.random(in: 0..<5, using: &random) == 0
                if Int.random(in: 0..<4, using: &random) == 0 { attribute.versionHashModifier = "v2" }
                if attribute.type == .integer16 { attribute.defaultValue = "-7" }
                entity.attributes.append(attribute)
            }
            let properties = entity.attributes.map { PropertyMention(name: $0.name) }
            if Bool.random(using: &random) {
                entity.uniquenessConstraints = [UniquenessConstraint(properties: properties)]
            }
            if Bool.random(using: &random) {
                entity.uniquenessConstraints.append(UniquenessConstraint(properties: Array(properties.suffix(1))))
            }
            if entity.uniquenessConstraints.count == 2, properties.count == 1 {
                entity.uniquenessConstraints.removeLast()
            }
            model.entities.append(entity)
        }
        relate(&model, &random)
        return model
    }

    /// Adds relationships between different entities, with and without an inverse.
    private static func relate(_ model: inout Model, _ random: inout some RandomNumberGenerator) {
        for number in 0..<Int.random(in: 1...5, using: &random) {
            let ends = model.entities.indices.shuffled(using: &random).prefix(2)
            guard let one = ends.first, let other = ends.last else { continue }
            func relationship(_ name: String, to destination: String) -> Relationship {
                var relationship = Relationship(name: name, destinationName: destination)
                relationship.isToMany = .random(using: &random)
                relationship.isOptional = .random(using: &random)
                relationship.maximumCount = relationship.isToMany ? 0 : 1
                relationship.minimumCount = Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0
                relationship.deleteRule = DeleteRule.allCases.randomElement(using: &random)
                return relationship
            }
            var first = relationship("to\(number)", to: model.entities[other].name)
            if Bool.random(using: &random) {
                var second = relationship("from\(number)", to: model.entities[one].name)
                (first.inverseName, second.inverseName) = (second.name, first.name)
                (first.inverseEntityName, second.inverseEntityName) = (
                    model.entities[other].name, model.entities[one].name
                )
                model.entities[other].relationships.append(second)
            }
            model.entities[one].relationships.append(first)
        }
    }

    @Test(.randomized) func codeHasTheVersionHashesOfItsModel() throws {
        var random = Seeds.generator()
        for _ in 0..<40 {
            let model = Self.model(&random)
            let (inputs, result) = try Self.generate([("One", model)])
            let read = Self.read(result)
            #expect(read.findings.map(\.message) == [])
            let version = try #require(read.versions.first)
            for entity in model.entities {
                try expectEqual(#require(version.model.entity(named: entity.name)), entity)
            }
            #expect(version.model.versionHashes().entities == model.versionHashes().entities)
            #expect(SwiftDataCheck(inputs, result).findings == [[]])
        }
    }

    private func expectEqual(_ read: Entity, _ entity: Entity) {
        #expect(read.attributes.map(\.name) == entity.attributes.map(\.name))
        #expect(read.attributes.map(\.type) == entity.attributes.map(\.type))
        #expect(read.attributes.map(\.isOptional) == entity.attributes.map(\.isOptional))
        #expect(read.relationships.map(\.name) == entity.relationships.map(\.name))
        #expect(read.relationships.map(\.inverseName) == entity.relationships.map(\.inverseName))
        #expect(read.relationships.map(\.deleteRule) == entity.relationships.map(\.deleteRule))
        let constraints = [read, entity].map { Set($0.uniquenessConstraints.map { $0.properties.map(\.name) }) }
        #expect(constraints[0] == constraints[1])
    }

    @Test func orderedRelationshipsChangeTheHashAndAFindingNamesThem() throws {
        var model = Model(name: "Shop")
        model.entities = [Entity(name: "Order"), Entity(name: "Item")]
        var items = Relationship(name: "items", destinationName: "Item")
        items.isToMany = true
        items.isOrdered = true
        model.entities[0].relationships = [items]
        let (inputs, result) = try Self.generate([("One", model)])
        let found = SwiftDataCheck(inputs, result).findings.flatMap { $0 }
        #expect(found.map(\.message) == ["the version hash of “Order” differs from that of the Core Data model"])
        #expect(found.first?.why?.contains("“items”") == true)
        #expect(result.findings[0].contains { $0.message.contains("“Order.items” is ordered") })
    }

    @Test func compositesBecomeCodableStructures() throws {
        var model = Model(name: "Shop")
        var location = CompositeType(name: "Place")
        location.attributes = ["latitude", "longitude"].map { Attribute(name: $0, type: .double) }
        model.composites = [location]
        var attribute = Attribute(name: "place", type: .composite)
        attribute.compositeName = "Place"
        model.entities = [Entity(name: "Order")]
        model.entities[0].attributes = [attribute]
        let (_, result) = try Self.generate([("One", model)])
        let version = try #require(Self.read(result).versions.first)
        #expect(version.model.versionHashes().entities == model.versionHashes().entities)
    }

    @Test func stagesAreCustomWhereLightweightMigrationIsImpossible() throws {
        func model(_ entity: String, _ attribute: String, _ type: AttributeType, from old: String? = nil) -> Model {
            var model = Model(name: "Shop")
            var property = Attribute(name: attribute, type: type)
            property.isOptional = true
            property.renamingIdentifier = old
            model.entities = [Entity(name: entity)]
            model.entities[0].attributes = [property]
            return model
        }
        var renamed = model("Purchase", "total", .binary)
        renamed.entities[0].renamingIdentifier = "Order"
        let (_, result) = try Self.generate([
            ("A", model("Order", "number", .integer16)), ("B", model("Order", "total", .integer16, from: "number")),
            ("C", model("Order", "total", .binary)), ("D", renamed),
        ])
        let plan = try #require(result.files.first { $0.name == "Shop+MigrationPlan.swift" }?.text)
        #expect(plan.contains(".lightweight(fromVersion: ShopSchemaV1.self, toVersion: ShopSchemaV2.self)"))
        // Numbers cannot be converted to data, and SwiftData does not rename models.
        let own = result.files.filter { !$0.isRegenerated }
        #expect(own.map(\.name) == ["Shop+MigrationV2ToV3.swift", "Shop+MigrationV3ToV4.swift"])
        #expect(own.allSatisfy { $0.text.contains("// TODO: migrate") })
        #expect(plan.contains("willMigrate: willMigrateV3ToV4, didMigrate: didMigrateV3ToV4"))
    }

    @Test func namesThatCannotBeDeclaredAreErrorsAndNothingIsGenerated() throws {
        for name in ["Model", "Type", "class", "two words", "ShopMigrationPlan"] {
            var model = Model(name: "Shop")
            model.entities = [Entity(name: name)]
            let (_, result) = try Self.generate([("One", model)])
            #expect(
                result.files.isEmpty && result.findings.flatMap { $0 }.contains { $0.severity == .error }, "\(name)")
        }
    }
}
