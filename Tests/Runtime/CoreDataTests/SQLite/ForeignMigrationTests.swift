import CoreData
import Testing

/// A store whose file others migrate or replace while it is open.
@Suite struct ForeignMigrationTests {
    private static func firstVersion() -> NSManagedObjectModel {
        SmallModel.model([SmallModel.entity("Note", [SmallModel.attribute("title", .stringAttributeType)])])
    }

    /// A version in which another entity gets the number of `Note`.
    private static func secondVersion() -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity("Author", [SmallModel.attribute("name", .stringAttributeType)]),
            SmallModel.entity(
                "Note",
                [
                    SmallModel.attribute("title", .stringAttributeType),
                    SmallModel.attribute("rating", .integer64AttributeType) {
                        $0.isOptional = false
                        $0.defaultValue = 5
                    },
                ]),
        ])
    }

    private static var migrating: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// The uses of a store that must fail.
    enum Use: CaseIterable {
        case fetch, count, save, fault, batchUpdate, batchDelete, permanentIDs
    }

    @Test(arguments: Use.allCases) func openStoresNoticeMigrations(_ use: Use) throws {
        let store = try TestStore(Self.firstVersion())
        let context = try store.open()
        try context.performAndWait {
            context.stalenessInterval = 0
            let note = context.make("Note", ["title": "a"])
            try context.save()
            let id = note.objectID
            context.reset()
            let fault = context.object(with: id)
            let new = use == .save || use == .permanentIDs ? context.make("Note", ["title": "b"]) : nil
            let other = try store.open(Self.migrating, model: Self.secondVersion())
            let before = try store.database().rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Note")
            let error = nsError {
                switch use {
                case .fetch: _ = try context.fetch(request)
                case .count: _ = try context.count(for: request)
                case .save: try context.save()
                case .fault: _ = try context.existingObject(with: id)
                case .batchUpdate:
                    let update = NSBatchUpdateRequest(entityName: "Note")
                    update.propertiesToUpdate = ["title": "x"]
                    _ = try context.execute(update)
                case .batchDelete: _ = try context.execute(NSBatchDeleteRequest(fetchRequest: request))
                case .permanentIDs: try context.obtainPermanentIDs(for: [new].compactMap { $0 })
                }
            }
            #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError, "\(error as Any)")
            // It stays closed.
            #expect(nsError { _ = try context.count(for: request) } != nil)
            _ = fault
            #expect(try store.database().rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == before)
            try other.performAndWait {
                let notes = try other.all("Note")
                #expect(notes.map { $0.value(forKey: "title") as? String } == ["a"])
                #expect(notes.map { $0.value(forKey: "rating") as? Int } == [5])
            }
        }
    }

    /// Other changes of the schema do not matter.
    @Test func otherChangesOfTheSchemaAreAllowed() throws {
        let store = try TestStore(Self.firstVersion())
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Note", ["title": "a"])
            try context.save()
            try store.database().run("CREATE INDEX other ON ZNOTE(ZTITLE)")
            #expect(try context.all("Note").count == 1)
            _ = context.make("Note", ["title": "b"])
            try context.save()
            #expect(try context.all("Note").count == 2)
        }
    }

    @Test func openStoresNoticeReplacedFiles() throws {
        let store = try TestStore(Self.firstVersion())
        let other = try TestStore(Self.firstVersion())
        let (context, source) = (try store.open(), try other.open())
        try source.performAndWait {
            _ = source.make("Note", ["title": "from elsewhere"])
            try source.save()
        }
        try context.performAndWait {
            _ = context.make("Note", ["title": "a"])
            try context.save()
            context.reset()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
            try coordinator.replacePersistentStore(
                at: store.url, withPersistentStoreFrom: other.url, ofType: NSSQLiteStoreType)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            let error = nsError { _ = try context.fetch(request) }
            #expect(error?.localizedDescription.contains("replaced") == true, "\(error as Any)")
        }
        let again = try store.open()
        #expect(
            try again.performAndWait { try again.all("Note").map { $0.value(forKey: "title") as? String } } == [
                "from elsewhere"
            ])
    }
}
