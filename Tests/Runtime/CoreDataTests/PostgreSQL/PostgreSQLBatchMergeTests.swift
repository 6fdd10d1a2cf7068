import CoreDataPostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import CoreData

/// Batch insertions of values that must be unique, under each merge policy.
@Suite(.needsPostgreSQL) struct PostgreSQLBatchMergeTests {
    /// Authors with a unique name, and unique pairs of age and code.
    private func model() throws -> NSManagedObjectModel {
        let model = Library.model()
        let author = try #require(model.entitiesByName["Author"])
        author.uniquenessConstraints = [["name"], ["age", "code"]]
        let code = NSAttributeDescription()
        code.name = "code"
        code.attributeType = .stringAttributeType
        code.isOptional = true
        let upper = NSDerivedAttributeDescription()
        upper.name = "upper"
        upper.attributeType = .stringAttributeType
        upper.isOptional = true
        upper.derivationExpression = NSExpression(format: "uppercase:(code)")
        author.properties += [code, upper]
        return model
    }

    private func insert(
        _ objects: [[String: Any]], _ context: NSManagedObjectContext, _ policy: NSMergePolicy
    ) throws {
        context.mergePolicy = policy
        try context.execute(NSBatchInsertRequest(entityName: "Author", objects: objects))
    }

    private func rows(_ stack: PostgreSQLStack) throws -> String? {
        try stack.text(
            "SELECT string_agg(concat_ws(' ', \"name\", \"age\", \"code\", \"upper\"), ', ' ORDER BY \"name\" COLLATE \"C\") FROM coredata.\"Author\""
        )
    }

    @Test func severalConstraintsAndDerivedAttributesAreMerged() throws {
        let stack = try PostgreSQLStack(model())
        let context = try stack.context()
        try context.performAndWait {
            try insert([["name": "a", "age": 1, "code": "x"], ["name": "b", "age": 2, "code": "y"]], context, .error)
            // One is found by its name, the other by its pair of values.
            try insert(
                [["name": "a", "code": "z"], ["age": 2, "code": "y", "name": "c"]], context, .mergeByPropertyObjectTrump
            )
            #expect(try rows(stack) == "a 1 z Z, c 2 y Y")
            // The first has given up the name that the second takes, and the pair of values that the third takes.
            try insert(
                [
                    ["name": "d", "age": 2, "code": "y"], ["name": "c", "age": 3, "code": "y"],
                    ["name": "a", "age": 9], ["name": "e", "age": 1, "code": "z"],
                ],
                context, .mergeByPropertyObjectTrump)
            #expect(try rows(stack) == "a 9 z Z, c 3 y Y, d 2 y Y, e 1 z Z")
            try insert([["name": "a"], ["name": "f", "age": 3, "code": "y"]], context, .rollback)
            #expect(try rows(stack) == "a 9 z Z, c 3 y Y, d 2 y Y, e 1 z Z")
            try insert([["name": "a"]], context, .overwrite)
            #expect(try rows(stack) == "a, c 3 y Y, d 2 y Y, e 1 z Z")
        }
    }

    @Test func batchesThatInsertTheSameValuesAtOnceAreMerged() async throws {
        let stack = try PostgreSQLStack(model())
        let contexts = try (0..<3).map { _ in try stack.context() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, context) in contexts.enumerated() {
                group.addTask {
                    for round in 0..<10 {
                        try await context.perform {
                            let names = (0..<20).map { "\(round) \($0)" }
                            let objects = (number == 1 ? names.reversed() : names).map {
                                ["name": $0, "code": "\(number)"]
                            }
                            try insert(objects, context, .mergeByPropertyObjectTrump)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = "SELECT count(*) || ' ' || count(DISTINCT \"name\") FROM coredata.\"Author\""
        #expect(try stack.text(counts) == "200 200")
    }

    @Test func objectsWithSeveralDuplicatesAreErrors() throws {
        let stack = try PostgreSQLStack(model())
        let context = try stack.context()
        try context.performAndWait {
            try insert([["name": "a", "age": 1, "code": "x"], ["name": "b", "age": 2, "code": "y"]], context, .error)
            let before = try rows(stack)
            for policy in [NSMergePolicy.error, .overwrite, .mergeByPropertyObjectTrump] {
                let error = try #require(
                    nsError {
                        try insert([["name": "new"], ["name": "a", "age": 2, "code": "y"]], context, policy)
                    })
                #expect(error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectConstraintMergeError)
                #expect(error.localizedDescription.contains("uniqueness constraint"), "\(error.localizedDescription)")
                #expect(try rows(stack) == before)
            }
        }
    }

    /// Random batches leave the same objects in a PostgreSQL database as in a SQLite file.
    @Test(.randomized) func randomBatchesMatchSQLite() throws {
        var random = Seeds.generator()
        let model = try model()
        for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite] {
            let stack = try PostgreSQLStack(model)
            let files = try TestStore(model)
            let contexts = try [stack.context(), files.open()]
            for _ in 0..<12 {
                let objects = (0..<Int.random(in: 1...6, using: &random)).map { _ -> [String: Any] in
                    var object: [String: Any] = ["name": ["a", "b", "c", "d", "e"].randomElement(using: &random) ?? ""]
                    if Bool.random(using: &random) { object["age"] = Int.random(in: 1...3, using: &random) }
                    if Bool.random(using: &random) { object["code"] = ["x", "y"].randomElement(using: &random) }
                    return object
                }
                var results: [[String]] = []
                for context in contexts {
                    try context.performAndWait {
                        let error = nsError { try insert(objects, context, policy) }
                        if let error { #expect(error.code == NSManagedObjectConstraintMergeError, "\(error)") }
                        context.reset()
                        let authors = try context.all("Author", by: "name").map { author in
                            ["name", "age", "code"].map { "\(author.value(forKey: $0) ?? "-")" }.joined(separator: " ")
                        }
                        results.append(authors + [error == nil ? "" : "error"])
                    }
                }
                #expect(results[0] == results[1], "\(policy.mergeType) \(objects)")
            }
        }
    }
}
