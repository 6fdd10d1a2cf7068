import CoreData
import Testing

/// Saves of child contexts while their parents save or change.
@Suite struct ChildSaveTests {
    private func makeContexts() throws -> (parent: NSManagedObjectContext, child: NSManagedObjectContext) {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.isOptional = true
        let entity = NSEntityDescription()
        entity.name = "Entry"
        entity.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.persistentStoreCoordinator = coordinator
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return (parent, child)
    }

    private func insertEntry(_ name: String, into context: NSManagedObjectContext) -> NSManagedObject {
        let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
        entry.setValue(name, forKey: "name")
        return entry
    }

    private func names(in context: NSManagedObjectContext) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
    }

    @Test func aFaultWithATemporaryIDFiresAfterTheParentHasSaved() throws {
        let (parent, child) = try makeContexts()
        try child.performAndWait {
            let entry = insertEntry("first", into: child)
            try child.save()
            child.refresh(entry, mergeChanges: false)
            #expect(entry.isFault && entry.objectID.isTemporaryID)
            try parent.performAndWait { try parent.save() }
            #expect(entry.value(forKey: "name") as? String == "first")
            #expect(!entry.isDeleted && !entry.objectID.isTemporaryID)
            entry.setValue("second", forKey: "name")
            try child.save()
        }
        try parent.performAndWait {
            try parent.save()
            parent.reset()
            #expect(try names(in: parent) == ["second"])
        }
    }

    @Test func anObjectInsertedWhileItsContextSavesStaysInserted() throws {
        let (parent, child) = try makeContexts()
        nonisolated(unsafe) var inserted: [NSManagedObject] = []
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: parent, queue: nil
        ) { _ in
            guard inserted.isEmpty else { return }
            let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: child)
            entry.setValue("late", forKey: "name")
            inserted.append(entry)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try child.performAndWait {
            _ = insertEntry("early", into: child)
            try child.save()
            #expect(child.insertedObjects == Set(inserted) && inserted.count == 1)
            try child.save()
            #expect(!child.hasChanges)
        }
        try parent.performAndWait {
            try parent.save()
            parent.reset()
            #expect(try names(in: parent) == ["early", "late"])
        }
    }
}
