import CSQLiteReference
import CoreData
import Foundation

/// The mix of Dflat's benchmark: documents of nine attributes, with an index of their titles.
enum DocumentBenchmarks {
    static func all(_ stack: QuotedStack, rounds: Int) -> [Benchmark] {
        let count = Amount.rows(10_000)
        let size = "\(count) documents of 9 attributes, \(Work.allCases.count) steps"
        return [
            Benchmark(
                name: "quoted/documents", size: size, rounds: rounds, ours: { try run(count, stack) },
                reference: { try runReference(count, stack) }, referenceName: "sqlite3"),
            Benchmark(
                name: "quoted/documents-observed", size: "\(count) documents changed at once, 1000 observed",
                rounds: rounds, ours: { try runObserved(count, stack, observers: 1000) },
                reference: { try runObserved(count, stack, observers: 0) }, referenceName: "none observed"),
        ]
    }

    /// The steps.
    private enum Work: CaseIterable {
        case insert, fetchSixth, updateAll, updateEach, fetchEach, delete
    }

    /// The number of documents that are changed and fetched one by one.
    private static func singles(_ count: Int) -> Int { min(count, 1000) }

    private static func make(_ count: Int, _ context: NSManagedObjectContext) {
        for number in 0..<count {
            let document = Document(context: context)
            document.x = Float(number)
            document.y = Float(number) * 0.5
            document.z = 1
            document.color = Int16(number % 3)
            document.title = "Title \(number)"
            document.text = "The text of document \(number)"
            document.image = number % 2 == 0 ? "image-\(number).png" : nil
            document.tag = "tag \(number % 10)"
            document.priority = Int64(number % 6)
        }
    }

    private static func run(_ count: Int, _ stack: QuotedStack) throws -> Double {
        try stack.withStore { url in
            let context = try stack.context(url)
            return try ObjectBenchmarks.seconds {
                make(count, context)
                try context.save()
                context.reset()
                let sixth = NSFetchRequest<Document>(entityName: "Document")
                sixth.predicate = NSPredicate(format: "priority == 5")
                let length = try context.fetch(sixth).reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
                try QuotedStack.check(length > 0, "nothing was fetched")
                let all = try context.fetch(NSFetchRequest<Document>(entityName: "Document"))
                for document in all { document.priority += 10 }
                try context.save()
                for document in all.prefix(singles(count)) {
                    document.priority += 1
                    try context.save()
                }
                for number in 0..<singles(count) {
                    let one = NSFetchRequest<Document>(entityName: "Document")
                    one.predicate = NSPredicate(format: "title == %@", "Title \(number)")
                    try QuotedStack.check(context.fetch(one).first?.color == Int16(number % 3), "no document \(number)")
                }
                for document in all { context.delete(document) }
                try context.save()
            }
        }
    }

    private static func runObserved(_ count: Int, _ stack: QuotedStack, observers: Int) throws -> Double {
        try stack.withStore { url in
            let context = try stack.context(url)
            make(count, context)
            try context.save()
            let all = try context.fetch(NSFetchRequest<Document>(entityName: "Document"))
            let counter = Counter()
            let observations = all.prefix(observers).map { $0.observe(\.priority) { _, _ in counter.count += 1 } }
            let seconds = try ObjectBenchmarks.seconds {
                for document in all { document.priority += 10 }
                try context.save()
            }
            try QuotedStack.check(counter.count == observers, "\(counter.count) changes were observed")
            for observation in observations { observation.invalidate() }
            return seconds
        }
    }

    private final class Counter: @unchecked Sendable {
        var count = 0
    }

    private static func runReference(_ count: Int, _ stack: QuotedStack) throws -> Double {
        try stack.withStore { url in
            _ = try stack.context(url)
            let database = try ReferenceDatabase(url)
            return try ObjectBenchmarks.seconds {
                try insertReference(count, database)
                let sixth = try database.prepare("SELECT ZTEXT FROM ZDOCUMENT WHERE ZPRIORITY = 5")
                defer { sqlite3_finalize(sixth) }
                var length = 0
                while sqlite3_step(sixth) == SQLITE_ROW { length += ReferenceDatabase.text(sixth, 0).utf8.count }
                sqlite3_reset(sixth)
                try QuotedStack.check(length > 0, "nothing was fetched")
                let update = try database.prepare(
                    "UPDATE ZDOCUMENT SET Z_OPT = Z_OPT + 1, ZPRIORITY = ? WHERE Z_PK = ?")
                defer { sqlite3_finalize(update) }
                func write(_ key: Int) throws {
                    sqlite3_bind_int64(update, 1, Int64(key % 6 + 10))
                    sqlite3_bind_int64(update, 2, Int64(key))
                    try ReferenceDatabase.step(update)
                }
                try database.run("BEGIN IMMEDIATE")
                for key in 1...count { try write(key) }
                try database.run("COMMIT")
                for key in 1...singles(count) {
                    try database.run("BEGIN IMMEDIATE")
                    try write(key)
                    try database.run("COMMIT")
                }
                let one = try database.prepare("SELECT ZCOLOR FROM ZDOCUMENT WHERE ZTITLE = ?")
                defer { sqlite3_finalize(one) }
                for number in 0..<singles(count) {
                    ReferenceDatabase.bind("Title \(number)", one, 1)
                    let isFound = sqlite3_step(one) == SQLITE_ROW && sqlite3_column_int64(one, 0) == number % 3
                    try QuotedStack.check(isFound, "no document \(number)")
                    sqlite3_reset(one)
                }
                let delete = try database.prepare("DELETE FROM ZDOCUMENT WHERE Z_PK = ?")
                defer { sqlite3_finalize(delete) }
                try database.run("BEGIN IMMEDIATE")
                for key in 1...count {
                    sqlite3_bind_int64(delete, 1, Int64(key))
                    try ReferenceDatabase.step(delete)
                }
                try database.run("COMMIT")
            }
        }
    }

    private static func insertReference(_ count: Int, _ database: ReferenceDatabase) throws {
        let insert = try database.prepare(
            "INSERT INTO ZDOCUMENT(Z_PK, Z_ENT, Z_OPT, ZX, ZY, ZZ, ZCOLOR, ZTITLE, ZTEXT, ZIMAGE, ZTAG, ZPRIORITY) "
                + "VALUES(?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        defer { sqlite3_finalize(insert) }
        try database.run("BEGIN IMMEDIATE")
        for number in 0..<count {
            sqlite3_bind_int64(insert, 1, Int64(number + 1))
            sqlite3_bind_double(insert, 2, Double(number))
            sqlite3_bind_double(insert, 3, Double(number) * 0.5)
            sqlite3_bind_double(insert, 4, 1)
            sqlite3_bind_int64(insert, 5, Int64(number % 3))
            ReferenceDatabase.bind("Title \(number)", insert, 6)
            ReferenceDatabase.bind("The text of document \(number)", insert, 7)
            if number % 2 == 0 {
                ReferenceDatabase.bind("image-\(number).png", insert, 8)
            } else {
                sqlite3_bind_null(insert, 8)
            }
            ReferenceDatabase.bind("tag \(number % 10)", insert, 9)
            sqlite3_bind_int64(insert, 10, Int64(number % 6))
            try ReferenceDatabase.step(insert)
        }
        try database.run("COMMIT")
    }
}
