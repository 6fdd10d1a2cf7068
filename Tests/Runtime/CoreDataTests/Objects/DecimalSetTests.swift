import CoreData
import Testing

/// Decimal numbers in the runtime's collections: Foundation on Linux never returns from `NSDecimalNumber.hash`.
@Suite(.overAllStores) struct DecimalSetTests {
    private let context: NSManagedObjectContext
    private let author: NSManagedObject

    /// Creates four books, two of which have the same cost.
    init() throws {
        context = try Library.context()
        author = context.make("Author", ["name": "Austen"])
        for cost in ["1.5", "1.50", "2.25", nil] {
            _ = context.make("Book", ["cost": cost.map { NSDecimalNumber(string: $0) }, "author": author])
        }
        try context.save()
    }

    /// Returns the texts of the decimal numbers in a collection.
    private func texts(_ values: Any?) -> [String] {
        let values = (values as? NSSet)?.allObjects ?? values as? [Any] ?? []
        return values.compactMap { ($0 as? NSDecimalNumber)?.stringValue }.sorted()
    }

    @Test func keyPathsAggregateDecimals() throws {
        let costs = author.value(forKeyPath: "books.cost")
        #expect(costs is NSSet)
        #expect(texts(costs) == ["1.5", "2.25"])
        // The operators trap on nil, as Apple's raise an exception.
        for book in try context.all("Book") where book.value(forKey: "cost") == nil {
            book.setValue(nil, forKey: "author")
        }
        #expect(texts(author.value(forKeyPath: "books.@distinctUnionOfObjects.cost")) == ["1.5", "2.25"])
        #expect(texts(author.value(forKeyPath: "books.@unionOfObjects.cost")) == ["1.5", "1.5", "2.25"])
    }

    @Test func predicatesCompareDecimalSets() throws {
        let expression = NSExpression(format: "books.cost")
        #expect(texts(expression.expressionValue(with: author, context: nil)).contains("2.25"))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(
            format: "cost IN %@", [NSDecimalNumber(string: "1.5"), NSDecimalNumber(string: "3")])
        #expect(try context.count(for: request) == 2)
        request.predicate = NSPredicate(format: "ANY author.books.cost == %@", NSDecimalNumber(string: "2.25"))
        #expect(try context.count(for: request) == 4)
    }

    @Test(arguments: [true, false]) func equalDecimalsAreOneGroup(isGrouped: Bool) throws {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["cost"]
        request.predicate = NSPredicate(format: "cost != nil")
        if isGrouped { request.propertiesToGroupBy = ["cost"] } else { request.returnsDistinctResults = true }
        #expect(texts(try context.fetch(request).compactMap { $0["cost"] }) == ["1.5", "2.25"])
    }

    @Test func equalDecimalsViolateUniqueness() throws {
        let model = Library.model()
        model.entitiesByName["Book"]?.uniquenessConstraints = [["cost"]]
        let store = try TestStore(model)
        let context = try store.open()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        for cost in ["1.5", "1.50", "2.25"] {
            _ = context.make("Book", ["cost": NSDecimalNumber(string: cost)])
        }
        try context.save()
        _ = context.make("Book", ["cost": NSDecimalNumber(string: "2.250")])
        try context.save()
        #expect(texts(try context.all("Book").compactMap { $0.value(forKey: "cost") }) == ["1.5", "2.25"])
    }
}
