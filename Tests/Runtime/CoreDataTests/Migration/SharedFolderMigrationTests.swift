import CoreData
import Testing

/// Migrations next to a store that shares the folder of external files: their names differ only in the extension.
@Suite struct SharedFolderMigrationTests {
    private static func model(_ more: [NSPropertyDescription] = []) -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity(
                "Photo",
                [
                    SmallModel.attribute("data", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true }
                ] + more)
        ])
    }

    @Test func failuresKeepTheExternalFilesOfTheSource() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        let value = Data(repeating: 7, count: 150_000)
        try context.performAndWait {
            _ = context.make("Photo", ["data": value])
            try context.save()
        }
        try TestStore.close(context)
        let before = try store.files()
        #expect(before.filter { $0.hasPrefix(".Store_SUPPORT/_EXTERNAL_DATA/") }.count == 1)
        let new = Self.model([SmallModel.attribute("title", .stringAttributeType)])
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: store.model, destinationModel: new)
        let entity = try #require(mapping.entityMappings?.first)
        entity.mappingType = .customEntityMappingType
        entity.entityMigrationPolicyClassName = "CoreDataTests.ThrowingPolicy"
        let error = nsError {
            try NSMigrationManager(sourceModel: store.model, destinationModel: new).migrateStore(
                from: store.url, sourceType: NSSQLiteStoreType, with: mapping,
                toDestinationURL: store.folder.appendingPathComponent("Store.v2"), destinationType: NSSQLiteStoreType)
        }
        #expect(error?.code == NSEntityMigrationPolicyError)
        // Nothing is left of the new store either.
        #expect(try store.files() == before)
        let again = try store.open()
        try again.performAndWait { () throws in
            #expect(try again.all("Photo").map { $0.value(forKey: "data") as? Data } == [value])
        }
    }
}
