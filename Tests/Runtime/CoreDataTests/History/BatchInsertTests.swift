import CoreData
import Testing

/// Batch insertions into SQLite stores.
@Suite struct BatchInsertTests {
    @Test func dictionariesBecomeObjects() throws {
        let stack = try HistoryStack()
        let context = try stack.context(stack.coordinator([:]))
        let id = UUID()
        let first = context.make("Book", ["title": "first"])
        try context.save()
        let request = NSBatchInsertRequest(
            entityName: "Book",
            objects: [
                ["title": "a", "pages": 10, "uuid": id, "cost": NSDecimalNumber(string: "1.25")],
                ["price": 2.5, "date": NSNull(), "isNew": false], [:],
            ])
        request.resultType = .objectIDs
        let result = try #require(try context.execute(request) as? NSBatchInsertResult)
        let ids = try #require(result.result as? [NSManagedObjectID])
        #expect(result.resultType == .objectIDs && ids.count == 3 && Set(ids).count == 3)
        #expect(!ids.contains(first.objectID) && ids.allSatisfy { !$0.isTemporaryID })
        let books = ids.map { context.object(with: $0) }
        #expect(books.map { $0.value(forKey: "title") as? String } == ["a", "Untitled", "Untitled"])
        #expect(books.map { $0.value(forKey: "pages") as? Int } == [10, 0, 0])
        #expect(books.map { $0.value(forKey: "isNew") as? Bool } == [true, false, true])
        #expect(books[0].value(forKey: "uuid") as? UUID == id)
        #expect((books[0].value(forKey: "cost") as? NSDecimalNumber)?.stringValue == "1.25")
        #expect(books[1].value(forKey: "price") as? Double == 2.5 && books[1].value(forKey: "date") == nil)
        #expect(try stack.rows("SELECT DISTINCT Z_OPT FROM ZBOOK") == [["1"]])
        let keys = try stack.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'")
        #expect(try keys == stack.rows("SELECT max(Z_PK) FROM ZBOOK"))
        // Later saves continue with the next keys.
        let next = context.make("Novel", ["title": "n"])
        try context.save()
        #expect(!ids.contains(next.objectID))
        #expect(try context.all("Book").count == 5)
    }

