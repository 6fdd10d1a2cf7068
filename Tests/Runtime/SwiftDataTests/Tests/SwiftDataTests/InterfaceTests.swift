import CoreData
import Testing

@testable import SwiftData

/// The types and members of the specification's tables that no other suite uses.
@Suite struct InterfaceTests {
    private let context: ModelContext

    init() throws { context = try makeContext() }

    @Test func modelsHaveAnIdentityAndAContext() throws {
        let item = Item(timestamp: .now, name: "a")
        #expect(item.modelContext == nil && !item.hasChanges && !item.isDeleted)
        #expect(item.id == item.persistentModelID && item == item)
        #expect(Item.schemaMetadata.count == 5)
        let backing: any BackingData<Item> = Item.createBackingData()
        #expect(backing.persistentModelID == nil || backing.persistentModelID?.storeIdentifier == nil)
        item.setValue(forKey: \.name, to: "b")
        let name: String = item.getValue(forKey: \.name)
        #expect(name == "b" && item.name == "b")
        context.insert(item)
        #expect(item.hasChanges && item.modelContext == context)
        try context.save()
        item.count = 3
        #expect(item.hasChanges && context.changedModelsArray.map(\.persistentModelID) == [item.persistentModelID])
    }

    @Test func identifiersAreMadeFromKeys() throws {
        let made = try PersistentIdentifier.identifier(for: "store", entityName: "Item", primaryKey: "7")
        #expect(made.entityName == "Item" && made.storeIdentifier == "store" && made.id == made.id)
        let other = try PersistentIdentifier.identifier(for: "store", entityName: "Item", primaryKey: 10)
        #expect(made != other && (made < other) != (other < made))
        #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(made)) == made)
    }

