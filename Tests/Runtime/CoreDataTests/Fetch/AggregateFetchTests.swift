import CoreData
import Testing

/// Functions of many values over to-many relationships, in dictionaries, predicates, groups and derived attributes.
@Suite(.overAllStores) struct AggregateFetchTests {
    /// Returns a context with three authors, two of them with the same name: one has two books of 100 pages, the next
    /// one of 300 and one without a number of pages, the last none.
    private func library() throws -> NSManagedObjectContext {
        let context = try Library.context()
        let jane = context.make("Author", ["name": "Jane", "age": 41])
        let other = context.make("Author", ["name": "Jane", "age": 20])
        _ = context.make("Author", ["name": "Homer", "age": 70])
        for pages in [100, 100] { _ = context.make("Book", ["pages": pages, "price": 1.5, "author": jane]) }
        for pages in [300, nil] { _ = context.make("Book", ["pages": pages, "author": other]) }
        try context.save()
        return context
    }

    private func column(_ name: String, _ format: String) -> NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = name
        column.expression = NSExpression(format: format)
        return column
    }

    private func rows(
        _ context: NSManagedObjectContext, _ columns: [Any], by groups: [Any]? = nil, having: String? = nil,
        order: [NSSortDescriptor] = [NSSortDescriptor(key: "name", ascending: true)]
    ) throws -> [NSDictionary] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = groups
        request.havingPredicate = having.map { NSPredicate(format: $0) }
        request.sortDescriptors = order
        return try context.fetch(request)
    }

    private static let functions = [
        "sum:(books.pages)", "count:(books.pages)", "average:(books.pages)", "min:(books.pages)", "max:(books.pages)",
        "sum:(books.price)", "count:(books)", "count:(distinct:(books.pages))",
    ]

    @Test func functionsCountEqualValuesOfSeveralMembers() throws {
        let context = try library()
        let columns = Self.functions.enumerated().map { column("f\($0)", $1) }
        let order = [NSSortDescriptor(key: "age", ascending: false)]
        let expected: [NSDictionary] = [
            ["f0": 0, "f1": 0, "f5": 0, "f6": 0, "f7": 0],
            ["f0": 200, "f1": 2, "f2": 100, "f3": 100, "f4": 100, "f5": 3.0, "f6": 2, "f7": 1],
            ["f0": 300, "f1": 1, "f2": 300, "f3": 300, "f4": 300, "f5": 0, "f6": 2, "f7": 1],
        ]
        #expect(try rows(context, columns, order: order) == expected)
        // Objects with unsaved changes are evaluated in memory.
        let jane = try #require(try context.all("Author", by: "age").dropFirst().first)
        #expect(columns[0].expression?.expressionValue(with: jane, context: nil) as? Int == 200)
        for change in [nil, 42] {
            if let change { jane.setValue(change, forKey: "age") }
            for (format, count) in [
                ("sum:(books.pages) == 200", 1), ("sum:(books.pages) == 100", 0), ("average:(books.pages) == 300", 1),
                ("count:(books.pages) == 2", 1), ("count:(distinct:(books.pages)) == 2", 0),
                ("sum:(SUBQUERY(books, $b, $b.pages == 100).pages) == 200", 1),
            ] {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.predicate = NSPredicate(format: format)
                #expect(try context.count(for: request) == count, "\(StoreKind.current): \(format)")
                let all = try context.all("Author").filter { NSPredicate(format: format).evaluate(with: $0) }
                #expect(all.count == count, "\(StoreKind.current): \(format)")
            }
        }
    }

    /// The elements of other collections keep the rules of key-value coding.
    @Test func setsOfDictionariesHaveDistinctValues() {
        let books = NSSet(array: [["pages": 100, "id": 1], ["pages": 100, "id": 2]] as [NSDictionary])
        let sum = NSExpression(format: "sum:(books.pages)")
        #expect(sum.expressionValue(with: ["books": books], context: nil) as? Int == 100)
    }

    @Test func groupsHaveTheMembersOfAllTheirRows() throws {
        let context = try library()
        let columns: [Any] = [
            "name", column("count", "count:(books)"), column("operator", "books.@count"),
            column("sum", "sum:(books.pages)"), column("least", "min:(books.pages)"),
            column("most", "books.@max.pages"), column("rows", "count:(SELF)"),
            column("different", "count:(distinct:(books.pages))"),
            column("long", "SUBQUERY(books, $b, $b.pages >= 100).@count"),
        ]
        let expected: [NSDictionary] = [
            ["name": "Homer", "count": 0, "operator": 0, "sum": 0, "rows": 1, "different": 0, "long": 0],
            [
                "name": "Jane", "count": 4, "operator": 4, "sum": 500, "least": 100, "most": 300, "rows": 2,
                "different": 2, "long": 3,
            ],
        ]
        #expect(try rows(context, columns, by: ["name"]) == expected)
        // Databases compute the common ones.
        #expect(try rows(context, Array(columns.prefix(7)), by: ["name"]).map { $0["sum"] as? Int } == [0, 500])
        let average = column("average", "average:(books.pages)")
        #expect(try rows(context, [average], by: ["name"]).last == ["average": 500.0 / 3])
    }

    @Test(
        arguments: [
            ("books.@count > 2", ["Jane"]), ("books.@count == 4", ["Jane"]), ("count:(books) == 2", []),
            ("books.@count == 0", ["Homer"]), ("books.@count > 0", ["Jane"]), ("sum:(books.pages) == 500", ["Jane"]),
            ("ANY books.pages == 300", ["Jane"]), ("ANY books.pages == 400", []),
            ("SUBQUERY(books, $b, $b.pages >= 100).@count == 3", ["Jane"]), ("$count == 4", ["Jane"]),
            ("books.@avg.pages == 125", ["Jane"]), ("average:(books.pages) > 166 AND name != nil", ["Jane"]),
        ] as [(String, [String])])
    func conditionsOfGroupsDoNotDependOnARow(format: String, names: [String]) throws {
        let context = try library()
        for ascending in [true, false] {
            let order = [NSSortDescriptor(key: "name", ascending: ascending)]
            let columns: [Any] = ["name", column("count", "count:(books)")]
            let found = try rows(context, columns, by: ["name"], having: format, order: order)
            #expect(found.map { $0["name"] as? String } == names, "\(StoreKind.current)")
        }
    }

    @Test func rowsCanBeGroupedByTheirNumberOfMembers() throws {
        let context = try library()
        let number = column("number", "books.@count")
        let found = try rows(context, [number, column("rows", "count:(SELF)")], by: [number])
        #expect(Set(found) == [["number": 0, "rows": 1], ["number": 2, "rows": 2]])
    }

    @Test func aTotalOfAllRowsHasTheirMembers() throws {
        let context = try library()
        let columns = [
            column("age", "sum:(age)"), column("count", "count:(books)"), column("most", "max:(books.pages)"),
        ]
        #expect(try rows(context, columns) == [["age": 131, "count": 4, "most": 300]])
        // Without a function of rows, each row has its own.
        #expect(try rows(context, [columns[1]]).count == 3)
        let total = column("total", "sum:(books.@count)")
        #expect(try rows(context, [total]) == [["total": 4]])
    }

    @Test func derivedAveragesAreThoseOfFetches() throws {
        let model = Library.model()
        let mean = NSDerivedAttributeDescription()
        mean.name = "mean"
        mean.attributeType = .doubleAttributeType
        mean.derivationExpression = NSExpression(format: "books.@avg.pages")
        model.entitiesByName["Author"]?.properties.append(mean)
        let context = try Library.context(Library.coordinator(model))
        let author = context.make("Author")
        let empty = context.make("Author")
        for pages in [100, 100, 400, nil] { _ = context.make("Book", ["pages": pages, "author": author]) }
        try context.save()
        context.refreshAllObjects()
        #expect(author.value(forKey: "mean") as? Double == 200 && empty.value(forKey: "mean") == nil)
    }
}
