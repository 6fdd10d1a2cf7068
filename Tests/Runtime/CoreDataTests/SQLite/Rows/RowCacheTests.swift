import CSQLite3
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The bounds of the row cache, and what saves and faults cost.
@Suite struct RowCacheTests {
    /// Large rows that no object uses are evicted by size.
    @Test func rowsAreBoundedByBytes() throws {
        let cache = RowCache()
        let size = 50_000
        var last: Row?
        for key in 0..<Int64(2000) {
            let row = Row.make([.data(Data(count: 8))], version: 1)
            cache.set(row, key, size: size)
            last = row
        }
        #expect(cache.count * size <= 2 * (RowCache.sizeLimit + size))
        #expect(cache[1999] === last)
        // Rows in use stay.
        var used: [Row] = []
        for key in 0..<Int64(2000) {
            let row = Row.make([.null], version: 1)
            cache.set(row, key, size: size)
            used.append(row)
        }
        #expect(used.enumerated().allSatisfy { cache[Int64($0)] === $1 && !$1.isStale })
    }

    /// Fetches in pages do not keep all rows.
    @Test func pagesOfLargeRowsAreEvicted() throws {
        let model = SmallModel.model([
            SmallModel.entity(
                "Page",
                [
                    SmallModel.attribute("number", .integer64AttributeType),
                    SmallModel.attribute("data", .binaryDataAttributeType),
                ])
        ])
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            for number in 0..<1200 { _ = context.make("Page", ["number": number, "data": Data(count: 50_000)]) }
            try context.save()
            context.reset()
            let sqlite = try #require(
                context.persistentStoreCoordinator?.persistentStores.first?.engine as? SQLiteStore)
            let cache = try #require(sqlite.entity(named: "Page")?.cache)
            for page in 0..<12 {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Page")
                request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
                request.fetchOffset = page * 100
                request.fetchLimit = 100
                let found = try context.fetch(request)
                #expect(found.map { $0.value(forKey: "number") as? Int } == (0..<100).map { page * 100 + $0 })
                context.reset()
            }
            #expect(cache.count * 50_000 < 3 * RowCache.sizeLimit)
        }
    }

    /// Neighbors are found in lists of any order, as a linear search finds them.
    @Test(arguments: 0..<20) func neighborsAreFound(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var neighbors = RowNeighbors()
        var lists: [[Int64]] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            var keys = (0..<Int64.random(in: 2...2000, using: &random)).map { $0 * Int64(1 + seed % 3) }
            if Bool.random(using: &random) { keys.shuffle(using: &random) }
            lists.append(keys)
            neighbors.record(keys)
        }
        for _ in 0..<200 {
            let key = Int64.random(in: 0...6000, using: &random)
            let batch = Array(neighbors.batch(from: key))
            let expected = lists.last { $0.contains(key) }.map { keys in
                Array(keys[(keys.firstIndex(of: key) ?? 0)...].prefix(RowNeighbors.batchSize))
            }
            #expect(batch == expected ?? [key], "seed \(seed)")
        }
    }

    /// The steps of SQLite's machine that a block takes, in thousands.
    private func steps(_ context: NSManagedObjectContext, _ body: () throws -> Void) throws -> Int {
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first?.engine as? SQLiteStore)
        let handle = try #require(store.openConnection?.handle)
        final class Counter { var count = 0 }
        let counter = Counter()
        sqlite3_progress_handler(
            handle, 100,
            { user in
                if let user { Unmanaged<Counter>.fromOpaque(user).takeUnretainedValue().count += 1 }
                return 0
            }, Unmanaged.passUnretained(counter).toOpaque())
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        try body()
        return counter.count
    }

    /// Saving many members of one ordered many-to-many relationship takes linear time, from either side.
    @Test(arguments: [true, false]) func orderedMembersAreWrittenInLinearTime(_ fromOwner: Bool) throws {
        var costs: [Int] = []
        for count in [200, 800] {
            let model = Library.model()
            model.entitiesByName["Tag"]?.relationshipsByName["books"]?.isOrdered = true
            let store = try TestStore(model)
            let context = try store.open()
            try context.performAndWait {
                let tag = context.make("Tag", ["name": "t"])
                try context.save()
                let books = (0..<count).map { context.make("Book", ["title": "\($0)"]) }
                if fromOwner {
                    tag.setValue(NSOrderedSet(array: books.reversed()), forKey: "books")
                } else {
                    for book in books { book.setValue(NSSet(object: tag), forKey: "tags") }
                }
                costs.append(try steps(context) { try context.save() })
                context.refreshAllObjects()
                let members = (tag.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
                #expect(members.count == count && Set(members) == Set(books))
                if fromOwner { #expect(members == books.reversed()) }
            }
        }
        #expect(costs[1] < costs[0] * 8, "\(costs)")
    }
}
