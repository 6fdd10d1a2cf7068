import CoreData
import Testing

/// What a save changes outside of its transaction, and when.
@Suite struct SaveOutcomeTests {
    /// A parent's save that fails gives no permanent IDs to its child, whose later saves arrive.
    @Test func failedSavesOfParentsPublishNoIDs() throws {
        let store = try TestStore(SmallModel.twoConfigurations())
        let parent = try store.open()
        try parent.performAndWait {
            _ = parent.make("Page", ["name": "a", "number": 1])
            try parent.save()
        }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let page = child.performAndWait { child.make("Page", ["name": "a", "number": 2]) }
        #expect(Self.saveError(child) == nil)
        let id = page.objectID
        #expect(Self.saveError(parent)?.code == 133021)
        #expect(page.objectID == id && id.isTemporaryID)
        child.performAndWait { page.setValue("b", forKey: "name") }
        #expect(Self.saveError(child) == nil && Self.saveError(parent) == nil)
        child.performAndWait { page.setValue(3, forKey: "number") }
        #expect(Self.saveError(child) == nil && !page.objectID.isTemporaryID)
        #expect(Self.saveError(parent) == nil)
        let rows = try store.database().rows("SELECT ZNAME, ZNUMBER FROM ZPAGE ORDER BY 1")
        #expect(rows == [["a", "1"], ["b", "3"]])
    }

    /// Saves a context, and returns the error.
    private static func saveError(_ context: NSManagedObjectContext) -> NSError? {
        context.performAndWait {
            do {
                try context.save()
                return nil
            } catch {
                return error as NSError
            }
        }
    }

    /// Derived values that a save computes do not hide what another context has saved of the same object.
    @Test(arguments: [NSInMemoryStoreType, NSSQLiteStoreType])
    func derivedValuesDoNotHideConflicts(_ type: String) throws {
        let folder = try TestFolder()
        let model = Library.model()
        let count = NSDerivedAttributeDescription()
        count.name = "bookCount"
        count.attributeType = .integer64AttributeType
        count.isOptional = true
        count.derivationExpression = NSExpression(format: "books.@count")
        model.entitiesByName["Author"]?.properties.append(count)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder.url.appendingPathComponent("Store.sqlite"), options: nil)
        let (view, other) = (try Library.context(coordinator), try Library.context(coordinator))
        try view.performAndWait {
            let author = view.make("Author", ["name": "old"])
            try view.save()
            try other.performAndWait {
                try other.all("Author").first?.setValue("new", forKey: "name")
                try other.save()
            }
            // Of the author, only the relationship changes.
            _ = view.make("Book", ["author": author])
            try view.save()
            author.setValue(5, forKey: "age")
            #expect(nsError { try view.save() }?.code == NSManagedObjectMergeError)
            try other.performAndWait {
                other.reset()
                let saved = try #require(try other.all("Author").first)
                #expect(saved.value(forKey: "name") as? String == "new")
                #expect(saved.value(forKey: "bookCount") as? Int == 1)
            }
        }
    }
}
