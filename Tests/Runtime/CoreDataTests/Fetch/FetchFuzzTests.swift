import CoreData
import TestSupport
import Testing

/// Random requests for random objects, compared with a naive evaluation over plain Swift values.
/// `MODELC_FUZZ_SECONDS=60 swift test --filter FetchFuzz` runs longer; `MODELC_FUZZ_SEED=7` repeats the run with the
/// seed named by a failure.
@Suite(.overAllStores) struct FetchFuzzTests {
    @Test func fetchesFromOneStoreAreCorrect() {
        Seeds.run(rounds: 2) { random, log in
            let actor = try FetchActor(random, Library.coordinator())
            defer { log = actor.log }
            try actor.run(rounds: 12)
        }
    }

    @Test func fetchesFromSeveralStoresAreCorrect() {
        Seeds.run(rounds: 2) { random, log in
            let coordinator = try Library.coordinator()
            try StoreKind.add(to: coordinator)
            let actor = try FetchActor(random, coordinator)
            defer { log = actor.log }
            try actor.run(rounds: 12)
        }
    }
}

/// A book as a plain value. `key` never changes and identifies the object.
private struct PlainBook: Equatable {
    var key: Int
    var isNovel: Bool
    var title: String?
    var pages: Int?
    var price: Double?
    var isNew: Bool
    var author: Int?
}

/// A condition in both forms.
private struct Condition {
    var format: String
    var holds: (PlainBook) -> Bool
}

/// An actor that changes and fetches objects.
private final class FetchActor {
    var log: [String] = []
    private var random: SeededGenerator
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private var authors: [NSManagedObject] = []
    private let names: [String?] = ["Austen", "Bronte", nil, "Čapek"]
    private var saved: [Int: PlainBook] = [:]
    private var current: [Int: PlainBook] = [:]
    private var ofChild: [Int: PlainBook] = [:]
    private var lastKey = 0

    init(_ random: SeededGenerator, _ coordinator: NSPersistentStoreCoordinator) throws {
        self.random = random
        self.coordinator = coordinator
        context = try Library.context(coordinator)
        child = GraphFuzzTests.child(of: context)
        for (number, name) in names.enumerated() {
            let author = context.make("Author", ["name": name])
            // Relationships cannot cross stores.
            context.assign(author, to: coordinator.persistentStores[number % coordinator.persistentStores.count])
            authors.append(author)
        }
        try context.save()
    }

    func run(rounds: Int) throws {
        for _ in 0..<rounds {
            try change(context, &current)
            ofChild = current
            if random.chance(3) {
                log.append("save")
                try context.save()
                saved = current
            }
            if random.chance(8) {
                log.append("rollback")
                context.rollback()
                current = saved
                ofChild = saved
            }
            for _ in 0..<4 { try ask(context, current) }
            log.append("child")
            try change(child, &ofChild)
            for _ in 0..<3 { try ask(child, ofChild) }
            child.rollback()
        }
    }

    // MARK: Changes

