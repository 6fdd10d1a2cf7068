import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Saves whose connection is lost before, while or after the server commits, compared with a plain model: no object is
/// there twice, none is missing, and no value is lost.
///
/// `MODELC_STORE_ROUNDS` is the number of saves in the long form.
@Suite(.needsPostgreSQL, .serialized) struct PostgreSQLOutcomeTests {
    private static let rounds = Int(ProcessInfo.processInfo.environment["MODELC_STORE_ROUNDS"] ?? "") ?? 60

    private static func model() -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity(
                "Item",
                [
                    SmallModel.attribute("number", .integer64AttributeType),
                    SmallModel.attribute("value", .integer64AttributeType),
                    SmallModel.attribute("note", .integer64AttributeType),
                ])
        ])
    }

    private struct Item: Equatable, CustomStringConvertible {
        var value: Int
        var note = 0

        var description: String { "\(value)/\(note)" }
    }

    private static func item(_ number: Int, _ context: NSManagedObjectContext) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: "number == %d", number)
        return try context.fetch(request).first
    }

    /// Returns the rows, and records those that are there twice.
    private static func stored(_ stack: PostgreSQLStack, _ position: String) throws -> [Int: Item] {
        let rows = try stack.connection.execute("SELECT \"number\", \"value\", \"note\" FROM coredata.\"Item\"")
        var result: [Int: Item] = [:]
        for row in 0..<rows.count {
            let number = Int(try rows.int(row, 0) ?? -1)
            #expect(result[number] == nil, "\(position): item \(number) is there twice")
            result[number] = Item(value: Int(try rows.int(row, 1) ?? -1), note: Int(try rows.int(row, 2) ?? -1))
        }
        return result
    }

    /// What happens to the connection when a save commits.
    private enum Loss: CaseIterable {
        case none
        /// The connection was lost while it was idle.
        case before
        /// The server does not receive the COMMIT.
        case request
        /// The server commits, and its answer is lost.
        case answer
        /// As above, and the server cannot be asked for the outcome.
        case requestForLong, answerForLong
    }

    /// Saves over one coordinator, with what the store should have.
    private final class Run {
        private var random = Seeds.generator()
        private let stack: PostgreSQLStack
        private let proxy: CuttingProxy
        private let context: NSManagedObjectContext
        /// The context of another program.
        private let other: NSManagedObjectContext
        private var expected: [Int: Item] = [:]
        /// The number of the next item, and the last value.
        private var (next, value) = (1, 0)
        /// The number of saves whose outcome was unknown.
        private(set) var unknownCount = 0

        init(connections: Int) throws {
            stack = try PostgreSQLStack(model())
            proxy = try CuttingProxy(before: stack.cluster.folder)
            context = try stack.context(
                stack.coordinator(
                    [NSPersistentStoreConnectionPoolMaxSizeKey: connections],
                    at: stack.url(["host": proxy.folder.path])))
            other = try stack.context()
            for context in [context, other] { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
            try #require(context.postgreSQL).connections.patience = 0
        }

        func stop() { proxy.stop() }

        /// Makes changes, saves them over a connection that may be lost, and returns whether the store has them.
        func save(round: Int, position: String) throws -> Bool {
            try context.performAndWait {
                if Int.random(in: 0..<10, using: &random) == 0 { context.reset() }
                let before = expected
                try edit()
                let chosenLoss = Loss.allCases.randomElement(using: &random) ?? .none
                // Without changes, as those of an object that is inserted and deleted, there is no COMMIT to cut.
                let loss = expected == before ? .none : chosenLoss
                let position = "\(position), \(loss)"
                try prepare(loss)
                var error = nsError { try context.save() }
                let isDown = loss == .requestForLong || loss == .answerForLong
                if isDown {
                    #expect(error?.code == NSPersistentStoreSaveOutcomeUnknownError, "\(position): \(error as Any)")
                }
                // Otherwise the server may not have noticed the loss yet.
                if error?.code == NSPersistentStoreSaveOutcomeUnknownError {
                    error = try saveAgain(round: round, isDown: isDown, position: position)
                }
                #expect(error == nil && !context.hasChanges, "\(position): \(error as Any)")
                let found = try stored(stack, position)
                #expect(found == expected, "\(position)")
                return error == nil && found == expected
            }
        }

        /// Makes a few random changes in the context.
        private func edit() throws {
            let kind = Int.random(in: 0..<4, using: &random)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                // Never the value that an object has: a save without changes sends no COMMIT to cut.
                value += 1
                let number = expected.keys.sorted().randomElement(using: &random)
                switch (kind == 3 ? Int.random(in: 0..<3, using: &random) : kind, number) {
                case (1, let number?):
                    try #require(try item(number, context)).setValue(value, forKey: "value")
                    expected[number]?.value = value
                case (2, let number?):
                    context.delete(try #require(try item(number, context)))
                    expected[number] = nil
                default: insert(value: value)
                }
            }
        }

        private func insert(value: Int) {
            _ = context.make("Item", ["number": next, "value": value, "note": 0])
            expected[next] = Item(value: value)
            next += 1
        }

        /// Loses the connection, or lets the proxy lose it with the next COMMIT.
        private func prepare(_ loss: Loss) throws {
            let goDown: @Sendable () -> Void = { [proxy] in proxy.isDown = true }
            switch loss {
            case .none: break
            case .before:
                try stack.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                        + "AND pid <> pg_backend_pid()")
            case .request: proxy.cutNextCommit(.beforeCommit())
            case .answer: proxy.cutNextCommit(.afterCommit())
            case .requestForLong: proxy.cutNextCommit(.beforeCommit(goDown))
            case .answerForLong: proxy.cutNextCommit(.afterCommit(goDown))
            }
        }

        /// Saves changes whose outcome is unknown until the outcome is known, and returns the error of the last save.
        private func saveAgain(round: Int, isDown: Bool, position: String) throws -> NSError? {
            unknownCount += 1
            // As long as the server cannot be reached, the outcome stays unknown.
            if isDown, Bool.random(using: &random) {
                #expect(nsError { try context.save() } != nil, "\(position)")
            }
            // Another program changes an object, which may be one of those in doubt.
            if Bool.random(using: &random) { try changeElsewhere(note: round) }
            proxy.isDown = false
            if Bool.random(using: &random) { insert(value: round) }
            // The server may still be rolling back.
            var attempts = 0
            var error: NSError?
            repeat {
                error = nsError { try context.save() }
                attempts += 1
            } while error?.code == NSPersistentStoreSaveOutcomeUnknownError && attempts < 1000
            return error
        }

        private func changeElsewhere(note: Int) throws {
            try other.performAndWait {
                other.reset()
                let found = try other.all("Item", by: "number")
                guard let item = found.randomElement(using: &random), let number = item.value(forKey: "number") as? Int
                else { return }
                item.setValue(note, forKey: "note")
                try other.save()
                expected[number]?.note = note
            }
        }
    }

    @Test(.randomized, arguments: [1, 8]) func lostConnectionsDoubleAndLoseNothing(_ connections: Int) throws {
        let run = try Run(connections: connections)
        defer { run.stop() }
        for round in 1...Self.rounds {
            guard try run.save(round: round, position: "round \(round), \(connections) connections") else { return }
        }
        #expect(run.unknownCount > 0)
    }

    /// A batch request whose outcome stays unknown is not one that has failed.
    @Test(arguments: ["insert", "update", "delete"])
    func unknownOutcomesOfBatchRequestsAreErrorsOfTheirKind(request: String) throws {
        let stack = try PostgreSQLStack()
        let proxy = try CuttingProxy(before: stack.cluster.folder)
        defer { proxy.stop() }
        let context = try stack.context(stack.coordinator(at: stack.url(["host": proxy.folder.path])))
        try #require(context.postgreSQL).connections.patience = 0
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Author")
            update.propertiesToUpdate = ["name": "b"]
            let requests = [
                "insert": NSBatchInsertRequest(entityName: "Author", objects: [["name": "b"]]), "update": update,
                "delete": NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Author")),
            ]
            proxy.cutNextCommit(.afterCommit { proxy.isDown = true })
            let error = nsError { _ = try context.execute(try #require(requests[request])) }
            #expect(error?.code == NSPersistentStoreSaveOutcomeUnknownError, "\(error as Any)")
            #expect(error?.userInfo[NSPersistentStoreSaveOutcomeUnknownKey] as? Bool == true)
        }
        let names = try stack.text("SELECT string_agg(\"name\", '' ORDER BY \"name\") FROM coredata.\"Author\"")
        #expect(names == ["insert": "ab", "update": "b", "delete": nil][request])
    }
}
