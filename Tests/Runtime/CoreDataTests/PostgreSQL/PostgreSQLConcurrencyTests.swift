import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Several programs that use one database at the same time.
@Suite(.needsPostgreSQL) struct PostgreSQLConcurrencyTests {
    /// Jobs with a number and a state.
    private static func jobs() -> NSManagedObjectModel {
        let job = NSEntityDescription()
        job.name = "Job"
        let state = attribute("state", .stringAttributeType)
        job.properties = [attribute("n", .integer64AttributeType), attribute("rate", .floatAttributeType), state]
        job.indexes = [
            NSFetchIndexDescription(
                name: "byState", elements: [NSFetchIndexElementDescription(property: state, collationType: .binary)])
        ]
        let model = NSManagedObjectModel()
        model.entities = [job]
        return model
    }

    private static func fill(
        _ context: NSManagedObjectContext, _ count: Int, _ set: (NSManagedObject, Int) -> Void
    ) throws {
        try context.performAndWait {
            for index in 0..<count {
                set(NSEntityDescription.insertNewObject(forEntityName: "Job", into: context), index)
            }
            try context.save()
        }
    }

    /// Runs a block in several coordinators at once.
    private static func inParallel(
        _ stack: PostgreSQLStack, _ programs: Int, _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Int
    ) async throws -> [Int] {
        let contexts = try (0..<programs).map { _ in SendableBox(try stack.context()) }
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for context in contexts {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                with: Result { try context.value.performAndWait { try body(context.value) } })
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func batchUpdatesOfSeveralProgramsAddUp() async throws {
        let stack = try PostgreSQLStack(Self.jobs())
        try Self.fill(stack.context(), 3) { job, _ in job.setValue(0, forKey: "n") }
        _ = try await Self.inParallel(stack, 4) { context in
            for _ in 0..<10 {
                let request = NSBatchUpdateRequest(entityName: "Job")
                request.propertiesToUpdate = ["n": NSExpression(format: "n + 1")]
                try context.execute(request)
            }
            return 0
        }
        #expect(try stack.text("SELECT string_agg(n::text, ',') FROM coredata.\"Job\"") == "40,40,40")
    }

    @Test func jobsAreClaimedOnce() async throws {
        let stack = try PostgreSQLStack(Self.jobs())
        try Self.fill(stack.context(), 20) { job, index in
            job.setValue(index, forKey: "n")
            job.setValue("open", forKey: "state")
        }
        let claims = try await Self.inParallel(stack, 4) { context in
            var claimed = 0
            for index in 0..<20 {
                let request = NSBatchUpdateRequest(entityName: "Job")
                request.predicate = NSPredicate(format: "n == %d AND state == 'open'", index)
                request.propertiesToUpdate = ["state": "claimed"]
                request.resultType = .updatedObjectsCountResultType
                claimed += (try context.execute(request) as? NSBatchUpdateResult)?.result as? Int ?? 0
            }
            return claimed
        }
        #expect(claims.reduce(0, +) == 20)
    }

    @Test func rowsThatNoLongerMatchAreNotDeleted() async throws {
        let stack = try PostgreSQLStack(Self.jobs())
        try Self.fill(stack.context(), 60) { job, index in
            job.setValue(index, forKey: "n")
            job.setValue("old", forKey: "state")
        }
        let kept = Mutex(0)
        let counts = try await Self.inParallel(stack, 2) { context in
            let isKeeper = kept.withLock { value in
                value += 1
                return value == 1
            }
            var count = 0
            for index in 0..<60 {
                let matching = NSPredicate(format: "n == %d AND state == 'old'", isKeeper ? index : 59 - index)
                if isKeeper {
                    let request = NSBatchUpdateRequest(entityName: "Job")
                    request.predicate = matching
                    request.propertiesToUpdate = ["state": "keep"]
                    request.resultType = .updatedObjectsCountResultType
                    count += (try context.execute(request) as? NSBatchUpdateResult)?.result as? Int ?? 0
                } else {
                    let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Job")
                    fetch.predicate = matching
                    let request = NSBatchDeleteRequest(fetchRequest: fetch)
                    request.resultType = .resultTypeCount
                    count += (try context.execute(request) as? NSBatchDeleteResult)?.result as? Int ?? 0
                }
            }
            return isKeeper ? count : -count
        }
        #expect(counts.map(abs).reduce(0, +) == 60)
        let left = try stack.text("SELECT count(*)::text FROM coredata.\"Job\"").flatMap { Int($0) }
        #expect(left == counts.first { $0 > 0 } ?? 0)
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Job\" WHERE state = 'old'") == "0")
    }

    /// Every program waits for the one that creates the tables.
    @Test func programsThatStartTogetherShareOneStore() async throws {
        let stack = try PostgreSQLStack(Self.jobs())
        let opened = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                with: Result { try stack.coordinator().persistentStores[0].identifier ?? "" })
                        }
                    }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(opened.count == 1)
    }

    @Test func derivedAttributesIncludeWhatOthersSaveMeanwhile() async throws {
        let (author, book) = (NSEntityDescription(), NSEntityDescription())
        (author.name, book.name) = ("Author", "Book")
        let books = NSRelationshipDescription()
        (books.name, books.destinationEntity, books.maxCount) = ("books", book, 0)
        let owner = NSRelationshipDescription()
        (owner.name, owner.destinationEntity, owner.maxCount) = ("author", author, 1)
        (books.inverseRelationship, owner.inverseRelationship) = (owner, books)
        let count = NSDerivedAttributeDescription()
        (count.name, count.attributeType) = ("bookCount", .integer64AttributeType)
        count.derivationExpression = NSExpression(format: "books.@count")
        author.properties = [attribute("name", .stringAttributeType), count, books]
        book.properties = [owner]
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        let stack = try PostgreSQLStack(model)
        let context = try stack.context()
        let uri = try context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            try context.save()
            return object.objectID.uriRepresentation()
        }
        // A slow program holds its transaction open.
        try stack.run(
            "CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END'",
            "CREATE TRIGGER slow AFTER INSERT ON coredata.\"Book\" FOR EACH ROW EXECUTE FUNCTION public.slow()")
        _ = try await Self.inParallel(stack, 4) { context in
            let id = try #require(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
            for _ in 0..<3 {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(context.object(with: id), forKey: "author")
                try context.save()
            }
            return 0
        }
        #expect(try stack.text("SELECT \"bookCount\"::text FROM coredata.\"Author\"") == "12")
    }

    // MARK: One program

    @Test func pagesHaveEveryObjectOnce() throws {
        let stack = try PostgreSQLStack(Self.jobs())
        let context = try stack.context()
        try Self.fill(context, 300) { job, index in job.setValue(index % 3, forKey: "n") }
        for descriptors in [[NSSortDescriptor(key: "n", ascending: true)], []] {
            for type in [NSFetchRequestResultType.managedObjectIDResultType, .dictionaryResultType] {
                var seen: [NSObject] = []
                for offset in stride(from: 0, to: 300, by: 20) {
                    // An updated row moves to the end of its table.
                    try stack.run("UPDATE coredata.\"Job\" SET rate = 1 WHERE _pk IN (1, 150)")
                    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Job")
                    (request.sortDescriptors, request.resultType) = (descriptors, type)
                    (request.fetchLimit, request.fetchOffset) = (20, offset)
                    let id = NSExpressionDescription()
                    (id.name, id.expression) = ("id", .expressionForEvaluatedObject())
                    id.expressionResultType = .objectIDAttributeType
                    if type == .dictionaryResultType { request.propertiesToFetch = [id] }
                    seen += try context.performAndWait { try context.fetch(request) }.compactMap { $0 as? NSObject }
                }
                #expect(seen.count == 300 && Set(seen).count == 300)
            }
        }
    }

    @Test func sumsOfSinglePrecisionNumbersHaveDoublePrecision() throws {
        let context = try PostgreSQLStack(Self.jobs()).context()
        try Self.fill(context, 3) { job, index in job.setValue(index == 0 ? Float(16_777_216) : 1, forKey: "rate") }
        for (function, expected) in [("sum:", 16_777_218), ("average:", 16_777_218.0 / 3)] {
            let request = NSFetchRequest<NSDictionary>(entityName: "Job")
            request.resultType = .dictionaryResultType
            let total = NSExpressionDescription()
            total.name = "total"
            total.expression = NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: "rate")])
            total.expressionResultType = .doubleAttributeType
            request.propertiesToFetch = [total]
            #expect(try context.performAndWait { try context.fetch(request) }.first?["total"] as? Double == expected)
        }
    }

    @Test(arguments: ["CONTAINS", "BEGINSWITH", "ENDSWITH"])
    func noTextContainsTheEmptyText(_ operation: String) throws {
        let context = try PostgreSQLStack(Self.jobs()).context()
        try Self.fill(context, 2) { job, index in job.setValue(["text", ""][index], forKey: "state") }
        for (argument, count) in [("", 0), ("text", 1)] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Job")
            request.predicate = NSPredicate(format: "state \(operation)[n] %@", argument)
            #expect(try context.performAndWait { try context.count(for: request) } == count)
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Job")
        request.predicate = NSPredicate(format: "state \(operation)[n] state")
        #expect(try context.performAndWait { try context.count(for: request) } == 1)
    }

    @Test func indexedAttributesAcceptLongTexts() throws {
        let context = try PostgreSQLStack(Self.jobs()).context()
        let texts = (1...4).map { length in
            var generator = SeededGenerator(seed: UInt64(length))
            return String((0..<(length * 20_000)).map { _ in "abcdefghijklmnop".randomElement(using: &generator)! })
        }
        try Self.fill(context, 4) { job, index in job.setValue(texts[index], forKey: "state") }
        for text in texts {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Job")
            request.predicate = NSPredicate(format: "state == %@", text)
            #expect(try context.performAndWait { try context.count(for: request) } == 1)
        }
    }

    /// More data than one statement takes is written in parts, in one transaction.
    @Test func largeSavesAreOneTransaction() throws {
        let stack = try PostgreSQLStack(Self.jobs())
        let context = try stack.context()
        try Self.fill(context, 40) { job, index in
            job.setValue(String(repeating: "x", count: 1 << 20), forKey: "state")
            job.setValue(index, forKey: "n")
        }
        #expect(
            try stack.text(
                "SELECT count(*) || ' ' || sum(length(state)) || ' ' || count(DISTINCT xmin::text) FROM coredata.\"Job\""
            )
                == "40 \(40 << 20) 1")
    }

    // MARK: Other roles

    /// Functions and operators in `public` that fit the arguments better than those of the server.
    @Test func functionsOfOtherRolesAreNotCalled() throws {
        let stack = try PostgreSQLStack(Self.jobs())
        try stack.run(
            "CREATE TABLE public.calls (name text)",
            """
            CREATE FUNCTION public.concat(timestamptz, text, text) RETURNS text LANGUAGE plpgsql AS
            'BEGIN INSERT INTO public.calls VALUES (''concat''); RETURN ''x''; END'
            """,
            """
            CREATE FUNCTION public.strpos(text, varchar) RETURNS integer LANGUAGE plpgsql AS
            'BEGIN INSERT INTO public.calls VALUES (''strpos''); RETURN 1; END'
            """)
        let context = try stack.context()
        try Self.fill(context, 3) { job, index in job.setValue("s\(index)", forKey: "state") }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Job")
        request.predicate = NSPredicate(format: "state CONTAINS[n] '1'")
        #expect(try context.performAndWait { try context.count(for: request) } == 1)
        #expect(try stack.text("SELECT count(*)::text FROM public.calls") == "0")
        let session = try #require(context.postgreSQL)
        #expect(
            try session.runOutsideTransaction([Statement("SHOW search_path")])[0].string(0, 0) == "pg_catalog, pg_temp")
    }
}
