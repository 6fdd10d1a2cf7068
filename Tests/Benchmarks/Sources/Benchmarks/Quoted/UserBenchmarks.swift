import CSQLiteReference
import CoreData
import Foundation

/// The benchmark *Users* of Emerge Tools' comparison of SwiftData and Realm: unique users are created, found by name in
/// the order of their age, renamed, and deleted.
enum UserBenchmarks {
    /// The number of users that are saved at once.
    private static let batch = 10_000

    static func all(_ stack: QuotedStack, rounds: Int) -> [Benchmark] {
        [1000, 100_000, 1_000_000].map { count in
            let count = Amount.rows(count)
            return Benchmark(
                name: "quoted/users-\(count)", size: "\(count) users created, one in 100 renamed, all deleted",
                rounds: count > 100_000 ? 3 : rounds, ours: { try run(count, stack) },
                reference: { try runReference(count, stack) }, referenceName: "sqlite3")
        }
    }

    private static func firstName(_ number: Int) -> String { number % 100 == 7 ? "Jane" : "John \(number)" }

    private static func run(_ count: Int, _ stack: QuotedStack) throws -> Double {
        try stack.withStore { url in
            let context = try stack.context(url)
            return try ObjectBenchmarks.seconds {
                for start in stride(from: 0, to: count, by: batch) {
                    for number in start..<min(start + batch, count) {
                        let user = User(context: context)
                        user.id = UUID()
                        user.firstName = firstName(number)
                        user.lastName = "Smith \(number)"
                        user.age = Int64(number % 90)
                    }
                    try context.save()
                    context.reset()
                }
                let request = NSFetchRequest<User>(entityName: "User")
                request.predicate = NSPredicate(format: "firstName == %@", "Jane")
                request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
                let found = try context.fetch(request)
                try QuotedStack.check(found.count == count / 100, "\(found.count) users were found")
                for user in found { user.firstName = "Wendy" }
                try context.save()
                let deletion = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "User"))
                try context.execute(deletion)
                try QuotedStack.check(
                    context.count(for: NSFetchRequest<User>(entityName: "User")) == 0, "not all are deleted")
            }
        }
    }

    private static func runReference(_ count: Int, _ stack: QuotedStack) throws -> Double {
        try stack.withStore { url in
            _ = try stack.context(url)
            let database = try ReferenceDatabase(url)
            return try ObjectBenchmarks.seconds {
                let insert = try database.prepare(
                    "INSERT INTO ZUSER(Z_PK, Z_ENT, Z_OPT, ZAGE, ZFIRSTNAME, ZID, ZLASTNAME) VALUES(?, 7, 1, ?, ?, ?, ?)"
                )
                for start in stride(from: 0, to: count, by: batch) {
                    try database.run("BEGIN IMMEDIATE")
                    for number in start..<min(start + batch, count) {
                        sqlite3_bind_int64(insert, 1, Int64(number + 1))
                        sqlite3_bind_int64(insert, 2, Int64(number % 90))
                        ReferenceDatabase.bind(firstName(number), insert, 3)
                        withUnsafeBytes(of: UUID().uuid) {
                            _ = sqlite3_bind_blob(insert, 4, $0.baseAddress, 16, ReferenceDatabase.transient)
                        }
                        ReferenceDatabase.bind("Smith \(number)", insert, 5)
                        try ReferenceDatabase.step(insert)
                    }
                    try database.run("COMMIT")
                }
                sqlite3_finalize(insert)
                let find = try database.prepare("SELECT Z_PK FROM ZUSER WHERE ZFIRSTNAME = 'Jane' ORDER BY ZAGE")
                let rename = try database.prepare("UPDATE ZUSER SET Z_OPT = 2, ZFIRSTNAME = 'Wendy' WHERE Z_PK = ?")
                defer {
                    sqlite3_finalize(find)
                    sqlite3_finalize(rename)
                }
                var keys: [Int64] = []
                while sqlite3_step(find) == SQLITE_ROW { keys.append(sqlite3_column_int64(find, 0)) }
                sqlite3_reset(find)
                try QuotedStack.check(keys.count == count / 100, "\(keys.count) users were found")
                try database.run("BEGIN IMMEDIATE")
                for key in keys {
                    sqlite3_bind_int64(rename, 1, key)
                    try ReferenceDatabase.step(rename)
                }
                try database.run("COMMIT")
                try database.run("DELETE FROM ZUSER")
            }
        }
    }
}
