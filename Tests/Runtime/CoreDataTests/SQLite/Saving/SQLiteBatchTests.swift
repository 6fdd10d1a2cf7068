import CoreData
import Testing

/// Batch requests to a SQLite store.
@Suite struct SQLiteBatchTests {
    private func filled(_ model: NSManagedObjectModel = Library.model()) throws -> (TestStore, NSManagedObjectContext) {
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            let author = context.make("Author", ["name": "x", "age": 10])
            for index in 0..<10 {
                let entity = index % 2 == 0 ? "Book" : "Novel"
                let book = context.make(entity, ["title": "\(index)", "pages": index, "author": author])
                book.mutableSetValue(forKey: "tags").add(context.make("Tag", ["name": "\(index)"]))
            }
            try context.save()
        }
        return (store, context)
    }

    @Test func batchesInsertRows() throws {
        let (store, context) = try filled()
        try context.performAndWait {
            let request = NSBatchInsertRequest(
                entityName: "Book", objects: [["title": "new", "pages": 7], ["price": 2.5]])
            request.resultType = .objectIDs
            let result = try #require(try context.execute(request) as? NSBatchInsertResult)
            let ids = try #require(result.result as? [NSManagedObjectID])
            #expect(ids.map { $0.uriRepresentation().lastPathComponent } == ["p11", "p12"])
            let book = try context.existingObject(with: ids[0])
            #expect(book.value(forKey: "title") as? String == "new" && book.value(forKey: "isNew") as? Bool == true)
            _ = context.make("Book")
            try context.save()
        }
        #expect(try store.database().rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == [["13"]])
        #expect(
            try store.database().rows("SELECT ZTITLE, ZPRICE, Z_OPT, Z_ENT FROM ZBOOK WHERE Z_PK = 12") == [
                ["Untitled", "2.5", "1", "2"]
            ])
    }

    @Test(
        arguments: [
            (NSMergePolicy.error, nil), (.mergeByPropertyObjectTrump, "new"), (.mergeByPropertyStoreTrump, "old"),
        ] as [(NSMergePolicy, String?)])
    func batchInsertionsHonorUniqueness(policy: NSMergePolicy, name: String?) throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.uniquenessConstraints = [["age"]]
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Author", ["name": "old", "age": 1])
            try context.save()
            context.mergePolicy = policy
            let request = NSBatchInsertRequest(
                entityName: "Author", objects: [["name": "new", "age": 1], ["name": "other", "age": 2]])
            let error = nsError { try context.execute(request) }
            #expect((error == nil) == (name != nil))
            if error != nil { #expect(error?.code == NSManagedObjectConstraintMergeError) }
        }
        let rows = try store.database().rows("SELECT ZNAME FROM ZAUTHOR ORDER BY Z_PK").map { $0[0] }
        #expect(rows == (name.map { [$0, "other"] } ?? ["old"]))
    }

    @Test func batchesUpdateRows() throws {
        let (store, context) = try filled()
        try context.performAndWait {
            let known = try #require(try context.all("Book", by: "pages").first)
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.predicate = NSPredicate(format: "pages >= 5")
            request.propertiesToUpdate = [
                "title": "many", "pages": NSExpression(format: "pages * 2"), "author": NSNull(),
            ]
            request.resultType = .updatedObjectsCountResultType
            let result = try #require(try context.execute(request) as? NSBatchUpdateResult)
            #expect(result.result as? Int == 5)
            #expect(known.value(forKey: "title") as? String == "0")
        }
        let rows = try store.database().rows(
            "SELECT ZPAGES, Z_OPT FROM ZBOOK WHERE ZTITLE = 'many' AND ZAUTHOR ISNULL ORDER BY 1")
        #expect(rows == [["10", "2"], ["12", "2"], ["14", "2"], ["16", "2"], ["18", "2"]])
    }

    /// Relationships remain consistent: references become null, and members of cascading relationships are deleted,
    /// too.
    @Test func batchesDeleteRowsAndKeepRelationshipsConsistent() throws {
        let (store, context) = try filled(Library.model(booksRule: .cascadeDeleteRule))
        try context.performAndWait {
            let tags = NSFetchRequest<NSManagedObject>(entityName: "Tag")
            tags.predicate = NSPredicate(format: "name IN {'1', '2'}")
            let request = NSBatchDeleteRequest(fetchRequest: tags)
            request.resultType = .resultTypeCount
            let result = try #require(try context.execute(request) as? NSBatchDeleteResult)
            #expect(result.result as? Int == 2)
            let joined = try store.database().rows("SELECT count(*) FROM Z_2TAGS")
            #expect(joined == [["8"]])
            let author = try #require(try context.all("Author").first)
            try context.execute(NSBatchDeleteRequest(objectIDs: [author.objectID]))
        }
        let database = try store.database()
        #expect(try database.rows("SELECT count(*) FROM ZAUTHOR") == [["0"]])
        #expect(try database.rows("SELECT count(*) FROM ZBOOK") == [["0"]])
        #expect(try database.rows("SELECT count(*) FROM Z_2TAGS") == [["0"]])
        #expect(try database.rows("SELECT count(*) FROM ZTAG") == [["8"]])
    }
}
