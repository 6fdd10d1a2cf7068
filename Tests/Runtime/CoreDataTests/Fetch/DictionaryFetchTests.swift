import CoreData
import Testing

/// Dictionaries: columns, functions over rows, groups, conditions of groups, distinct rows.
@Suite(.overAllStores) struct DictionaryFetchTests {
    /// Returns a context with two authors with books, and a book without author and pages.
    private func library() throws -> NSManagedObjectContext {
        let context = try Library.context()
        let austen = context.make("Author", ["name": "Austen", "age": 41])
        let bronte = context.make("Author", ["name": "Bronte", "age": 30])
        _ = context.make("Book", ["title": "Emma", "pages": 300, "price": 2.5, "author": austen])
        _ = context.make("Book", ["title": "Persuasion", "pages": 200, "price": 1.5, "author": austen])
        _ = context.make("Novel", ["title": "Jane Eyre", "pages": 500, "genre": "gothic", "author": bronte])
        _ = context.make("Book", ["title": "Beowulf", "pages": nil, "isNew": false])
        try context.save()
        return context
    }

    private func request(_ columns: [Any]?, _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in })
        -> NSFetchRequest<NSDictionary>
    {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = columns
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        change(request)
        return request
    }

    private func column(
        _ name: String, _ expression: NSExpression, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = name
        column.expression = expression
        column.expressionResultType = type
        return column
    }

    private func function(_ name: String, _ key: String) -> NSExpression {
        NSExpression(forFunction: name, arguments: [NSExpression(forKeyPath: key)])
    }

    // MARK: Columns

    @Test func columnsAreNamesDescriptionsAndKeyPaths() throws {
        let context = try library()
        let book = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Book"])
        let pages = try #require(book.attributesByName["pages"])
        let rows = try context.fetch(request(["title", pages, "author.name"]))
        let expected: [NSDictionary] = [
            // A missing value has no key.
            ["title": "Beowulf"],
            ["title": "Emma", "pages": 300, "author.name": "Austen"],
            ["title": "Jane Eyre", "pages": 500, "author.name": "Bronte"],
            ["title": "Persuasion", "pages": 200, "author.name": "Austen"],
        ]
        #expect(rows == expected)
    }

    @Test func relationshipsYieldObjectIDs() throws {
        let context = try library()
        let rows = try context.fetch(request(["author"]) { $0.predicate = NSPredicate(format: "title == 'Emma'") })
        let author = try #require(context.all("Author", by: "name").first)
        #expect(rows.first?["author"] as? NSManagedObjectID == author.objectID)
    }

    @Test func allStoredPropertiesAreFetchedByDefault() throws {
        let context = try library()
        let row = try #require(
            context.fetch(request(nil) { $0.predicate = NSPredicate(format: "title == 'Emma'") }).first)
        let keys = Set(row.allKeys.compactMap { $0 as? String })
        #expect(keys == ["title", "pages", "price", "isNew", "author"])
    }

    @Test func expressionsAreEvaluatedForEachRow() throws {
        let context = try library()
        let double = column("double", NSExpression(format: "pages * 2"), .integer64AttributeType)
        let text = column("text", function("uppercase:", "title"), .stringAttributeType)
        let object = column("object", NSExpression.expressionForEvaluatedObject(), .objectIDAttributeType)
        let tags = column("tags", NSExpression(format: "tags.@count"), .integer32AttributeType)
        let rows = try context.fetch(
            request([double, text, object, tags]) { $0.predicate = NSPredicate(format: "pages > 0") })
        #expect(rows.map { $0["double"] as? Int } == [600, 1000, 400])
        #expect(rows.map { $0["text"] as? String } == ["EMMA", "JANE EYRE", "PERSUASION"])
        #expect(rows.map { $0["tags"] as? Int } == [0, 0, 0])
        let books = try context.all("Book", by: "title").filter { $0.value(forKey: "pages") != nil }
        #expect(rows.map { $0["object"] as? NSManagedObjectID } == books.map(\.objectID))
    }

    @Test func unsavedChangesAreIgnored() throws {
        let context = try library()
        let books = try context.all("Book", by: "title")
        books[1].setValue(1, forKey: "pages")
        context.delete(books[2])
        _ = context.make("Book", ["title": "New"])
        // Apple's documentation of includesPendingChanges: dictionaries reflect what is in the store.
        #expect(try context.fetch(request(["pages"])).map { $0["pages"] as? Int } == [nil, 300, 500, 200])
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        #expect(try child.fetch(request(["title"])).count == 4)
        #expect(try context.count(for: request(["title"])) == 4)
    }

    @Test func orderLimitAndOffsetApply() throws {
        let context = try library()
        let rows = try context.fetch(
            request(["title"]) { request in
                request.sortDescriptors = [
                    NSSortDescriptor(key: "author.name", ascending: false),
                    NSSortDescriptor(key: "pages", ascending: true),
                ]
                request.fetchOffset = 1
                request.fetchLimit = 2
            })
        #expect(rows.map { $0["title"] as? String } == ["Persuasion", "Emma"])
    }

    @Test func distinctResultsApplyBeforeTheLimit() throws {
        let context = try library()
        let all = request(["author.name"]) { request in
            request.returnsDistinctResults = true
            request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
        }
        #expect(try context.fetch(all) == [[:], ["author.name": "Austen"], ["author.name": "Bronte"]])
        // Limit and offset count distinct rows, as with SELECT DISTINCT … LIMIT.
        all.fetchOffset = 1
        all.fetchLimit = 2
        #expect(try context.fetch(all) == [["author.name": "Austen"], ["author.name": "Bronte"]])
    }

    // MARK: Functions over rows

    @Test func aggregatesOverAllRows() throws {
        let context = try library()
        let rows = try context.fetch(
            request([
                column("sum", function("sum:", "pages"), .integer64AttributeType),
                column("count", function("count:", "pages"), .integer64AttributeType),
                column(
                    "rows",
                    NSExpression(forFunction: "count:", arguments: [NSExpression.expressionForEvaluatedObject()]),
                    .integer64AttributeType),
                column("least", function("min:", "pages"), .integer64AttributeType),
                column("most", function("max:", "title"), .stringAttributeType),
                column("average", function("average:", "pages"), .doubleAttributeType),
                column("whole", function("average:", "price"), .doubleAttributeType),
                column("spread", NSExpression(format: "max:(pages) - min:(pages)"), .integer64AttributeType),
                column(
                    "authors",
                    NSExpression(forFunction: "count:", arguments: [function("distinct:", "author")]),
                    .integer64AttributeType),
            ]))
        let expected: NSDictionary = [
            "sum": 1000, "count": 3, "rows": 4, "least": 200, "most": "Persuasion", "average": 1000.0 / 3, "whole": 2.0,
            "spread": 300, "authors": 2,
        ]
        #expect(rows == [expected])
    }

    @Test func aggregatesOverNoRows() throws {
        let context = try library()
        let rows = try context.fetch(
            request([
                column("sum", function("sum:", "pages"), .integer64AttributeType),
                column("count", function("count:", "pages"), .integer64AttributeType),
                column("least", function("min:", "pages"), .integer64AttributeType),
                column("average", function("average:", "pages"), .doubleAttributeType),
            ]) { $0.predicate = NSPredicate(format: "pages > 10000") })
        #expect(rows == [["sum": 0, "count": 0]])
    }

    @Test func valuesHaveTheResultType() throws {
        let context = try library()
        let average = function("average:", "pages")
        func value(_ type: NSAttributeType) throws -> Any? {
            try context.fetch(request([column("x", average, type)])).first?["x"]
        }
        #expect(try value(.integer32AttributeType) as? Int == 333)
        #expect(try value(.doubleAttributeType) as? Double == 1000.0 / 3)
        #expect(try value(.decimalAttributeType) is NSDecimalNumber)
        #expect(try value(.dateAttributeType) as? Date == Date(timeIntervalSinceReferenceDate: 1000.0 / 3))
    }

    @Test func minimumAndMaximumSelectTheirRow() throws {
        let context = try library()
        let rows = try context.fetch(request(["title", column("most", function("max:", "pages"))]))
        #expect(rows == [["title": "Jane Eyre", "most": 500]])
    }

    // MARK: Groups

    private func grouped(_ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }) -> NSFetchRequest<NSDictionary> {
        let total = column("total", function("sum:", "pages"), .integer64AttributeType)
        let count = column("count", function("count:", "title"), .integer64AttributeType)
        return request(["author.name", total, count]) { request in
            request.propertiesToGroupBy = ["author.name"]
            request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
            change(request)
        }
    }

    @Test func rowsAreGrouped() throws {
        let context = try library()
        let none: NSDictionary = ["total": 0, "count": 1]
        let austen: NSDictionary = ["author.name": "Austen", "total": 500, "count": 2]
        let bronte: NSDictionary = ["author.name": "Bronte", "total": 500, "count": 1]
        #expect(try context.fetch(grouped()) == [none, austen, bronte])
        #expect(try context.fetch(grouped { $0.fetchOffset = 1 }) == [austen, bronte])
        #expect(try context.fetch(grouped { $0.fetchLimit = 1 }) == [none])
        #expect(try context.fetch(grouped { $0.predicate = NSPredicate(format: "pages >= 300") }).count == 2)
        #expect(try context.count(for: grouped()) == 3)
        let descending = NSSortDescriptor(key: "author.name", ascending: false)
        #expect(try context.fetch(grouped { $0.sortDescriptors = [descending] }) == [bronte, austen, none])
    }

    @Test func rowsAreGroupedByDescriptionsAndExpressions() throws {
        let context = try library()
        let isLong = column("isLong", NSExpression(format: "pages >= 300"))
        let count = column("count", function("count:", "title"))
        let rows = try context.fetch(
            request([isLong, count]) { request in
                request.propertiesToGroupBy = [isLong]
                request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            })
        #expect(rows.map { $0["isLong"] as? Bool } == [false, true] && rows.map { $0["count"] as? Int } == [2, 2])
    }

    @Test func havingPredicatesFilterGroups() throws {
        let context = try library()
        func names(_ format: String) throws -> [String?] {
            try context.fetch(grouped { $0.havingPredicate = NSPredicate(format: format) })
                .map { $0["author.name"] as? String }
        }
        #expect(try names("count:(title) > 1") == ["Austen"])
        #expect(try names("$count > 1") == ["Austen"])
        #expect(try names("author.name != nil AND $total >= 500") == ["Austen", "Bronte"])
        #expect(try names("max:(pages) == 500 OR author.name == nil") == [nil, "Bronte"])
    }

    // MARK: Misuse

    private func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func unknownColumnsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library.context().fetch(Self().request(["title", "height"]))
        }
        #expect(message(result).contains("keypath height not found in entity Book"))
    }

    @Test func toManyColumnsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library.context().fetch(Self().request(["tags.name"]))
        }
        #expect(message(result).contains("Invalid to-many relationship in setPropertiesToFetch: (tags.name)"))
    }

    @Test func ungroupedColumnsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library.context().fetch(Self().grouped { $0.propertiesToFetch = ["title"] })
        }
        #expect(message(result).contains("SELECT clauses in queries with GROUP BY components can only contain"))
    }

    @Test func groupingManagedObjectsTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.propertiesToGroupBy = ["title"]
            _ = try Library.context().fetch(request)
        }
        #expect(message(result).contains("GROUP BY requires NSDictionaryResultType"))
    }

    @Test func havingPredicatesWithoutGroupsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library.context().fetch(
                Self().request(["title"]) { $0.havingPredicate = NSPredicate(format: "pages > 1") })
        }
        #expect(message(result).contains("HAVING without GROUP BY"))
    }
}
