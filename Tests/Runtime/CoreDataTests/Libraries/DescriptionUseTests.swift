import CoreData
import Testing

/// Descriptions and requests as libraries use them.
@Suite struct DescriptionUseTests {
    @Test func columnsAreReturnedAsTheyWereSet() throws {
        let context = try Library.context()
        let book = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Book"])
        let title = try #require(book.propertiesByName["title"])
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.entity = book
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title", "pages"]
        request.propertiesToGroupBy = [title, "pages"]
        _ = try context.fetch(request)
        #expect(request.propertiesToFetch as? [String] == ["title", "pages"])
        #expect(request.propertiesToGroupBy?.first as? NSPropertyDescription === title)
        #expect(request.propertiesToGroupBy?.last as? String == "pages")
    }

    @Test func customValuesOfAModelInUseMayChange() throws {
        let model = Library.model()
        let coordinator = try Library.coordinator(model)
        let book = try #require(model.entitiesByName["Book"])
        let hashes = model.entityVersionHashesByName
        book.propertiesByName["title"]?.userInfo = ["a": 1]
        book.userInfo = ["b": 2]
        #expect(book.propertiesByName["title"]?.userInfo?["a"] as? Int == 1 && book.userInfo?["b"] as? Int == 2)
        #expect(model.entityVersionHashesByName == hashes)
        withExtendedLifetime(coordinator) {}
    }

    @Test func historyChangesHaveTheirObjectsID() throws {
        let entity = try #require(NSPersistentHistoryChange.entityDescription)
        #expect(entity.attributesByName["changedObjectID"]?.attributeType == .objectIDAttributeType)
        let store = try TestStore()
        let context = try store.open([NSPersistentHistoryTrackingKey: true])
        let books = [context.make("Book"), context.make("Book")]
        try context.save()
        let request = try #require(NSPersistentHistoryChange.fetchRequest)
        request.predicate = NSPredicate(format: "%K == %@", "changedObjectID", books[1].objectID)
        let history = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: request)
        history.resultType = .changesOnly
        let result = try context.execute(history) as? NSPersistentHistoryResult
        let changes = result?.result as? [NSPersistentHistoryChange]
        #expect(changes?.map(\.changedObjectID) == [books[1].objectID])
    }

    @Test func classesWithoutAnEntityAreReported() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let entity = Unmodeled.entity()
            guard entity.name == nil else { fatalError("the entity has a name") }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("No NSEntityDescriptions in any model claim the NSManagedObject subclass 'Unmodeled'"))
    }
}

/// A class that no model names.
final class Unmodeled: NSManagedObject {}
