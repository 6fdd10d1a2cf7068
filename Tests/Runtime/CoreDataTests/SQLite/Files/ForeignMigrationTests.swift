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

    /// A migration need not change a table or an object.
    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType], ["required", "modifier", "narrower"])
    func migrationsThatOnlyChangeHashesAreNoticed(_ type: String, _ change: String) throws {
        func model(_ isChanged: Bool) -> NSManagedObjectModel {
            let title = SmallModel.attribute("title", .stringAttributeType) {
                $0.isOptional = !(isChanged && change == "required")
                $0.defaultValue = "none"
                if isChanged, change == "modifier" { $0.versionHashModifier = "2" }
            }
            let number = SmallModel.attribute(
                "number", isChanged && change == "narrower" ? .integer16AttributeType : .integer64AttributeType)
            return SmallModel.model([SmallModel.entity("Note", [title, number])])
        }
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Notes.store")
        let first = NSPersistentStoreCoordinator(managedObjectModel: model(false))
        let store = try first.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = try Library.context(first)
        try context.performAndWait {
            let note = context.make("Note", ["title": "a", "number": 1])
            try context.save()
            if type == NSSQLiteStoreType {
                let second = NSPersistentStoreCoordinator(managedObjectModel: model(true))
                try second.addPersistentStore(
                    ofType: type, configurationName: nil, at: url, options: Self.migrating)
            } else {
                // What an automatic migration does: the UUID and the objects stay the same.
                let second = NSPersistentStoreCoordinator(managedObjectModel: model(true))
                let new = folder.url.appendingPathComponent("New.store")
                let copy = try second.addPersistentStore(ofType: type, configurationName: nil, at: new)
                var metadata = copy.metadata ?? [:]
                metadata[NSStoreUUIDKey] = store.identifier
                copy.metadata = metadata
                let other = try Library.context(second)
                try other.performAndWait {
                    _ = other.make("Note", ["title": "a", "number": 1])
                    try other.save()
                }
                #expect(rename(new.path, url.path) == 0)
            }
            let before = try Data(contentsOf: url)
            note.setValue("b", forKey: "title")
            context.mergePolicy = NSMergePolicy.overwrite
            let error = nsError { try context.save() }
            #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError, "\(error as Any)")
            #expect(try Data(contentsOf: url) == before)
            if type == NSSQLiteStoreType {
                let history = NSPersistentHistoryChangeRequest.deleteHistory(before: Date())
                #expect(nsError { _ = try context.execute(history) } != nil)
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
