import CoreData
import Testing

/// Mapping models and their parts are compared by content.
@Suite struct MappingEqualityTests {
    private static func mapping(_ change: (NSEntityMapping) -> Void = { _ in }) -> NSMappingModel {
        let title = NSPropertyMapping()
        title.name = "title"
        title.valueExpression = NSExpression(format: "$source.name")
        let mapping = NSEntityMapping()
        mapping.name = "BookToBook"
        mapping.mappingType = .transformEntityMappingType
        (mapping.sourceEntityName, mapping.destinationEntityName) = ("Book", "Book")
        mapping.attributeMappings = [title]
        mapping.userInfo = ["a": 1]
        change(mapping)
        let model = NSMappingModel()
        model.entityMappings = [mapping]
        return model
    }

    @Test func equalContentIsEqual() throws {
        let (one, other) = (Self.mapping(), Self.mapping())
        #expect(one == other && one.hash == other.hash && one.entityMappings == other.entityMappings)
        let old = Library.model()
        let new = Library.model()
        new.entitiesByName["Book"]?.properties.append(SmallModel.attribute("extra2", .stringAttributeType))
        func inferred() throws -> NSMappingModel {
            try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        }
        #expect(try inferred() == inferred())
    }

    @Test func differentContentIsNot() {
        let changes: [(NSEntityMapping) -> Void] = [
            { $0.name = "other" }, { $0.mappingType = .copyEntityMappingType }, { $0.sourceEntityName = "Tag" },
            { $0.destinationEntityName = nil }, { $0.sourceEntityVersionHash = Data([1]) },
            { $0.destinationEntityVersionHash = Data([1]) }, { $0.attributeMappings = nil },
            { $0.attributeMappings?[0].name = "name" }, { $0.attributeMappings?[0].valueExpression = nil },
            { $0.attributeMappings?[0].userInfo = ["b": 1] },
            { $0.relationshipMappings = [NSPropertyMapping()] }, { $0.userInfo = ["a": 2] },
            { $0.entityMigrationPolicyClassName = "Policy" },
            { $0.sourceExpression = NSExpression(forConstantValue: [1]) },
        ]
        for (number, change) in changes.enumerated() { #expect(Self.mapping() != Self.mapping(change), "\(number)") }
        #expect(NSMappingModel() != Self.mapping())
    }
}
