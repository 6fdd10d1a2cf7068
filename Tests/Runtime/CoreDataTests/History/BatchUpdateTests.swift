import CoreData
import Testing

/// Batch updates of SQLite stores.
@Suite struct BatchUpdateTests {
    private func update(
        _ context: NSManagedObjectContext, _ entity: String, _ values: [AnyHashable: Any],
        _ predicate: NSPredicate? = nil
    ) throws -> [NSManagedObjectID] {
        let request = NSBatchUpdateRequest(entityName: entity)
        request.propertiesToUpdate = values
        request.predicate = predicate
        request.resultType = .updatedObjectIDsResultType
        let result = try #require(try context.execute(request) as? NSBatchUpdateResult)
        return try #require(result.result as? [NSManagedObjectID])
    }

    @Test func setsConstantsAndExpressions() throws {
        let stack = try HistoryStack()
        let context = try stack.context(stack.coordinator([:]))
        let books = (1...4).map { context.make($0 == 4 ? "Novel" : "Book", ["title": "t\($0)", "pages": $0]) }
        let author = context.make("Author", ["name": "Ada", "age": 7])
        books[0].setValue(author, forKey: "author")
        try context.save()
        let found = try update(
            context, "Book",
            ["price": 1.5, "date": NSNull(), "pages": NSExpression(format: "pages * 10")],
            NSPredicate(format: "pages >= 2"))
        #expect(Set(found) == Set(books[1...].map(\.objectID)))
        #expect(
            try stack.rows("SELECT ZPAGES, ZPRICE, Z_OPT FROM ZBOOK ORDER BY Z_PK") == [
                ["1", nil, "1"], ["20", "1.5", "2"], ["30", "1.5", "2"], ["40", "1.5", "2"],
            ])
        // Contexts do not see the update until its changes are merged.
        #expect(books[1].value(forKey: "pages") as? Int == 2)
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectIDsKey: found], into: [context])
        #expect(books[1].value(forKey: "pages") as? Int == 20)
        // A change that bypassed a context causes a conflict.
        #expect(books[2].value(forKey: "pages") as? Int == 30)
        _ = try update(context, "Book", ["title": "x"], NSPredicate(format: "SELF == %@", books[2]))
        books[2].setValue("y", forKey: "title")
        #expect(throws: (any Error).self) { try context.save() }
        context.rollback()
        // An expression that follows a relationship.
        _ = try update(
            context, "Book", ["title": NSExpression(forKeyPath: "author.name")], NSPredicate(format: "author != nil"))
        #expect(try stack.rows("SELECT ZTITLE FROM ZBOOK WHERE ZAUTHOR NOT NULL") == [["Ada"]])
    }

    @Test func updatesSubentitiesAndReturnsCounts() throws {
        let stack = try HistoryStack()
        let context = try stack.context(stack.coordinator([:]))
        for entity in ["Book", "Novel", "Novel"] { _ = context.make(entity) }
        try context.save()
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.includesSubentities = false
        request.propertiesToUpdate = ["pages": 5]
        request.resultType = .updatedObjectsCountResultType
        #expect((try context.execute(request) as? NSBatchUpdateResult)?.result as? Int == 1)
        request.includesSubentities = true
        #expect((try context.execute(request) as? NSBatchUpdateResult)?.result as? Int == 3)
        let novels = NSBatchUpdateRequest(entityName: "Novel")
        novels.propertiesToUpdate = ["genre": "crime"]
        #expect((try context.execute(novels) as? NSBatchUpdateResult)?.result as? Bool == true)
        #expect(try stack.rows("SELECT count(*) FROM ZBOOK WHERE ZGENRE = 'crime' AND Z_ENT = 3") == [["2"]])
    }

    /// Predicates that SQL cannot express are evaluated on objects.
    @Test func predicatesBeyondSQLAreEvaluatedInMemory() throws {
        let stack = try HistoryStack()
        let context = try stack.context(stack.coordinator([:]))
        for name in ["Ada", "Bea", "Cid"] { _ = context.make("Author", ["name": name]) }
        try context.save()
        let predicate = NSPredicate(format: "name MATCHES %@", "[AC].*")
        #expect(try update(context, "Author", ["age": 1], predicate).count == 2)
        #expect(try stack.rows("SELECT ZNAME FROM ZAUTHOR WHERE ZAGE = 1 ORDER BY 1") == [["Ada"], ["Cid"]])
    }

    @Test(.overDatabases) func updatesRelationships() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        let authors = ["a", "b"].map { context.make("Author", ["name": $0]) }
        let books = (0..<4).map { context.make("Book", ["title": "t\($0)", "author": authors[$0 % 2]]) }
        let shelf = context.make("Shelf", ["name": "s"])
        shelf.setValue(NSOrderedSet(array: [books[3]]), forKey: "volumes")
        books[0].setValue(books[1], forKey: "sequel")
        try context.save()
        _ = try update(context, "Book", ["author": authors[1].objectID])
        _ = try update(context, "Book", ["shelf": shelf], NSPredicate(format: "title < %@", "t2"))
        context.refreshAllObjects()
        #expect(authors[0].names("books").isEmpty && authors[1].names("books").count == 4)
        #expect(shelf.names("volumes") == ["t3", "t0", "t1"])
        // Both sides of a one-to-one relationship are updated.
        _ = try update(context, "Book", ["sequel": books[2]], NSPredicate(format: "SELF == %@", books[0]))
        context.refreshAllObjects()
        #expect(books[0].value(forKey: "sequel") as? NSManagedObject === books[2])
        #expect(books[2].value(forKey: "prequel") as? NSManagedObject === books[0])
        #expect(books[1].value(forKey: "prequel") == nil)
        let touched = try #require(try context.history().last?.changes).map(\.changedObjectID)
        #expect(Set(touched) == [books[0].objectID, books[1].objectID, books[2].objectID])
        #expect(throws: (any Error).self) { try update(context, "Book", ["sequel": books[2]]) }
        _ = try update(context, "Book", ["sequel": NSNull()])
        context.refreshAllObjects()
        #expect(books.allSatisfy { $0.value(forKey: "sequel") == nil && $0.value(forKey: "prequel") == nil })
    }

    @Test func uniquenessViolationsChangeNothing() throws {
        let model = Library.model()
        try #require(model.entitiesByName["Author"]).uniquenessConstraints = [["name"]]
        let stack = try HistoryStack(model)
        let context = try stack.context(stack.coordinator([:]))
        for name in ["a", "b"] { _ = context.make("Author", ["name": name]) }
        try context.save()
        do {
            _ = try update(context, "Author", ["name": "c"])
            Issue.record("both have the same name")
        } catch {
            #expect((error as NSError).code == NSManagedObjectConstraintMergeError)
        }
        #expect(try stack.rows("SELECT ZNAME FROM ZAUTHOR ORDER BY 1") == [["a"], ["b"]])
    }

    @Test func largeValuesAreStoredInExternalFiles() throws {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"])
        book.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        let stack = try HistoryStack(model)
        let context = try stack.context(stack.coordinator([:]))
        func data(_ byte: UInt8) -> Data { Data(repeating: byte, count: 300_000) }
        let books = [1, 2, 3].map { context.make("Book", ["data": data($0)]) }
        try context.save()
        let folder = stack.folder.appendingPathComponent(".history_SUPPORT/_EXTERNAL_DATA")
        func files() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder.path).count }
        #expect(try files() == 3)
        _ = try update(context, "Book", ["data": data(9)], NSPredicate(format: "SELF != %@", books[0]))
        #expect(try files() == 3)
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        fetch.predicate = NSPredicate(format: "SELF == %@", books[1])
        try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        #expect(try files() == 2)
        context.refreshAllObjects()
        #expect(books[0].value(forKey: "data") as? Data == data(1))
        #expect(books[2].value(forKey: "data") as? Data == data(9))
        try context.execute(NSBatchInsertRequest(entityName: "Book", objects: [["data": data(4)]]))
        #expect(try files() == 3)
        _ = try update(context, "Book", ["data": NSNull()])
        #expect(try files() == 0)
    }
}
