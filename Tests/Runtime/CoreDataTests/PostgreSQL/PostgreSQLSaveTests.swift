import CoreDataPostgreSQL
import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import Testing

@testable import CoreData

/// Saves over a network: their round trips, and their outcomes if the server or the connection fails.
@Suite(.needsPostgreSQL) struct PostgreSQLSaveTests {
    /// Inserts, updates and deletes take as many round trips for many objects as for a few.
    @Test(arguments: [false, true]) func roundTripsDoNotGrowWithTheNumberOfObjects(keepsHistory: Bool) throws {
        let stack = try PostgreSQLStack()
        let context = try stack.context(stack.coordinator(keepsHistory ? HistoryStack.tracking : [:]))
        var counts: [[Int]] = []
        try context.performAndWait {
            for count in [3, 30, 200] {
                var books: [NSManagedObject] = []
                let inserting = try context.roundTrips {
                    let authors = (0..<count).map { context.make("Author", ["name": "\($0)"]) }
                    let tags = (0..<count).map { context.make("Tag", ["name": "\($0)"]) }
                    let shelf = context.make("Shelf", ["name": "\(count)"])
                    books = (0..<count).map { number in
                        let author = authors[number]
                        let book = context.make(
                            "Book", ["title": "\(count).\(number)", "author": author, "shelf": shelf])
                        book.setValue(NSSet(array: [tags[number], tags[0]]), forKey: "tags")
                        return book
                    }
                    for number in 1..<count { books[number - 1].setValue(books[number], forKey: "sequel") }
                    try context.save()
                }
                let updating = try context.roundTrips {
                    for book in books { book.setValue(count, forKey: "pages") }
                    books[0].setValue(nil, forKey: "author")
                    try context.save()
                }
                for book in books { context.delete(book) }
                // Delete rules access related objects, which are fetched here.
                context.processPendingChanges()
                let deleting = try context.roundTrips { try context.save() }
                counts.append([inserting, updating, deleting])
            }
        }
        // One round trip for a block of keys for each entity, one for the statements, and one for the commit. A
        // listening store checks the history when it has connected, and then has to fetch the rows of four tables
        // again.
        let extra = keepsHistory ? 5 : 0
        for count in counts {
            #expect(count[0] <= 3 + extra && count[1] <= 2 + extra && count[2] <= 2 + extra, "\(counts)")
        }
    }

    /// A save of many objects of which some have values of stored ones.
    @Test(arguments: [1, 100]) func roundTripsDoNotGrowWithTheNumberOfUniqueValues(duplicates: Int) throws {
        let model = SmallModel.model([SmallModel.entity("Item", [SmallModel.attribute("name", .stringAttributeType)])])
        model.entities[0].uniquenessConstraints = [["name"]]
        let stack = try PostgreSQLStack(model)
        var counts: [Int] = []
        for count in [100, 400] {
            let context = try stack.context(stack.coordinator())
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.performAndWait {
                for number in 0..<duplicates { _ = context.make("Item", ["name": "\(count).\(number)"]) }
                try context.save()
                context.reset()
                for number in 0..<count { _ = context.make("Item", ["name": "\(count).\(number)"]) }
                counts.append(try context.roundTrips { try context.save() })
                #expect(try context.all("Item").count == (counts.count == 1 ? 100 : 500))
            }
        }
        #expect(counts.allSatisfy { $0 <= 8 }, "\(counts)")
    }