    private func change(_ context: NSManagedObjectContext, _ books: inout [Int: PlainBook]) throws {
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let keys = books.keys.sorted()
            if keys.isEmpty || random.chance(2) {
                lastKey += 1
                let book = randomBook(lastKey)
                let object = context.make(book.isNovel ? "Novel" : "Book")
                if coordinator.persistentStores.count > 1 {
                    let store = book.author.flatMap { authors[$0].objectID.persistentStore }
                    context.assign(object, to: store ?? coordinator.persistentStores[0])
                }
                set(object, book, context)
                books[book.key] = book
                log.append("new \(book)")
            } else if let key = keys.randomElement(using: &random) {
                let object = try object(key, context)
                if random.chance(4) {
                    context.delete(object)
                    books[key] = nil
                    log.append("delete \(key)")
                } else {
                    var book = randomBook(key)
                    book.isNovel = books[key]?.isNovel ?? false
                    // An object and its relationships stay in one store.
                    if coordinator.persistentStores.count > 1 { book.author = books[key]?.author }
                    set(object, book, context)
                    books[key] = book
                    log.append("set \(book)")
                }
            }
        }
    }

    private func randomBook(_ key: Int) -> PlainBook {
        let titles: [String?] = ["Emma", "emma", "Emmy", "Tom", "Émile", "Title 12345", "Title 12344", "", nil]
        let title = titles.randomElement(using: &random) ?? nil
        return PlainBook(
            key: key, isNovel: random.chance(3), title: title ?? "x",
            pages: random.chance(4) ? nil : Int.random(in: -2...5, using: &random),
            price: random.chance(4) ? nil : Double(Int.random(in: -2...4, using: &random)) / 2, isNew: random.chance(2),
            author: random.chance(4) ? nil : Int.random(in: 0..<names.count, using: &random))
    }

    private func set(_ object: NSManagedObject, _ book: PlainBook, _ context: NSManagedObjectContext) {
        object.setValue(Date(timeIntervalSinceReferenceDate: Double(book.key)), forKey: "date")
        object.setValue(book.title, forKey: "title")
        object.setValue(book.pages, forKey: "pages")
        object.setValue(book.price, forKey: "price")
        object.setValue(book.isNew, forKey: "isNew")
        object.setValue(book.author.map { context.object(with: authors[$0].objectID) }, forKey: "author")
    }

    private func object(_ key: Int, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "date == %@", Date(timeIntervalSinceReferenceDate: Double(key)))
        let found = try context.fetch(request)
        guard found.count == 1 else { throw GraphDifference(description: "\(found.count) books with the key \(key)") }
        return found[0]
    }

    // MARK: Questions

    private func ask(_ context: NSManagedObjectContext, _ books: [Int: PlainBook]) throws {
        let condition = condition(2)
        let orders = orders()
        let request = NSFetchRequest<NSManagedObject>(entityName: random.chance(4) ? "Novel" : "Book")
        request.predicate = random.chance(5) ? nil : NSPredicate(format: condition.format)
        request.includesSubentities = !random.chance(4)
        request.includesPendingChanges = context === child || !random.chance(4)
        request.sortDescriptors = orders.map { NSSortDescriptor(key: $0.key, ascending: $0.isAscending) }
        request.fetchLimit = random.chance(2) ? Int.random(in: 0...4, using: &random) : 0
        request.fetchOffset = random.chance(3) ? Int.random(in: 0...4, using: &random) : 0
        // These settings do not affect the results.
        request.fetchBatchSize = random.chance(3) ? 2 : 0
        request.returnsObjectsAsFaults = random.chance(2)
        request.includesPropertyValues = random.chance(2)
        request.shouldRefreshRefetchedObjects = context === self.context && random.chance(6)
        request.relationshipKeyPathsForPrefetching = random.chance(3) ? ["author.books", "tags"] : nil
        log.append(
            "\(request.entityName ?? "") \(request.predicate.map { "\($0)" } ?? "all") \(orders) \(request.fetchOffset)+"
                + "\(request.fetchLimit) \(request.includesPendingChanges) \(request.includesSubentities)")

        // Deletions affect other objects when they are processed, which a fetch does first.
        context.processPendingChanges()
        let before = (context.insertedObjects.count, context.updatedObjects.count, context.deletedObjects.count)
        let state = request.includesPendingChanges ? books : saved
        let expected = cut(find(state, request, condition, orders), request)
        let found = try context.fetch(request)
        let keys = found.map(key)
        try compare(keys, expected, "objects")
        try compare([try context.count(for: request)], [expected.count], "number")
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: request.entityName ?? "")
        copy(request, to: ids)
        ids.resultType = .managedObjectIDResultType
        try compare(try context.fetch(ids) == found.map(\.objectID) ? 1 : 0, 1, "IDs")
        let after = (context.insertedObjects.count, context.updatedObjects.count, context.deletedObjects.count)
        if before != after { throw GraphDifference(description: "a fetch changes objects: \(before), \(after)") }
        try askForDictionaries(context, request, condition, orders)
        try askForGroups(context, request, condition)
    }

    private func copy<T>(_ request: NSFetchRequest<NSManagedObject>, to other: NSFetchRequest<T>) {
        other.predicate = request.predicate
        other.sortDescriptors = request.sortDescriptors
        other.includesSubentities = request.includesSubentities
        other.includesPendingChanges = request.includesPendingChanges
        other.fetchLimit = request.fetchLimit
        other.fetchOffset = request.fetchOffset
    }

    private func askForDictionaries(
        _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>, _ condition: Condition,
        _ orders: [(key: String, isAscending: Bool)]
    ) throws {
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: request.entityName ?? "")
        copy(request, to: dictionaries)
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["date", "author.name", "pages"]
        let rows = try context.fetch(dictionaries)
        let expected = cut(find(saved, request, condition, orders), request)
        try compare(rows.map { Int(($0["date"] as? Date)?.timeIntervalSinceReferenceDate ?? -1) }, expected, "rows")
        for (row, key) in zip(rows, expected) {
            let book = saved[key]
            if row["pages"] as? Int != book?.pages
                || row["author.name"] as? String != book?.author.flatMap({ names[$0] })
            {
                throw GraphDifference(description: "row \(row) of \(key)")
            }
        }
    }

    private func askForGroups(
        _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>, _ condition: Condition
    ) throws {
        let groups = NSFetchRequest<NSDictionary>(entityName: request.entityName ?? "")
        groups.predicate = request.predicate
        groups.includesSubentities = request.includesSubentities
        groups.resultType = .dictionaryResultType
        groups.propertiesToGroupBy = ["isNew", "author.name"]
        groups.propertiesToFetch =
            ["isNew", "author.name"]
            + ["sum", "count", "min", "max"].map { name in
                let column = NSExpressionDescription()
                column.name = name
                column.expression = NSExpression(
                    forFunction: "\(name):", arguments: [NSExpression(forKeyPath: "pages")])
                column.expressionResultType = .integer64AttributeType
                return column
            }
        let least = Int.random(in: 0...2, using: &random)
        if random.chance(2) { groups.havingPredicate = NSPredicate(format: "count:(pages) >= %d", least) }
        let found = Set(try context.fetch(groups))
        let books = find(saved, request, condition, []).compactMap { saved[$0] }
        let expected = Dictionary(grouping: books) { book in
            ["\(book.isNew)", book.author.flatMap { names[$0] } ?? ""]
        }.values.compactMap { group -> NSDictionary? in
            let pages = group.compactMap(\.pages)
            if groups.havingPredicate != nil, pages.count < least { return nil }
            let row = NSMutableDictionary()
            row["isNew"] = group[0].isNew
            row["author.name"] = group[0].author.flatMap { names[$0] }
            row["sum"] = pages.reduce(0, +)
            row["count"] = pages.count
            row["min"] = pages.min()
            row["max"] = pages.max()
            return row
        }
        if found != Set(expected) { throw GraphDifference(description: "groups \(found), expected \(expected)") }
    }

    private func key(_ object: NSManagedObject) -> Int {
        Int((object.value(forKey: "date") as? Date)?.timeIntervalSinceReferenceDate ?? -1)
    }

    private func compare<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
        if found != expected { throw GraphDifference(description: "\(what): \(found), expected \(expected)") }
    }

    // MARK: The naive evaluation

    private func find(
        _ books: [Int: PlainBook], _ request: NSFetchRequest<NSManagedObject>, _ condition: Condition,
        _ orders: [(key: String, isAscending: Bool)]
    ) -> [Int] {
        let found = books.values.filter { book in
            let isOfEntity = request.entityName == "Novel" ? book.isNovel : !book.isNovel || request.includesSubentities
            return isOfEntity && (request.predicate == nil || condition.holds(book))
        }
        return found.sorted { one, other in
            for order in orders {
                let result = compare(one, other, order.key)
                if result != .orderedSame { return (result == .orderedAscending) == order.isAscending }
            }
            return false
        }.map(\.key)
    }

    private func cut(_ keys: [Int], _ request: NSFetchRequest<NSManagedObject>) -> [Int] {
        let rest = keys.dropFirst(request.fetchOffset)
        return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
    }

    private func compare(_ one: PlainBook, _ other: PlainBook, _ key: String) -> ComparisonResult {
        func order<Value: Comparable>(_ one: Value?, _ other: Value?) -> ComparisonResult {
            guard let one else { return other == nil ? .orderedSame : .orderedAscending }
            guard let other else { return .orderedDescending }
            return one < other ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
        }
        switch key {
        case "title": return order(one.title, other.title)
        case "pages": return order(one.pages, other.pages)
        case "price": return order(one.price, other.price)
        case "isNew": return order(one.isNew ? 1 : 0, other.isNew ? 1 : 0)
        case "author.name": return order(one.author.flatMap { names[$0] }, other.author.flatMap { names[$0] })
        default: return order(one.key, other.key)
        }
    }

    /// Returns some sort keys, followed by a unique one.
    private func orders() -> [(key: String, isAscending: Bool)] {
        var keys = ["title", "pages", "price", "isNew", "author.name"].shuffled(using: &random)
        keys = Array(keys.prefix(Int.random(in: 0...3, using: &random))) + ["date"]
        return keys.map { ($0, !random.chance(2)) }
    }

    private func condition(_ depth: Int) -> Condition {
        if depth > 0, random.chance(2) {
            let (one, other) = (condition(depth - 1), condition(depth - 1))
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                return Condition(format: "(\(one.format)) AND (\(other.format))") { one.holds($0) && other.holds($0) }
            case 1:
                return Condition(format: "(\(one.format)) OR (\(other.format))") { one.holds($0) || other.holds($0) }
            default: return Condition(format: "NOT (\(one.format))") { !one.holds($0) }
            }
        }
        let (number, half) = (
            Int.random(in: -1...4, using: &random), Double(Int.random(in: -1...3, using: &random)) / 2
        )
        let names = names
        switch Int.random(in: 0..<14, using: &random) {
        case 0: return Condition(format: "pages > \(number)") { $0.pages.map { $0 > number } ?? false }
        case 1: return Condition(format: "pages <= \(number)") { $0.pages.map { $0 <= number } ?? false }
        case 2: return Condition(format: "pages == \(number)") { $0.pages == number }
        case 3: return Condition(format: "pages != \(number)") { $0.pages != number }
        case 4: return Condition(format: "price < \(half)") { $0.price.map { $0 < half } ?? false }
        case 5: return Condition(format: "price == \(half)") { $0.price == half }
        case 6: return Condition(format: "pages > \(half)") { $0.pages.map { Double($0) > half } ?? false }
        case 7: return Condition(format: "isNew == YES") { $0.isNew }
        case 8: return Condition(format: "pages == nil") { $0.pages == nil }
        case 9: return Condition(format: "title == 'emma'") { $0.title == "emma" }
        case 10:
            return Condition(format: "title BEGINSWITH[c] 'em'") { $0.title?.lowercased().hasPrefix("em") ?? false }
        case 11:
            return Condition(format: "author.name == 'Austen'") { $0.author.flatMap { names[$0] } == "Austen" }
        case 12: return Condition(format: "author == nil") { $0.author == nil }
        default:
            return Condition(format: "pages BETWEEN {0, \(number)}") {
                $0.pages.map { $0 >= 0 && $0 <= number } ?? false
            }
        }
    }
}
