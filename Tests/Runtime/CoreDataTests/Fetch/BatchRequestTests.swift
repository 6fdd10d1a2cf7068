import CoreData
import Testing

/// Batch requests independent of a store, and custom stores that execute them.
@Suite struct BatchRequestTests {
    @Test func requestsHaveApplesDefaults() throws {
        let model = Library.model()
        let entity = try #require(model.entitiesByName["Author"])
        let insert = NSBatchInsertRequest(entity: entity, objects: [["name": "a"]])
        #expect(insert.entityName == "Author" && insert.entity === entity && insert.resultType == .statusOnly)
        #expect(insert.objectsToInsert?.count == 1 && insert.dictionaryHandler == nil)
        #expect(NSBatchInsertRequest(entityName: "Author", dictionaryHandler: { _ in true }).entity == nil)
        #expect(NSBatchInsertRequest(entity: entity, managedObjectHandler: { _ in true }).managedObjectHandler != nil)
        let update = NSBatchUpdateRequest(entityName: "Author")
        #expect(update.includesSubentities && update.predicate == nil && update.propertiesToUpdate == nil)
        #expect(update.resultType == .statusOnlyResultType && update.entityName == "Author")
        let fetch = NSFetchRequest<NSManagedObject>(entityName: "Author")
        fetch.predicate = NSPredicate(format: "age > 1")
        let delete = NSBatchDeleteRequest(fetchRequest: fetch)
        #expect(delete.fetchRequest.predicate == fetch.predicate && delete.resultType == .resultTypeStatusOnly)
        let kinds = [insert, update, delete].map { ($0 as NSPersistentStoreRequest).requestType.rawValue }
        #expect(kinds == [5, 6, 7])
    }

    @Test func copiesKeepEverything() throws {
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.predicate = NSPredicate(format: "age > 1")
        update.propertiesToUpdate = ["age": 2]
        update.includesSubentities = false
        update.resultType = .updatedObjectIDsResultType
        let copy = try #require(update.copy() as? NSBatchUpdateRequest)
        #expect(copy.predicate == update.predicate && copy.propertiesToUpdate?["age"] as? Int == 2)
        #expect(!copy.includesSubentities && copy.resultType == .updatedObjectIDsResultType)
        let insert = NSBatchInsertRequest(entityName: "Author", objects: [[:], [:]])
        insert.resultType = .count
        let second = try #require(insert.copy() as? NSBatchInsertRequest)
        #expect(second.objectsToInsert?.count == 2 && second.resultType == .count && second.entityName == "Author")
    }

    @Test func inMemoryStoresRejectBatchRequests() throws {
        let context = try Library.context()
        let saved = context.make("Author", ["name": "a"])
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["age": 1]
        let requests: [NSPersistentStoreRequest] = [
            NSBatchInsertRequest(entityName: "Author", objects: [["name": "b"]]), update,
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Author")),
            NSBatchDeleteRequest(objectIDs: [saved.objectID]),
            NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil),
        ]
        for request in requests {
            do {
                try context.execute(request)
                Issue.record("\(request) was executed")
            } catch {
                let error = error as NSError
                #expect(error.domain == NSCocoaErrorDomain)
                #expect(error.code == NSPersistentStoreUnsupportedRequestTypeError)
            }
        }
        #expect(try context.all("Author").count == 1)
    }

    @Test func customStoresReceiveTheRequest() throws {
        let stack = try ServerStack(of: BatchStore.self)
        let ages = [1, 2, 3]
        for age in ages { stack.server.add("Author", ["age": age]) }
        let context = try stack.context()
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        fetch.predicate = NSPredicate(format: "age >= 2")
        let delete = NSBatchDeleteRequest(fetchRequest: fetch)
        delete.resultType = .resultTypeObjectIDs
        let result = try #require(try context.execute(delete) as? NSBatchDeleteResult)
        #expect(result.resultType == .resultTypeObjectIDs)
        #expect((result.result as? [NSManagedObjectID])?.count == 2)
        #expect(try context.all("Author").map { $0.value(forKey: "age") as? Int } == [1])
        delete.resultType = .resultTypeCount
        #expect((try context.execute(delete) as? NSBatchDeleteResult)?.result as? Int == 0)
        delete.resultType = .resultTypeStatusOnly
        #expect((try context.execute(delete) as? NSBatchDeleteResult)?.result as? Bool == true)
        #expect(throws: (any Error).self) {
            try context.execute(NSBatchInsertRequest(entityName: "Author", objects: [["name": "b"]]))
        }
    }

    @Test func invalidRequestsTrap() async throws {
        await #expect(processExitsWith: .failure) {
            let context = try Library.context()
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["height": 1]
            try context.execute(update)
        }
        await #expect(processExitsWith: .failure) {
            let context = try Library.context()
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["books": NSSet()]
            try context.execute(update)
        }
        await #expect(processExitsWith: .failure) {
            let context = try Library.context()
            let objects = [context.make("Author"), context.make("Tag")]
            try context.save()
            _ = NSBatchDeleteRequest(objectIDs: objects.map(\.objectID))
        }
        await #expect(processExitsWith: .failure) {
            try Library.context().execute(NSBatchInsertRequest(entityName: "Nobody", objects: []))
        }
    }
}

/// A custom store that deletes in batches.
final class BatchStore: DictionaryStore, @unchecked Sendable {
    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        guard let request = request as? NSBatchDeleteRequest, let context else {
            return try super.execute(request, with: context)
        }
        let fetch = try #require(request.fetchRequest.copy() as? NSFetchRequest<any NSFetchRequestResult>)
        fetch.entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[fetch.entityName ?? ""]
        fetch.resultType = .managedObjectIDResultType
        let ids = try #require(try self.fetch(fetch, context) as? [NSManagedObjectID])
        for id in ids { server.records[key(id)] = nil }
        return request.resultType == .resultTypeObjectIDs ? ids as Any : ids.count as Any
    }
}
