import CoreData
import Testing

/// Settings of fetch requests besides predicate, order, limit and offset, and invalid settings.
@Suite(.overAllStores) struct FetchRequestTests {
    private func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    private static func request(_ entity: String = "Book", _ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0) }
        return request
    }

    // MARK: Objects

    @Test func returnsObjectsAsFaultsDecidesWhetherValuesAreLoaded() throws {
        let context = try Library.context()
        _ = context.make("Book")
        try context.save()
        let other = try Library.context(context.persistentStoreCoordinator)
        let request = Self.request()
        let book = try #require(other.fetch(request).first)
        #expect(book.isFault)
        request.returnsObjectsAsFaults = false
        #expect(try other.fetch(request).first === book && !book.isFault)
    }

    /// An enumeration has the objects of a fetch, but not all of them in memory.
    @Test func enumerationsKeepOneBatchOfObjects() throws {
        let context = try Library.context()
        for pages in 0..<300 { _ = context.make("Book", ["title": "old", "pages": pages * 7 % 300]) }
        try context.save()
        let other = try Library.context(context.persistentStoreCoordinator)
        let request = Self.request("Book", "pages >= 20")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (250, 10, 30)
        let unsaved = other.make("Book", ["pages": 100])
        var (found, most, unsavedPosition): ([Int], Int, Int?) = ([], 0, nil)
        try other.enumerate(request) { book in
            if book === unsaved { unsavedPosition = found.count }
            found.append(try #require(book.value(forKey: "pages") as? Int))
            most = max(most, other.registeredObjects.count)
        }
        let expected = (40...289).reversed().flatMap { $0 == 100 ? [100, 100] : [$0] }
        #expect(found == Array(expected.prefix(250)))
        #expect(unsavedPosition != nil && most > 1 && most <= 31)

        // A save in the closure gives unsaved objects other IDs.
        let pages = try Library.context(context.persistentStoreCoordinator)
        for number in 1000..<1020 { _ = pages.make("Book", ["pages": number]) }
        found = []
        try pages.enumerate(Self.request("Book", "pages >= 1000"), batchSize: 4) { book in
            found.append(try #require(book.value(forKey: "pages") as? Int))
            if pages.hasChanges { try pages.save() }
        }
        #expect(found.sorted() == Array(1000..<1020))
        for book in try pages.fetch(Self.request("Book", "pages >= 1000")) { pages.delete(book) }
        try pages.save()

        // The closure may change and delete objects, also ones that have not been reached; what it throws ends the
        // loop.
        found = []
        try other.enumerate(Self.request("Book", "title == 'old'"), batchSize: 50) { book in
            found.append(try #require(book.value(forKey: "pages") as? Int))
            book.setValue("new", forKey: "title")
            if found.count == 1 {
                for last in try other.fetch(Self.request("Book", "title == 'old'")) { other.delete(last) }
                try other.save()
            }
        }
        #expect(found.count == 1)
        #expect(throws: CancellationError.self) {
            try other.enumerate(Self.request()) { _ in throw CancellationError() }
        }
    }

    @Test func unsavedChangesAreKept() throws {
        let context = try Library.context()
        let book = context.make("Book", ["title": "Emma", "pages": 1])
        try context.save()
        book.setValue(2, forKey: "pages")
        #expect(try context.fetch(Self.request("Book", "pages == 2")) == [book])
        #expect(try context.fetch(Self.request("Book", "pages == 1")) == [])
        let saved = Self.request("Book", "pages == 1")
        saved.includesPendingChanges = false
        // The object is found by its saved values, but has its current values.
        #expect(try context.fetch(saved) == [book] && book.value(forKey: "pages") as? Int == 2)
    }

    @Test func refetchedObjectsAreRefreshed() throws {
        let context = try Library.context()
        let book = context.make("Book", ["title": "Emma", "pages": 1])
        try context.save()
        let other = try Library.context(context.persistentStoreCoordinator)
        let same = try #require(other.all("Book").first)
        same.setValue("Anne", forKey: "title")
        book.setValue(2, forKey: "pages")
        try context.save()
        let request = Self.request()
        _ = try other.fetch(request)
        #expect(same.value(forKey: "pages") as? Int == 1)
        request.shouldRefreshRefetchedObjects = true
        #expect(try other.fetch(request) == [same])
        #expect(same.value(forKey: "pages") as? Int == 2 && same.value(forKey: "title") as? String == "Anne")
        #expect(same.hasChanges)
    }

    @Test func prefetchedRelationshipsAreLoaded() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "Austen"])
        let tag = context.make("Tag", ["name": "old"])
        _ = context.make("Book", ["title": "Emma", "author": author, "tags": NSSet(object: tag)])
        try context.save()
        let other = try Library.context(context.persistentStoreCoordinator)
        let request = Self.request()
        request.relationshipKeyPathsForPrefetching = ["author.books", "tags"]
        let book = try #require(other.fetch(request).first)
        #expect(!other.object(with: author.objectID).isFault && !other.object(with: tag.objectID).isFault)
        #expect(!book.hasFault(forRelationshipNamed: "tags") && !book.hasFault(forRelationshipNamed: "author"))
        #expect(!other.hasChanges)
    }

    @Test func affectedStoresLimitTheFetch() throws {
        let coordinator = try Library.coordinator()
        let second = try StoreKind.add(to: coordinator)
        let context = try Library.context(coordinator)
        for (number, store) in coordinator.persistentStores.enumerated() {
            let author = context.make("Author", ["name": "n\(number)"])
            context.assign(author, to: store)
        }
        try context.save()
        let request = Self.request("Author")
        #expect(try context.count(for: request) == 2)
        request.affectedStores = [second]
        #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["n1"])
        // The IDs in the two stores have the same numbers.
        request.affectedStores = nil
        try context.fetch(request).first { $0.value(forKey: "name") as? String == "n0" }?.setValue("n2", forKey: "name")
        request.predicate = NSPredicate(format: "name == 'n1'")
        #expect(try context.count(for: request) == 1)
    }

    @Test func requestsExecuteInAContextsBlock() async throws {
        let context = try Library.context()
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            #expect(try Self.request("Author").execute().count == 1)
            let other = try Library.context(context.persistentStoreCoordinator)
            let found = try other.performAndWait { try Self.request("Author").execute() }
            #expect(found.isEmpty)
            #expect(try Self.request("Author").execute().count == 1)
        }
        let count = try await context.perform { try Self.request("Author").execute().count }
        #expect(count == 1)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Self.request("Author").execute()
        }
        #expect(message(result).contains("perform"))
    }

    @Test func coordinatorsExecuteRequests() throws {
        let context = try Library.context()
        _ = context.make("Author", ["name": "a"])
        try context.save()
        let result = try context.persistentStoreCoordinator?.execute(Self.request("Author"), with: context) as Any?
        #expect((result as? [NSManagedObject])?.count == 1)
    }

    @Test func templatesSubstituteVariables() throws {
        let model = Library.model()
        let template = NSFetchRequest<any NSFetchRequestResult>()
        template.entity = model.entitiesByName["Author"]
        template.predicate = NSPredicate(format: "name == $NAME")
        model.setFetchRequestTemplate(template, forName: "named")
        let context = try Library.context(Library.coordinator(model))
        for name in ["a", "b"] { _ = context.make("Author", ["name": name]) }
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "named", substitutionVariables: ["NAME": "b"]))
        let found = try context.fetch(request) as? [NSManagedObject]
        #expect(found?.map { $0.value(forKey: "name") as? String } == ["b"])
    }

    // MARK: Order

    @Test func nilSortsFirst() throws {
        let context = try Library.context()
        let values: [Any?] = [3, nil, -1, 0, nil]
        for (number, value) in values.enumerated() {
            _ = context.make("Book", ["title": "\(number)", "pages": value, "price": value, "cost": nil])
        }
        func titles(_ key: String, _ ascending: Bool) throws -> [String] {
            let request = Self.request()
            request.sortDescriptors = [
                NSSortDescriptor(key: key, ascending: ascending), NSSortDescriptor(key: "title", ascending: true),
            ]
            return try context.fetch(request).compactMap { $0.value(forKey: "title") as? String }
        }
        for key in ["pages", "price"] {
            #expect(try titles(key, true) == ["1", "4", "2", "3", "0"])
            #expect(try titles(key, false) == ["0", "3", "2", "1", "4"])
        }
        try context.save()
        #expect(try titles("pages", true) == ["1", "4", "2", "3", "0"])
        #expect(try titles("cost", true) == ["0", "1", "2", "3", "4"])
    }

    @Test func stringsWithCommonPrefixesAreSorted() throws {
        let context = try Library.context()
        let texts = [
            "Title 10", "Title 1", "", "Title 100", "Title 1" + StoreKind.leastCharacter, "Title 2",
            "Title 1 and some more", "Title",
        ]
        for text in texts + ["É", "z", "e"] { _ = context.make("Author", ["name": text]) }
        try context.save()
        func sorted(_ format: String) throws -> [String] {
            let request = Self.request("Author", format)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
        }
        #expect(try sorted("name BEGINSWITH 'T' OR name == ''") == texts.sorted())
        #expect(try sorted("TRUEPREDICATE") == (texts + ["É", "z", "e"]).sorted())
    }

    @Test func attributesOfEveryTypeAreSorted() throws {
        let context = try Library.context()
        let uuids = [UUID(), UUID(), UUID()].sorted { $0.uuidString < $1.uuidString }
        for number in [2, 0, 1] {
            _ = context.make(
                "Book",
                [
                    "title": "\(number)", "pages": number, "price": Double(number) - 0.5, "isNew": number > 0,
                    "date": Date(timeIntervalSinceReferenceDate: Double(number - 1)), "uuid": uuids[number],
                    "cost": NSDecimalNumber(string: "0.\(number)"), "link": URL(string: "x:\(number)"),
                    "weight": Float(number),
                ])
        }
        for save in [false, true] {
            if save { try context.save() }
            for key in ["title", "pages", "price", "date", "uuid", "cost", "link", "weight"] {
                let request = Self.request()
                request.sortDescriptors = [NSSortDescriptor(key: key, ascending: false)]
                #expect(
                    try context.fetch(request).map { $0.value(forKey: "title") as? String } == ["2", "1", "0"], "\(key)"
                )
            }
        }
    }

    @Test func customComparatorsSort() throws {
        // SQLite cannot call it, so a SQLite store rejects such a request (`FetchTranslationTests`).
        guard StoreKind.current == .inMemory else { return }
        let context = try Library.context()
        for name in ["bb", "a", "ccc"] { _ = context.make("Author", ["name": name]) }
        try context.save()
        let request = Self.request("Author")
        request.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: false) { one, other in
                let (a, b) = ((one as? String)?.count ?? 0, (other as? String)?.count ?? 0)
                return a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
            }
        ]
        #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["ccc", "bb", "a"])
    }

    @Test func sortsOverToOneRelationships() throws {
        let context = try Library.context()
        for (title, name) in [("x", "b"), ("y", "a"), ("z", nil)] {
            let author = name.map { context.make("Author", ["name": $0]) }
            _ = context.make("Book", ["title": title, "author": author])
        }
        let request = Self.request()
        request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
        for save in [false, true] {
            if save { try context.save() }
            #expect(try context.fetch(request).map { $0.value(forKey: "title") as? String } == ["z", "y", "x"])
        }
    }

    // MARK: Predicates that need objects

    @Test func blocksReceiveManagedObjects() throws {
        // A SQLite store rejects blocks and properties that it does not contain (`FetchTranslationTests`).
        guard StoreKind.current == .inMemory else { return }
        let context = try Library.context()
        for name in ["a", "b"] { _ = context.make("Author", ["name": name]) }
        try context.save()
        let request = Self.request("Author")
        request.predicate = NSPredicate { object, _ in
            (object as? NSManagedObject)?.value(forKey: "name") as? String == "b"
        }
        #expect(try context.fetch(request).map { $0.value(forKey: "name") as? String } == ["b"])
        request.predicate = NSPredicate(format: "isInserted == YES")
        #expect(try context.fetch(request).isEmpty)
        let new = context.make("Author")
        #expect(try context.fetch(request) == [new])
        let book = context.make("Book", ["cache": "here"])
        try context.save()
        #expect(try context.fetch(Self.request("Book", "cache == 'here'")) == [book])
    }

    @Test func predicatesCompareObjectsByIdentity() throws {
        let context = try Library.context()
        let authors = ["a", "b", "c"].map { context.make("Author", ["name": $0]) }
        let book = context.make("Book", ["author": authors[1]])
        try context.save()
        let new = context.make("Author", ["name": "d"])
        func found(_ format: String, _ argument: Any) throws -> Set<String> {
            let request = Self.request("Author")
            request.predicate = NSPredicate(format: format, argument)
            return Set(try context.fetch(request).compactMap { $0.value(forKey: "name") as? String })
        }
        #expect(try found("SELF == %@", authors[0]) == ["a"])
        #expect(try found("self == %@", authors[0].objectID) == ["a"])
        #expect(try found("objectID == %@", authors[2].objectID) == ["c"])
        #expect(try found("SELF IN %@", [authors[0], authors[2], new]) == ["a", "c", "d"])
        #expect(try found("SELF IN %@", [authors[0].objectID, authors[2].objectID]) == ["a", "c"])
        #expect(try found("books CONTAINS %@", book) == ["b"])
        #expect(try found("ANY books == %@", book) == ["b"])
        #expect(try found("entity.name == %@", "Author") == ["a", "b", "c", "d"])
        let request = Self.request()
        request.predicate = NSPredicate(format: "author == %@", authors[1])
        #expect(try context.fetch(request) == [book])
    }

    // MARK: Misuse

    @Test func requestsWithoutEntityTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library.context().fetch(NSFetchRequest<NSManagedObject>())
        }
        #expect(message(result).contains("A fetch request must have an entity."))
    }

    @Test func unknownEntitiesTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library.context().fetch(Self.request("Nobody"))
        }
        #expect(
            message(result).contains(
                "NSFetchRequest could not locate an NSEntityDescription for entity name 'Nobody'"))
    }

    @Test(arguments: [
        "height > 1", "author.height > 1", "ANY tags.height > 1", "SUBQUERY(tags, $t, $t.height > 1).@count > 0",
    ])
    func unknownPredicateKeysTrap(_ format: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [format] in
            _ = try Library.context().fetch(Self.request("Book", format))
        }
        #expect(message(result).contains("height not found in entity Book"))
    }

    @Test func unknownSortKeysTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let request = Self.request()
            request.sortDescriptors = [NSSortDescriptor(key: "author.height", ascending: true)]
            _ = try Library.context().fetch(request)
        }
        #expect(message(result).contains("keypath author.height not found in entity Book"))
    }

    @Test func sortingByAToManyRelationshipTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let request = Self.request()
            request.sortDescriptors = [NSSortDescriptor(key: "tags.name", ascending: true)]
            _ = try Library.context().fetch(request)
        }
        #expect(message(result).contains("to-many key not allowed here"))
    }

    @Test func sortingByACollectionOperatorTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let request = Self.request()
            request.sortDescriptors = [NSSortDescriptor(key: "tags.@count", ascending: true)]
            _ = try Library.context().fetch(request)
        }
        #expect(
            message(result).contains(
                "Keypath containing KVC aggregate where there shouldn't be one; failed to handle tags.@count"))
    }

    @Test func prefetchingAnAttributeTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let request = Self.request()
            request.relationshipKeyPathsForPrefetching = ["author.name"]
            _ = try Library.context().fetch(request)
        }
        #expect(message(result).contains("“name” is not a relationship of the entity “Author”"))
    }
}