    @Test func contextsHaveAnAuthorAndAState() throws {
        let other = ModelContext(context.container)
        #expect(context == context && context != other && context.container == other.container)
        #expect(context.editingState.id != other.editingState.id)
        context.author = "a"
        #expect(context.editingState.author == "a" && other.author == nil)
        #expect(!context.debugDescription.isEmpty)
        let keys: [ModelContext.NotificationKey] = [
            .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers, .invalidatedAllIdentifiers,
            .queryGeneration,
        ]
        #expect(
            keys.map(\.rawValue) == [
                "insertedIdentifiers", "updatedIdentifiers", "deletedIdentifiers", "invalidatedAllIdentifiers",
                "queryGeneration",
            ])
    }

    @Test func containersAreMadeOfClassesOrASchema() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let schema = Schema([Item.self], version: .init(2, 0, 0))
        let containers = [
            try ModelContainer(for: Item.self, Tag.self, configurations: memory),
            try ModelContainer(for: schema, configurations: memory),
            try ModelContainer(for: schema, migrationPlan: nil, configurations: [memory]),
            try ModelContainer(for: schema, configurations: [memory] as [any DataStoreConfiguration]),
            try ModelContainer(
                for: Item.self, configurations: ModelConfiguration(for: Item.self, isStoredInMemoryOnly: true)),
        ]
        for container in containers {
            #expect(container == container && container.migrationPlan == nil)
            #expect(container.configurations.count == 1 && container.schema.entitiesByName["Item"] != nil)
            let context = ModelContext(container)
            context.insert(Item(timestamp: .now))
            try context.save()
            try container.erase()
            #expect(try context.fetchCount(FetchDescriptor<Item>()) == 0)
        }
        #expect(containers[0] != containers[1] && containers[1].schema.version == .init(2, 0, 0))
    }

    @Test func configurationsKeepTheirSettings() throws {
        let url = URL(fileURLWithPath: "/tmp/x.store")
        let schema = Schema(Item.self)
        let file = ModelConfiguration(
            "x", schema: schema, url: url, allowsSave: false, cloudKitDatabase: .private("iCloud.x"))
        #expect(file.name == "x" && file.url == url && file.id == url && !file.allowsSave && !file.isStoredInMemoryOnly)
        #expect(file.schema == schema && file.cloudKitContainerIdentifier == "iCloud.x")
        let plain = ModelConfiguration()
        #expect(plain.url.lastPathComponent == "default.store" && plain.allowsSave && plain.schema == nil)
        #expect(plain.groupAppContainerIdentifier == nil && plain.cloudKitContainerIdentifier == nil)
        let named = ModelConfiguration("Shelf", groupContainer: .none, cloudKitDatabase: .none)
        #expect(
            named.url.lastPathComponent == "Shelf.store"
                && named.url.deletingLastPathComponent() == plain.url.deletingLastPathComponent())
        #expect(ModelConfiguration(isStoredInMemoryOnly: true).isStoredInMemoryOnly)
        #expect(ModelConfiguration(schema: schema, isStoredInMemoryOnly: true, allowsSave: true).isStoredInMemoryOnly)
        #expect(Set([file, file, plain]).count == 2 && !file.debugDescription.isEmpty)
        try file.validate()
    }

    @Test func versionsAreOrdered() throws {
        let versions: [Schema.Version] = [.init(1, 2, 3), .init(1, 10, 0), .init(2, 0, 0)]
        #expect(versions.shuffled().sorted() == versions && versions[0].description == "1.2.3")
        #expect(try JSONDecoder().decode([Schema.Version].self, from: JSONEncoder().encode(versions)) == versions)
        #expect((versions[1].major, versions[1].minor, versions[1].patch) == (1, 10, 0))
    }

    @Test func schemasDescribeAttributes() throws {
        let entity = try #require(Schema(Described.self).entity(for: Described.self))
        #expect(Schema.entityName(for: Described.self) == "Described" && entity.name == "Described")
        #expect(
            entity.storedProperties.map(\.name) == ["code", "photo", "seen", "list", "blob", "size", "tag", "friends"])
        let attributes = entity.attributesByName
        let code = try #require(attributes["code"])
        #expect(
            code.isUnique && code.options.contains(.unique) && code.originalName == "key" && code.hashModifier == "v2")
        #expect(code.valueType == String.self && !code.isOptional && code.isAttribute && !code.isRelationship)
        #expect(
            attributes["photo"]?.options == [.externalStorage, .allowsCloudEncryption]
                && attributes["photo"]?.isOptional == true)
        #expect(attributes["seen"]?.isTransient == true && attributes["seen"]?.defaultValue as? Int == 4)
        #expect(attributes["list"]?.isTransformable == true && attributes["blob"]?.isCodable == true)
        #expect(attributes["size"] is Schema.CompositeAttribute)
        let tag = try #require(entity.relationshipsByName["tag"])
        #expect(
            tag.isToOneRelationship && tag.isOptional && tag.destination == "Befriended" && tag.deleteRule == .cascade)
        #expect(tag.keypath == \Described.tag && tag.inverseName == nil && tag.originalName == "mark")
        let friends = try #require(entity.relationshipsByName["friends"])
        #expect(
            !friends.isToOneRelationship && friends.inverseName == "owner"
                && friends.inverseKeyPath == \Befriended.owner)
        #expect(friends.minimumModelCount == 0 && friends.maximumModelCount == 3 && friends.isRelationship)
        #expect(entity.storedPropertiesByName["code"] != nil && entity.inheritedProperties.isEmpty)
        #expect(entity.superentityName == nil && entity.uniquenessConstraints == [["code"]])
    }

    @Test func propertiesAreDescribedInCode() {
        let attribute = Schema.Attribute(
            name: "n", originalName: "o", options: [.spotlight, .preserveValueOnDeletion], valueType: Int?.self,
            defaultValue: 3,
            hashModifier: "h")
        #expect(attribute.name == "n" && attribute.isOptional && attribute.defaultValue as? Int == 3)
        #expect(Schema.Attribute(.unique, .ephemeral, originalName: "o").options == [.unique, .ephemeral])
        #expect(Schema.Attribute(.transformable(by: "X")).isTransformable)
        #expect(Schema.Attribute(.transformable(by: ValueTransformer.self)).isTransformable)
        let relationship = Schema.Relationship(
            .unique, deleteRule: .deny, inverse: \Befriended.owner, hashModifier: "h")
        #expect(relationship.isUnique && relationship.deleteRule == .deny && relationship.hashModifier == "h")
        #expect(
            ["noAction", "nullify", "cascade", "deny"].map(Schema.Relationship.DeleteRule.init(rawValue:)).allSatisfy {
                $0 != nil
            })
        let metadata = Schema.PropertyMetadata(name: "count", keypath: \Item.count)
        _ = metadata
        #expect(Schema.Unique<Tag>([\.name], [\.name, \.scope]).constraints.count == 2)
        #expect(Schema.Index<Tag>([\.name]).indices.count == 1)
        #expect(Schema.Index<Tag>(.binary([\.name]), .rtree([\.name, \.scope])).indices.count == 2)
    }

    @Test func schemasAreSavedToFiles() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        let schema = Schema(Described.self, version: .init(3, 1, 0))
        try schema.save(to: url)
        let loaded = try Schema.load(from: url)
        #expect(loaded == schema && loaded.version == .init(3, 1, 0) && loaded.hashValue == schema.hashValue)
        #expect(Schema().entities.isEmpty)
        #expect(Schema(schema.entities[0]).entities.map(\.name) == ["Befriended", "Described"])
    }

    @Test(arguments: [
        SwiftDataError.unsupportedPredicate, .unsupportedSortDescriptor, .unsupportedKeyPath,
        .includePendingChangesWithBatchSize, .sortingPendingChangesWithIdentifiers, .missingModelContext,
        .modelValidationFailure, .unknownSchema, .backwardMigration, .loadIssueModelContainer, .duplicateConfiguration,
        .configurationFileNameTooLong, .configurationFileNameContainsInvalidCharacters,
        .configurationSchemaNotFoundInContainerSchema, .historyTokenExpired, .invalidTransactionFetchRequest,
    ]) func errorsAreMatchedByKind(error: SwiftDataError) {
        do {
            throw error
        } catch SwiftDataError.historyTokenExpired {
            #expect(error == .historyTokenExpired)
        } catch {
            #expect(!error.localizedDescription.isEmpty && error as? SwiftDataError != .historyTokenExpired)
        }
    }
}

@Model final class Described {
    @Attribute(.unique, originalName: "key", hashModifier: "v2") var code: String
    @Attribute(.externalStorage, .allowsCloudEncryption) var photo: Data?
    @Attribute(.ephemeral) var seen: Int = 4
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var list: NSArray?
    @Attribute(.codable) var blob: Format?
    var size: Format?
    @Relationship(deleteRule: .cascade, originalName: "mark", inverse: nil) var tag: Befriended?
    @Relationship(minimumModelCount: 0, maximumModelCount: 3, inverse: \Befriended.owner) var friends: [Befriended] = []

    init(code: String) { self.code = code }
}

@Model final class Befriended {
    var owner: Described?
    init() {}
}
