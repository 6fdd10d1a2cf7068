import CoreData
import Testing

/// XML stores written by Apple's tools: the mapping models in the folder named by `MODELC_CORPUS`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct XMLStoreCorpusTests {
    /// Returns the model of Xcode's editor for mapping models, whose stores these files are.
    private static func model() -> NSManagedObjectModel {
        func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = attributes.map { name, type in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.attributeType = type
                return attribute
            }
            return entity
        }
        func relate(
            _ one: NSEntityDescription, _ name: String, _ other: NSEntityDescription, _ inverse: String
        ) {
            let many = NSRelationshipDescription()
            many.name = name
            many.destinationEntity = other
            many.maxCount = 0
            let single = NSRelationshipDescription()
            single.name = inverse
            single.destinationEntity = one
            many.inverseRelationship = single
            single.inverseRelationship = many
            one.properties.append(many)
            other.properties.append(single)
        }
        let model = entity(
            "XDDevMappingModel",
            [
                ("sourceModelPath", .stringAttributeType), ("destinationModelPath", .stringAttributeType),
                ("sourceModelData", .binaryDataAttributeType), ("destinationModelData", .binaryDataAttributeType),
            ])
        let mapping = entity(
            "XDDevEntityMapping",
            [
                ("name", .stringAttributeType), ("sourceName", .stringAttributeType),
                ("destinationName", .stringAttributeType), ("mappingNumber", .integer16AttributeType),
                ("mappingTypeName", .stringAttributeType), ("autogenerateExpression", .booleanAttributeType),
                ("migrationPolicyClassName", .stringAttributeType),
                ("sourceFilterPredicateString", .stringAttributeType),
                ("sourceExpressionData", .binaryDataAttributeType), ("userInfoData", .binaryDataAttributeType),
            ])
        let common: [(String, NSAttributeType)] = [
            ("name", .stringAttributeType), ("valueExpressionData", .binaryDataAttributeType),
            ("userInfoData", .binaryDataAttributeType),
        ]
        let attributes = entity("XDDevAttributeMapping", common)
        let relationships = entity(
            "XDDevRelationshipMapping",
            common + [
                ("autogenerateExpression", .booleanAttributeType), ("sourceKeyPath", .stringAttributeType),
                ("sourceMappingName", .stringAttributeType),
            ])
        relate(model, "entityMappings", mapping, "mappingModel")
        relate(mapping, "attributeMappings", attributes, "entityMapping")
        relate(mapping, "relationshipMappings", relationships, "entityMapping")
        let result = NSManagedObjectModel()
        result.entities = [model, mapping, attributes, relationships]
        return result
    }

    /// A save without other changes writes each file unchanged, byte for byte.
    @Test func mappingModelsRoundTripByteForByte() throws {
        let root = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "")
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        let files = paths.filter { $0.hasSuffix("xcmapping.xml") }.sorted()
        #expect(!files.isEmpty)
        for file in files {
            let original = try Data(contentsOf: root.appendingPathComponent(file))
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("mapping-\(UUID()).xml")
            defer { try? FileManager.default.removeItem(at: url) }
            try original.write(to: url)
            let stack = try FormatStack(
                NSXMLStoreType, url, model: Self.model(), options: [NSIgnorePersistentStoreVersioningOption: true])
            defer { stack.remove() }
            let context = try stack.context()
            let mapping = try #require(try context.all("XDDevEntityMapping").first, "\(file)")
            let name = mapping.value(forKey: "destinationName")
            mapping.setValue("changed", forKey: "destinationName")
            try context.save()
            #expect(try Data(contentsOf: url) != original)
            mapping.setValue(name, forKey: "destinationName")
            try context.save()
            let saved = try Data(contentsOf: url)
            #expect(saved == original, "\(file): \(Self.difference(original, saved))")
        }
        print("read and wrote \(files.count) mapping models")
    }

    private static func difference(_ one: Data, _ other: Data) -> String {
        let (first, second) = (
            String(decoding: one, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false),
            String(decoding: other, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        )
        let index = zip(first, second).enumerated().first { $0.element.0 != $0.element.1 }
        return index.map { "line \($0.offset + 1): \($0.element.0.prefix(200)) / \($0.element.1.prefix(200))" }
            ?? "length"
    }
}
