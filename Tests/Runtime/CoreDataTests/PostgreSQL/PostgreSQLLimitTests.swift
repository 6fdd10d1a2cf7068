import PostgreSQLClient
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Limits of memory and of the server: large values, rows in caches, and what the schema rejects.
@Suite(.needsPostgreSQL) struct PostgreSQLLimitTests {
    private static func pages() -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity(
                "Page",
                [
                    SmallModel.attribute("number", .integer64AttributeType),
                    SmallModel.attribute("data", .binaryDataAttributeType),
                ])
        ])
    }

    /// Fetches in pages do not keep all rows.
    @Test func pagesOfLargeRowsAreEvicted() throws {
        let context = try PostgreSQLStack(Self.pages()).context()
        try context.performAndWait {
            for number in 0..<1200 { _ = context.make("Page", ["number": number, "data": Data(count: 50_000)]) }
            try context.save()
            context.reset()
            let store = try #require(context.postgreSQL)
            let layout = try #require(context.persistentStoreCoordinator?.layout(named: "Page"))
            let cache = try #require(store.entity(layout)?.cache)
            for page in 0..<12 {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Page")
                request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
                request.fetchOffset = page * 100
                request.fetchLimit = 100
                #expect(try context.fetch(request).count == 100)
                context.reset()
            }
            #expect(cache.count * 50_000 < 3 * RowCache.sizeLimit)
        }
    }

    /// A save compares more rows than the cache keeps: those that it drops have not been deleted.
    @Test func conflictsOfMoreRowsThanTheCacheKeepsAreNotDeletions() throws {
        let stack = try PostgreSQLStack(Self.pages())
        let (context, other) = (try stack.context(), try stack.context())
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.performAndWait {
            let pages = (0..<900).map { context.make("Page", ["number": $0, "data": Data(count: 50_000)]) }
            try context.save()
            try other.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Page")
                request.predicate = NSPredicate(format: "number == 500")
                try #require(try other.fetch(request).first).setValue(-500, forKey: "number")
                try other.save()
            }
            for (number, page) in pages.enumerated() { page.setValue(number + 1000, forKey: "number") }
            try context.save()
            let numbers = pages.map { $0.value(forKey: "number") as? Int }
            #expect(numbers == (0..<900).map { $0 == 500 ? -500 : $0 + 1000 })
        }
        let stored = "SELECT count(*)::text FROM coredata.\"Page\" WHERE number >= 1000"
        #expect(try stack.text(stored) == "899")
    }

    /// An object that no message of the server can hold is not saved, and the error names its largest value.
    @Test func objectsAboveOneGigabyteAreErrors() throws {
        let stack = try PostgreSQLStack(Self.pages())
        let context = try stack.context()
        try context.performAndWait {
            // The system does not allocate bytes that are not written.
            _ = context.make("Page", ["number": 1, "data": Data(count: 1_000_000_001)])
            let error = try #require(nsError { try context.save() })
            #expect(error.code == CocoaError.Code.persistentStoreSave.rawValue)
            #expect(error.localizedDescription.contains("“Page.data” has 1000000001 bytes"))
            context.rollback()
            let batch = NSBatchInsertRequest(
                entityName: "Page", objects: [["number": 1, "data": Data(count: 1_000_000_001)]])
            #expect(nsError { try context.execute(batch) }?.localizedDescription.contains("Page.data") == true)
        }
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Page\"") == "0")
    }

    /// The size of transformable values counts, too, so that large ones are sent in parts.
    @Test func transformableValuesAreSentInParts() throws {
        let stack = try PostgreSQLStack()
        let context = try stack.context()
        try context.performAndWait {
            for _ in 0..<4 {
                let book = context.make("Book")
                book.setValue(["x": String(repeating: "x", count: 10 << 20)] as NSDictionary, forKey: "extra")
            }
            let trips = try context.roundTrips { try context.save() }
            #expect(trips >= 5)
        }
        #expect(
            try stack.text("SELECT count(*)::text FROM coredata.\"Book\" WHERE length(\"extra\") > 10000000") == "4")
    }

    /// The index of a uniqueness constraint accepts about 2.7 KB; the error names the attribute.
    @Test func uniqueTextsThatAreTooLongNameTheirAttribute() throws {
        let stack = try PostgreSQLStack(SmallModel.twoConfigurations())
        let context = try stack.context()
        var random = SeededGenerator(seed: 1)
        let text = String((0..<9000).map { _ in "abcdefghijklmnop".randomElement(using: &random) ?? "a" })
        try context.performAndWait {
            _ = context.make("Page", ["name": "short"])
            let page = context.make("Page", ["name": text])
            let error = try #require(nsError { try context.save() })
            #expect(error.localizedDescription.contains("“Page.name”, which must be unique, has 9000 bytes"))
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            #expect(error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [page])
            page.setValue("other", forKey: "name")
            try context.save()
            for policy in [NSMergePolicy.error, .mergeByPropertyObjectTrump] {
                context.mergePolicy = policy
                let batch = NSBatchInsertRequest(entityName: "Page", objects: [["name": "third"], ["name": text]])
                let error = try #require(nsError { try context.execute(batch) })
                #expect(error.localizedDescription.contains("“Page.name”, which must be unique, has 9000 bytes"))
                #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
            }
            let update = NSBatchUpdateRequest(entityName: "Page")
            update.propertiesToUpdate = ["name": text]
            update.predicate = NSPredicate(format: "name == %@", "short")
            let failure = try #require(nsError { try context.execute(update) })
            #expect(failure.localizedDescription.contains("“Page.name”, which must be unique, has 9000 bytes"))
            #expect(failure.userInfo[NSValidationKeyErrorKey] as? String == "name")
        }
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Page\"") == "2")
    }

    /// The delete rule is not part of the version hash, so a store opens with another one, and its deletions must work.
    @Test func deletionsWorkAfterTheRuleChangedToNoAction() throws {
        let stack = try PostgreSQLStack()
        let first = try stack.context()
        try first.performAndWait {
            let author = first.make("Author", ["name": "a"])
            _ = first.make("Book", ["title": "b", "author": author])
            try first.save()
        }
        let model = Library.model()
        model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .noActionDeleteRule
        func context(_ options: [AnyHashable: Any]) throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: NSPostgreSQLStoreType, configurationName: nil, at: stack.url, options: options)
            return try Library.context(coordinator)
        }
        let second = try context([:])
        try second.performAndWait {
            second.delete(try #require(try second.all("Author").first))
            try second.save()
        }
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "0")
        #expect(try stack.text("SELECT count(\"author\")::text FROM coredata.\"Book\"") == "1")
        // A copy has the schema of the present model.
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.replacePersistentStore(
            at: stack.url, destinationOptions: [NSPostgreSQLSchemaOption: "copy"], withPersistentStoreFrom: stack.url,
            ofType: NSPostgreSQLStoreType)
        let copy = try context([NSPostgreSQLSchemaOption: "copy"])
        #expect(try copy.performAndWait { try copy.all("Book").count } == 1)
    }

    /// The server writes the time of a transaction, as the clocks of programs differ.
    @Test func historyHasTheTimeOfTheServer() throws {
        let stack = try PostgreSQLStack()
        let context = try stack.context(stack.coordinator(HistoryStack.tracking))
        try stack.run("CREATE TABLE times AS SELECT clock_timestamp() AS time")
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            try context.save()
            let store = try #require(context.postgreSQL)
            let layout = try #require(context.persistentStoreCoordinator?.layout(named: "Author"))
            var record = PostgreSQLHistoryRecord(store)
            record.insert(1, try #require(store.entity(layout)))
            let parameters = record.commands(author: nil, contextName: nil).flatMap(\.values)
            #expect(!parameters.isEmpty)
            #expect(parameters.allSatisfy { $0.type != PostgreSQLValue.TypeNumber.float8 })
            let times = try context.history().map(\.timestamp)
            let between = try stack.text(
                "SELECT (to_timestamp(h.\"timestamp\" + 978307200) BETWEEN t.time AND clock_timestamp())::text "
                    + "FROM times t, coredata.\"_transactions\" h")
            #expect(times.count == 1 && between == "true")
        }
    }

    /// Objects are locked without being returned one by one.
    @Test func locksOfDerivationsReturnOneRow() throws {
        let model = Library.model()
        let count = NSDerivedAttributeDescription()
        count.name = "bookCount"
        count.attributeType = .integer64AttributeType
        count.isOptional = true
        count.derivationExpression = NSExpression(format: "books.@count")
        model.entitiesByName["Author"]?.properties.append(count)
        let context = try PostgreSQLStack(model).context()
        try context.performAndWait {
            for number in 0..<5 { _ = context.make("Author", ["name": "\(number)"]) }
            try context.save()
            let store = try #require(context.postgreSQL)
            let derivation = try #require(store.schema?.derivations.first)
            let keys = try context.all("Author").compactMap { author -> Int64? in
                if case .number(let key) = author.objectID.reference { key } else { nil }
            }
            #expect(keys.count == 5)
            let locks = derivation.locks(namespace: store.namespace).map {
                Statement($0, [PostgreSQLValue(keys), PostgreSQLValue([Int64]())])
            }
            #expect(!locks.isEmpty)
            for result in try store.run(locks) {
                #expect(result.count == 1 && result.integer(0, 0) == 5)
            }
        }
    }
}
