import CSQLiteReference
import CoreData
import Foundation
import GRDB

/// GRDB's own comparison: records of ten integers are fetched and inserted.
enum IntegersBenchmarks {
    static func all(_ stack: QuotedStack, rounds: Int) -> [Benchmark] {
        let (fetched, inserted) = (Amount.rows(200_000), Amount.rows(50_000))
        let files = IntegersFiles(stack)
        let (fetch, insert) = ("\(fetched) records of 10 integers", "\(inserted) records of 10 integers")
        return [
            Benchmark(
                name: "quoted/integers-fetch", size: fetch, rounds: rounds, ours: { try files.fetch(fetched) },
                reference: { try files.fetchReference(fetched) }, referenceName: "sqlite3"),
            Benchmark(
                name: "quoted/integers-fetch-grdb-columns", size: fetch, rounds: rounds,
                ours: { try files.fetch(fetched) }, reference: { try files.fetchRecords(fetched) },
                referenceName: "GRDB, hand-written records"),
            Benchmark(
                name: "quoted/integers-insert", size: insert, rounds: rounds, ours: { try files.insert(inserted) },
                reference: { try files.insertReference(inserted) }, referenceName: "sqlite3"),
            Benchmark(
                name: "quoted/integers-insert-grdb-columns", size: insert, rounds: rounds,
                ours: { try files.insert(inserted) }, reference: { try files.insertRecords(inserted) },
                referenceName: "GRDB, hand-written records"),
        ]
    }
}

/// Ten integers as a record with explicit columns, read by their indices.
private struct IntegersRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "integers"

    var i0, i1, i2, i3, i4, i5, i6, i7, i8, i9: Int64

    init(_ number: Int) {
        let first = Int64(number)
        (i0, i1, i2, i3, i4) = (first, first + 1, first + 2, first + 3, first + 4)
        (i5, i6, i7, i8, i9) = (first + 5, first + 6, first + 7, first + 8, first + 9)
    }

    init(row: Row) {
        (i0, i1, i2, i3, i4) = (row[0], row[1], row[2], row[3], row[4])
        (i5, i6, i7, i8, i9) = (row[5], row[6], row[7], row[8], row[9])
    }

    func encode(to container: inout PersistenceContainer) {
        container["i0"] = i0
        container["i1"] = i1
        container["i2"] = i2
        container["i3"] = i3
        container["i4"] = i4
        container["i5"] = i5
        container["i6"] = i6
        container["i7"] = i7
        container["i8"] = i8
        container["i9"] = i9
    }

    var sum: Int64 { i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8 + i9 }
}

private final class IntegersFiles {
    private static let columns = (0..<10).map { "ZI\($0)" }.joined(separator: ", ")

    private let stack: QuotedStack

    init(_ stack: QuotedStack) {
        self.stack = stack
    }

    private func check(_ sum: Int64) throws { try QuotedStack.check(sum > 0, "nothing was fetched") }

    // MARK: Fetching

    private func storeURL(_ count: Int) throws -> URL { try stack.store("integers") { make(count, $0) } }

    func fetch(_ count: Int) throws -> Double {
        let context = try stack.context(storeURL(count))
        return try ObjectBenchmarks.seconds {
            var sum: Int64 = 0
            for object in try context.fetch(NSFetchRequest<Integers>(entityName: "Integers")) {
                sum += object.i0 + object.i1 + object.i2 + object.i3 + object.i4
                sum += object.i5 + object.i6 + object.i7 + object.i8 + object.i9
            }
            try check(sum)
        }
    }

    func fetchReference(_ count: Int) throws -> Double {
        let database = try ReferenceDatabase(storeURL(count))
        return try ObjectBenchmarks.seconds {
            let statement = try database.prepare("SELECT \(Self.columns) FROM ZINTEGERS")
            defer { sqlite3_finalize(statement) }
            var sum: Int64 = 0
            while sqlite3_step(statement) == SQLITE_ROW {
                for column in 0..<Int32(10) { sum += sqlite3_column_int64(statement, column) }
            }
            try check(sum)
        }
    }

    func fetchRecords(_ count: Int) throws -> Double {
        let url = try stack.file("integers records") { url in
            let queue = try Self.queue(url)
            try queue.write { for number in 0..<count { try IntegersRecord(number).insert($0) } }
            try queue.close()
        }
        let queue = try DatabaseQueue(path: url.path)
        let seconds = try ObjectBenchmarks.seconds {
            var sum: Int64 = 0
            for record in try queue.read({ try IntegersRecord.fetchAll($0) }) { sum += record.sum }
            try check(sum)
        }
        try queue.close()
        return seconds
    }

    // MARK: Inserting

    private func make(_ count: Int, _ context: NSManagedObjectContext) {
        for number in 0..<Int64(count) {
            let object = Integers(context: context)
            object.i0 = number
            object.i1 = number + 1
            object.i2 = number + 2
            object.i3 = number + 3
            object.i4 = number + 4
            object.i5 = number + 5
            object.i6 = number + 6
            object.i7 = number + 7
            object.i8 = number + 8
            object.i9 = number + 9
        }
    }

    func insert(_ count: Int) throws -> Double {
        try stack.withStore { url in
            let context = try stack.context(url)
            return try ObjectBenchmarks.seconds {
                make(count, context)
                try context.save()
            }
        }
    }

    func insertReference(_ count: Int) throws -> Double {
        try stack.withStore { url in
            _ = try stack.context(url)
            let database = try ReferenceDatabase(url)
            return try ObjectBenchmarks.seconds {
                try database.run("BEGIN IMMEDIATE")
                let statement = try database.prepare(
                    "INSERT INTO ZINTEGERS(Z_PK, Z_ENT, Z_OPT, \(Self.columns)) VALUES(?, 3, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                )
                defer { sqlite3_finalize(statement) }
                for number in 0..<Int64(count) {
                    sqlite3_bind_int64(statement, 1, number + 1)
                    for column in 0..<Int64(10) { sqlite3_bind_int64(statement, Int32(column) + 2, number + column) }
                    try ReferenceDatabase.step(statement)
                }
                try database.run("COMMIT")
            }
        }
    }

    func insertRecords(_ count: Int) throws -> Double {
        try stack.withStore { url in
            let queue = try Self.queue(url)
            let seconds = try ObjectBenchmarks.seconds {
                try queue.write { for number in 0..<count { try IntegersRecord(number).insert($0) } }
            }
            try queue.close()
            return seconds
        }
    }

    /// Opens a new file with the settings of a store.
    private static func queue(_ url: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: url.path, configuration: configuration)
        try queue.write { database in
            try database.create(table: "integers") { table in
                for number in 0..<10 { table.column("i\(number)", .integer) }
            }
        }
        return queue
    }
}