    /// A save of many objects that another program has changed or deleted, with changes of their relationships.
    @Test(
        arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback],
        [false, true])
    func roundTripsDoNotGrowWithTheNumberOfConflicts(policy: NSMergePolicy, deleted isDeleted: Bool) throws {
        let stack = try PostgreSQLStack()
        let (context, other) = (try stack.context(), try stack.context())
        context.mergePolicy = policy
        var counts: [Int] = []
        for count in [10, 20] {
            var books: [NSManagedObject] = []
            try context.performAndWait {
                for number in 0..<count {
                    let book = context.make("Book", ["title": "\(count).\(number)"])
                    book.setValue(NSSet(object: context.make("Tag", ["name": "\(number)"])), forKey: "tags")
                    books.append(book)
                }
                try context.save()
                for book in books {
                    book.setValue(
                        (book.value(forKey: "tags") as? NSSet)?.adding(context.make("Tag", ["name": "new"])),
                        forKey: "tags")
                    book.setValue(1, forKey: "pages")
                }
            }
            try other.performAndWait {
                let mine = try other.all("Book").filter {
                    ($0.value(forKey: "title") as? String)?.hasPrefix("\(count).") == true
                }
                for book in mine {
                    if isDeleted { other.delete(book) } else { book.setValue(2, forKey: "pages") }
                }
                try other.save()
            }
            try context.performAndWait {
                counts.append(try context.roundTrips { try context.save() })
                let tags = books.map { ($0.value(forKey: "tags") as? NSSet)?.count }
                let wins = [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite].contains {
                    $0.mergeType == policy.mergeType
                }
                if isDeleted {
                    let stored = "SELECT count(*)::text FROM coredata.\"Book\" WHERE title LIKE '\(count).%'"
                    #expect(try stack.text(stored) == (wins ? "\(count)" : "0"))
                } else {
                    #expect(tags.allSatisfy { $0 == (policy.mergeType == .rollbackMergePolicyType ? 1 : 2) })
                    #expect(books.allSatisfy { $0.value(forKey: "pages") as? Int == (wins ? 1 : 2) })
                }
            }
        }
        #expect(counts[0] == counts[1] && counts[1] < 10, "\(counts)")
    }

    // MARK: Failures that pass

    /// Makes the next inserts of authors fail.
    private func failInserts(_ stack: PostgreSQLStack, times: Int, state: String) throws {
        try stack.run(
            "CREATE SEQUENCE coredata.attempts",
            """
            CREATE FUNCTION coredata.fail() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('coredata.attempts') <= \(times) THEN
                    RAISE EXCEPTION 'not now' USING ERRCODE = '\(state)';
                END IF;
                RETURN NULL;
            END $$
            """,
            "CREATE TRIGGER fail AFTER INSERT ON coredata.\"Author\" FOR EACH STATEMENT EXECUTE FUNCTION coredata.fail()"
        )
    }

    @Test(arguments: ["40001", "40P01"]) func serializationFailuresAndDeadlocksAreRetried(state: String) throws {
        let stack = try PostgreSQLStack()
        let context = try stack.context()
        try failInserts(stack, times: 4, state: state)
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            try context.save()
        }
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "1")
        #expect(try stack.text("SELECT last_value::text FROM coredata.attempts") == "5")
    }

    @Test func retriesHaveALimit() throws {
        let stack = try PostgreSQLStack()
        let context = try stack.context()
        try failInserts(stack, times: 1000, state: "40001")
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            let error = try #require(nsError { try context.save() })
            #expect(error.code == CocoaError.Code.persistentStoreSave.rawValue)
            #expect(error.localizedDescription.contains("not now"))
            #expect(context.hasChanges)
        }
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "0")
        #expect(try stack.text("SELECT last_value::text FROM coredata.attempts") == "10")
    }

    @Test func otherErrorsAreNotRetried() throws {
        let stack = try PostgreSQLStack()
        let context = try stack.context()
        try failInserts(stack, times: 1000, state: "53100")
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            let error = try #require(nsError { try context.save() })
            #expect(error.localizedDescription.contains("not now"))
        }
        #expect(try stack.text("SELECT last_value::text FROM coredata.attempts") == "1")
    }

    // MARK: Lost connections

    /// A connection may have been closed by the server or a router while it was idle. If the new one is lost as well,
    /// the save fails.
    @Test(arguments: [1, 2]) func savesAreTriedAgainOnceAfterALostConnection(_ losses: Int) throws {
        let stack = try PostgreSQLStack()
        let context = try stack.context()
        try stack.run(
            "CREATE SEQUENCE coredata.attempts",
            """
            CREATE FUNCTION coredata.fail() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('coredata.attempts') <= \(losses) THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
                RETURN NULL;
            END $$
            """,
            "CREATE TRIGGER fail AFTER INSERT ON coredata.\"Author\" FOR EACH STATEMENT EXECUTE FUNCTION coredata.fail()"
        )
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            let error = nsError { try context.save() }
            #expect((error == nil) == (losses == 1))
            if let error {
                #expect(
                    error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.persistentStoreSave.rawValue)
                #expect(error.localizedDescription.contains("terminating connection"))
                #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "0")
                try context.save()
            }
            #expect(try context.all("Author").count == 1)
        }
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "1")
    }

    @Test func idleConnectionsThatTheServerClosesAreReplaced() throws {
        let stack = try PostgreSQLStack()
        let context = try stack.context()
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            try context.save()
            try stack.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
            #expect(try context.all("Author").count == 1)
        }
    }

    /// The store queries the outcome of a COMMIT whose response was lost.
    @Test func unknownOutcomesAreDetermined() throws {
        let stack = try PostgreSQLStack()
        let proxy = try CuttingProxy(before: stack.cluster.folder)
        defer { proxy.stop() }
        let context = try stack.context(stack.coordinator(at: stack.url(["host": proxy.folder.path])))
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            try context.save()
            author.setValue("b", forKey: "name")
            proxy.cutNextCommit(.afterCommit())
            try context.save()
            #expect(!context.hasChanges)
            #expect(try stack.text("SELECT \"name\" FROM coredata.\"Author\"") == "b")
            author.setValue("c", forKey: "name")
            proxy.cutNextCommit(.beforeCommit())
            // The server has committed nothing, so that the save can be repeated.
            try context.save()
            #expect(!context.hasChanges)
            #expect(try stack.text("SELECT \"name\" FROM coredata.\"Author\"") == "c")
        }
    }

    // MARK: Several threads

    /// While one fetch waits for the server, another of the same coordinator completes.
    @Test func fetchesOfACoordinatorRunConcurrently() throws {
        let stack = try PostgreSQLStack()
        let coordinator = try stack.coordinator()
        let (waiting, other) = (try stack.context(coordinator), try stack.context(coordinator))
        try other.performAndWait {
            _ = other.make("Author", ["name": "a"])
            _ = other.make("Tag", ["name": "t"])
            try other.save()
        }
        try stack.run("BEGIN", "LOCK TABLE coredata.\"Author\" IN ACCESS EXCLUSIVE MODE")
        let group = DispatchGroup()
        group.enter()
        let box = SendableBox((waiting, group))
        Thread {
            let (waiting, group) = box.value
            let count = try? waiting.performAndWait { try waiting.all("Author").count }
            #expect(count == 1)
            group.leave()
        }.start()
        let watcher = try PostgreSQLConnection(stack.cluster.parameters(database: stack.database))
        while try watcher.execute(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        ).count == 0 { Thread.sleep(forTimeInterval: 0.005) }
        #expect(try other.performAndWait { try other.all("Tag").count } == 1)
        try stack.run("COMMIT")
        group.wait()
    }

    @Test func manyThreadsReadAndWriteThroughOneCoordinator() throws {
        let stack = try PostgreSQLStack()
        let coordinator = try stack.coordinator([NSPersistentStoreConnectionPoolMaxSizeKey: 3])
        try onThreads(6) { number in
            let context = try stack.context(coordinator)
            try context.performAndWait {
                for round in 0..<15 {
                    _ = context.make("Author", ["name": "\(number)", "age": round])
                    try context.save()
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                    request.predicate = NSPredicate(format: "name == %@", "\(number)")
                    #expect(try context.fetch(request).count == round + 1)
                    if round % 5 == 0 { context.reset() }
                }
            }
        }
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "90")
    }
}

extension PostgreSQLStack: @unchecked Sendable {}