    @Test func handlersFillObjects() throws {
        let stack = try HistoryStack()
        let context = try stack.context(stack.coordinator([:]))
        let entity = try #require(stack.model.entitiesByName["Author"])
        var count = 0
        let request = NSBatchInsertRequest(entity: entity) { (dictionary: NSMutableDictionary) -> Bool in
            guard count < 1000 else { return true }
            count += 1
            dictionary["age"] = count
            return false
        }
        request.resultType = .count
        #expect((try context.execute(request) as? NSBatchInsertResult)?.result as? Int == 1000)
        var rest = ["x", "y"]
        let objects = NSBatchInsertRequest(entityName: "Author") { (object: NSManagedObject) -> Bool in
            guard let name = rest.popLast() else { return true }
            object.setValue(name, forKey: "name")
            return false
        }
        #expect((try context.execute(objects) as? NSBatchInsertResult)?.result as? Bool == true)
        #expect(
            try stack.rows("SELECT count(*), count(DISTINCT Z_PK), sum(ZAGE), max(ZNAME) FROM ZAUTHOR")
                == [["1002", "1002", "500500", "y"]])
        #expect(context.registeredObjects.isEmpty && !context.hasChanges)
    }

    /// Returns a model with a unique name.
    private static func uniqueModel() throws -> NSManagedObjectModel {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        author.uniquenessConstraints = [["name"]]
        let email = NSAttributeDescription()
        email.name = "email"
        email.attributeType = .stringAttributeType
        email.defaultValue = "none"
        author.properties.append(email)
        return model
    }

    @Test(.overDatabases, arguments: UInt(0)...4)
    func mergePoliciesResolveUniqueValues(_ number: UInt) throws {
        let type = try #require(NSMergePolicyType(rawValue: number))
        let stack = try HistoryStack(Self.uniqueModel())
        let context = try stack.context()
        let old = context.make("Author", ["name": "Ada", "age": 1, "email": "ada"])
        try context.save()
        context.mergePolicy = NSMergePolicy(merge: type)
        let request = NSBatchInsertRequest(
            entityName: "Author",
            objects: [
                ["name": "Bea"], ["name": "Ada", "age": 2], ["name": "Cid", "age": 3], ["name": "Cid", "age": 4],
            ])
        request.resultType = .objectIDs
        let ids: [NSManagedObjectID]
        do {
            ids = try #require((try context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID])
            #expect(type != .errorMergePolicyType)
        } catch {
            // Nothing of the batch remains.
            #expect(type == .errorMergePolicyType)
            #expect((error as NSError).code == NSManagedObjectConstraintMergeError)
            #expect(try context.all("Author").map { $0.value(forKey: "age") as? Int } == [1])
            #expect(try context.history().count == 1)
            return
        }
        context.refreshAllObjects()
        let rows = try context.all("Author", by: "name").map { author -> [String?] in
            let age = (author.value(forKey: "age") as? Int).map { "\($0)" }
            return [author.value(forKey: "name") as? String, age, author.value(forKey: "email") as? String]
        }
        let changes = try #require(try context.history().last?.changes)
        switch type {
        case .mergeByPropertyObjectTrumpMergePolicyType:
            // What the request does not name stays.
            #expect(rows == [["Ada", "2", "ada"], ["Bea", nil, "none"], ["Cid", "4", "none"]])
            #expect(ids.count == 4 && ids.contains(old.objectID))
            if StoreKind.current != .postgreSQL {
                #expect(try stack.rows("SELECT Z_OPT FROM ZAUTHOR ORDER BY ZNAME") == [["2"], ["1"], ["2"]])
            }
            #expect(changes.filter { $0.changeType == .update }.count == 2)
        case .overwriteMergePolicyType:
            #expect(rows == [["Ada", "2", "none"], ["Bea", nil, "none"], ["Cid", "4", "none"]])
        default:
            #expect(rows == [["Ada", "1", "ada"], ["Bea", nil, "none"], ["Cid", "3", "none"]])
            #expect(ids.count == 2 && !ids.contains(old.objectID))
            #expect(changes.map(\.changeType) == [.insert, .insert])
        }
        #expect(old.value(forKey: "age") as? Int == (rows[0][1].flatMap { Int($0) }))
    }

    @Test(.overDatabases) func batchesAreRecordedInTheHistory() throws {
        let stack = try HistoryStack()
        let context = try stack.context()
        context.transactionAuthor = "batch"
        try context.execute(NSBatchInsertRequest(entityName: "Author", objects: [["age": 1], ["age": 2], ["age": 3]]))
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.propertiesToUpdate = ["name": "old"]
        update.predicate = NSPredicate(format: "age > 1")
        try context.execute(update)
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
        fetch.predicate = NSPredicate(format: "age = 3")
        try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        let history = try context.history()
        #expect(history.map(\.author) == ["batch", "batch", "batch"])
        #expect(
            history.map { $0.changes?.map(\.changeType) } == [
                [.insert, .insert, .insert], [.update, .update], [.delete],
            ])
        #expect(history[1].changes?.allSatisfy { $0.updatedProperties?.map(\.name) == ["name"] } == true)
        #expect(history[2].changes?.first?.changedObjectID.uriRepresentation().lastPathComponent == "p3")
        // A batch without effect adds no transaction.
        try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        #expect(try context.history().count == 3)
    }

    /// Returns the error of a request, and checks that nothing of the batch remains.
    private func error(_ request: NSBatchInsertRequest, _ model: NSManagedObjectModel = Library.model()) throws
        -> NSError?
    {
        let stack = try HistoryStack(model)
        let context = try stack.context()
        let error = nsError { try context.execute(request) }
        #expect(try stack.rows("SELECT count(*) FROM ZAUTHOR") == [["0"]])
        #expect(try context.history().isEmpty)
        // The context works as before.
        try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"]]))
        #expect(try context.all("Tag").count == 1)
        return error
    }

    private static func handler(_ dictionaries: [[String: Any]]) -> (NSMutableDictionary) -> Bool {
        var rest = dictionaries[...]
        return { dictionary in
            guard let next = rest.popFirst() else { return true }
            for (key, value) in next { dictionary[key] = value }
            return false
        }
    }

    @Test(arguments: ["height", "books"]) func unknownKeysAreErrors(key: String) throws {
        let objects: [[String: Any]] = [["age": 1], [key: 1]]
        for request in [
            NSBatchInsertRequest(entityName: "Author", objects: objects),
            NSBatchInsertRequest(entityName: "Author", dictionaryHandler: Self.handler(objects)),
        ] {
            let error = try error(request)
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectValidationError)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
        }
    }

    @Test func wrongTypesAreErrors() throws {
        let objects: [[String: Any]] = [["age": 1], ["age": "old"]]
        for request in [
            NSBatchInsertRequest(entityName: "Author", objects: objects),
            NSBatchInsertRequest(entityName: "Author", dictionaryHandler: Self.handler(objects)),
        ] {
            let error = try error(request)
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectValidationError)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "age")
        }
    }

    @Test func missingRequiredValuesAreErrors() throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.attributesByName["name"]?.isOptional = false
        var count = 0
        for request in [
            NSBatchInsertRequest(entityName: "Author", objects: [["name": "a"], ["age": 1]]),
            NSBatchInsertRequest(entityName: "Author", objects: [["name": NSNull()]]),
            NSBatchInsertRequest(
                entityName: "Author", dictionaryHandler: Self.handler([["name": "a"], ["age": 1]])),
            NSBatchInsertRequest(entityName: "Author") { (object: NSManagedObject) -> Bool in
                count += 1
                object.setValue(count, forKey: "age")
                return count == 3
            },
        ] {
            let error = try error(request, model)
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSValidationMissingMandatoryPropertyError)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "name")
        }
    }

    @Test(.overDatabases) func batchesOfAChildRecordItsAuthor() throws {
        let stack = try HistoryStack()
        let parent = try stack.context()
        parent.transactionAuthor = "parent"
        parent.name = "main"
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        func run() throws {
            try child.execute(NSBatchInsertRequest(entityName: "Author", objects: [["age": 1]]))
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["age": 2]
            try child.execute(update)
            try child.execute(
                NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")))
        }
        try run()
        child.transactionAuthor = "child"
        child.name = "import"
        try run()
        let history = try parent.history()
        #expect(history.map(\.author) == ["parent", "parent", "parent", "child", "child", "child"])
        #expect(history.map(\.contextName) == ["main", "main", "main", "import", "import", "import"])
    }
}
