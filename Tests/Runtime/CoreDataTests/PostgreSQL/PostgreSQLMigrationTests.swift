import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

private typealias Fixture = PostgreSQLMigrationFixture

/// Lightweight migrations of stores in databases.
@Suite(.needsPostgreSQL) struct PostgreSQLMigrationTests {
    @Test func storesOfAnotherVersionOpenOnlyWithTheOptions() throws {
        let stack = try Fixture.stack()
        let version = try stack.version(Fixture.second)
        let before = try stack.catalog()
        #expect(try #require(nsError { _ = try version.coordinator() }).code == 134100)
        let error = try #require(
            nsError { _ = try version.coordinator([NSMigratePersistentStoresAutomaticallyOption: true]) })
        #expect(error.code == 134140)
        #expect(try stack.catalog() == before)
        let context = try version.context(version.coordinator(MigrationFixture.options))
        try context.performAndWait {
            let book = try #require(context.all("Book").first)
            #expect(book.value(forKey: "title") as? String == "b")
            #expect(book.value(forKey: "pages") as? Int == 7)
        }
        try version.close(context)
        // It opens without options, and not with the old model.
        try version.close(version.context())
        #expect(try #require(nsError { _ = try stack.coordinator() }).code == 134100)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(version)
    }

    @Test func programsOfTheOldVersionNoticeTheMigration() throws {
        let stack = try Fixture.stack()
        let (writer, reader) = (try stack.context(), try stack.context())
        try writer.performAndWait { _ = try writer.all("Book") }
        let version = try stack.version(Fixture.second)
        try version.close(version.context(version.coordinator(MigrationFixture.options)))
        try writer.performAndWait {
            _ = writer.make("Book", ["title": "lost"])
            let error = try #require(nsError { try writer.save() })
            #expect(error.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
            #expect(
                error.localizedDescription.contains("was migrated to another version of the model while it was open"))
            let batch = NSBatchUpdateRequest(entityName: "Book")
            batch.propertiesToUpdate = ["title": "other"]
            #expect(try #require(nsError { try writer.execute(batch) }).code == error.code)
        }
        try reader.performAndWait {
            let error = try #require(nsError { _ = try reader.all("Book") })
            #expect(error.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
        }
        #expect(try stack.text("SELECT string_agg(\"title\", ',') FROM coredata.\"Book\"") == "b")
    }

    @Test func oneOfSeveralProgramsMigrates() async throws {
        let stack = try Fixture.stack()
        let version = try stack.version(Fixture.second)
        let box = SendableBox(version)
        let programs = 6
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<programs {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                with: Result {
                                    let version = box.value
                                    let context = try version.context(version.coordinator(MigrationFixture.options))
                                    try context.performAndWait {
                                        _ = context.make("Book", ["title": "new"])
                                        try context.save()
                                    }
                                    try version.close(context)
                                })
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Book\"") == "\(programs + 1)")
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(version)
    }

    @Test func waitingForOtherProgramsEnds() throws {
        let stack = try Fixture.stack()
        let version = try stack.version(Fixture.second)
        let pinned = try stack.context()
        try pinned.performAndWait {
            try pinned.setQueryGenerationFrom(.current)
            _ = try pinned.all("Book")
        }
        var options = MigrationFixture.options
        options[NSPersistentStoreTimeoutOption] = 0.2
        let error = try #require(nsError { _ = try version.coordinator(options) })
        #expect(error.code == CocoaError.Code.persistentStoreTimeout.rawValue)
        #expect(error.localizedDescription.contains("query generation"), "\(error.localizedDescription)")
        try stack.close(pinned)
        try version.close(version.context(version.coordinator(MigrationFixture.options)))
    }

    @Test func valuesThatMustBeUniqueNameTheirConstraint() throws {
        let stack = try Fixture.stack(Fixture.first) {
            for _ in 0..<2 { _ = $0.make("Book", ["title": "same"]) }
        }
        let unique = "<uniquenessConstraints><uniquenessConstraint><constraint value=\"title\"/></uniquenessConstraint>"
        let version = try stack.version(
            "<entity name=\"Book\">\(Fixture.title)\(unique)</uniquenessConstraints></entity>")
        let before = try stack.catalog()
        let error = try #require(nsError { _ = try version.coordinator(MigrationFixture.options) })
        #expect(error.code == CocoaError.Code.migrationConstraintViolation.rawValue)
        #expect(error.userInfo["entity"] as? String == "Book" && error.userInfo["property"] as? String == "title")
        #expect(try stack.catalog() == before)
        try stack.close(stack.context())
    }

    @Test func valuesThatDoNotFitNameTheirAttribute() throws {
        func model(_ type: String) -> String {
            "<entity name=\"Book\"><attribute name=\"n\" optional=\"YES\" attributeType=\"\(type)\"/></entity>"
        }
        let stack = try Fixture.stack(model("Integer 32")) { _ = $0.make("Book", ["n": 70000]) }
        let error = try #require(
            nsError { _ = try stack.version(model("Integer 16")).coordinator(MigrationFixture.options) })
        #expect(error.code == CocoaError.Code.migration.rawValue)
        #expect(error.localizedDescription.contains("1 value of “Book.n” do not fit its new type"))
    }

    /// Numbers are converted as in a file.
    @Test(arguments: [
        ("Double", "Integer 32"), ("Float", "Integer 64"), ("Double", "Float"), ("Integer 64", "Float"),
        ("Integer 64", "Double"), ("Boolean", "Integer 16"), ("Float", "Double"),
    ])
    func numbersAreConvertedAsInFiles(old: String, new: String) throws {
        func model(_ type: String) -> String {
            "<entity name=\"Book\"><attribute name=\"n\" optional=\"YES\" attributeType=\"\(type)\"/></entity>"
        }
        let numbers: [Any] =
            switch old {
            case "Boolean": [true, false]
            case "Integer 64": [16_777_217, 9_007_199_254_740_993, -3, Int64.max]
            case "Float": [1.5, -2.5, 0.1, 123456.789].map { Float($0) }
            default: [1.5, -1.5, 2.5, 0.1, 1e-46, 1e-300, -0.9]
            }
        let stack = try Fixture.stack(model(old)) { context in
            for number in numbers { _ = context.make("Book", ["n": number]) }
        }
        let fixture = try MigrationFixture(model(old))
        try fixture.fill { context in for number in numbers { _ = context.make("Book", ["n": number]) } }
        func values(_ context: NSManagedObjectContext) throws -> [String] {
            try context.all("Book").map { "\($0.value(forKey: "n") ?? "nil")" }.sorted()
        }
        var expected: [String] = []
        try fixture.migrate(to: model(new)) { expected = try values($0) }
        let version = try stack.version(model(new))
        let context = try version.context(version.coordinator(MigrationFixture.options))
        #expect(try context.performAndWait { try values(context) } == expected)
    }

    /// Names may be exchanged, with those of tables, sequences, indexes and constraints. The new attribute makes the
    /// versions different: identifiers are not part of the hashes.
    @Test func namesAreExchanged() throws {
        func entity(_ name: String, _ former: String, _ attributes: [(String, String)]) -> String {
            let index =
                "<fetchIndex name=\"byA\"><fetchIndexElement property=\"a\" type=\"Binary\" order=\"ascending\"/></fetchIndex>"
            let unique =
                "<uniquenessConstraints><uniquenessConstraint><constraint value=\"b\"/></uniquenessConstraint></uniquenessConstraints>"
            return "<entity name=\"\(name)\" elementID=\"\(former)\">"
                + attributes.map {
                    "<attribute name=\"\($0.0)\" optional=\"YES\" attributeType=\"String\" elementID=\"\($0.1)\"/>"
                }.joined() + index + unique + "</entity>"
        }
        let same = [("a", "a"), ("b", "b")]
        let stack = try Fixture.stack(entity("One", "One", same) + entity("Two", "Two", same)) {
            _ = $0.make("One", ["a": "1a", "b": "1b"])
            _ = $0.make("Two", ["a": "2a", "b": "2b"])
        }
        let version = try stack.version(
            entity("One", "Two", [("a", "b"), ("b", "a"), ("c", "c")]) + entity("Two", "One", same + [("c", "c")]))
        let context = try version.context(version.coordinator(MigrationFixture.options))
        try context.performAndWait {
            let (one, two) = (try #require(context.all("One").first), try #require(context.all("Two").first))
            #expect(one.value(forKey: "a") as? String == "2b" && one.value(forKey: "b") as? String == "2a")
            #expect(two.value(forKey: "a") as? String == "1a" && two.value(forKey: "b") as? String == "1b")
            _ = context.make("One", ["a": "new"])
            try context.save()
        }
        try version.close(context)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(version)
    }

    @Test func partitionsAndHistoryStay() throws {
        func model(_ name: String, _ former: String, _ other: String) -> String {
            "<entity name=\"\(name)\" elementID=\"\(former)\"><attribute name=\"x\(name)\" optional=\"YES\" attributeType=\"String\" "
                + "preserveAfterDeletion=\"YES\" elementID=\"x\(former)\"/>\(Fixture.title)</entity>\(other)"
        }
        var stack = try PostgreSQLStack(try MigrationFixture.model(model("Book", "Book", "")))
        let options: [AnyHashable: Any] = [
            "NSPostgreSQLPartitionsOption": 3, NSPersistentHistoryTrackingKey: true as NSNumber,
        ]
        let context = try stack.context(stack.coordinator(options))
        try context.performAndWait {
            let books = (0..<20).map { context.make("Book", ["xBook": "x\($0)", "title": "t\($0)"]) }
            try context.save()
            books[0].setValue("other", forKey: "title")
            try context.save()
            context.delete(books[1])
            try context.save()
        }
        try stack.close(context)
        stack.model = try MigrationFixture.model(model("Tome", "Book", "<entity name=\"Author\"/>"))
        let migrated = try stack.context(
            stack.coordinator(options.merging(MigrationFixture.options) { first, _ in first }))
        try migrated.performAndWait {
            #expect(try migrated.all("Tome").count == 19)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try #require(try migrated.execute(request) as? NSPersistentHistoryResult)
            let changes = try #require(result.result as? [NSPersistentHistoryTransaction]).flatMap { $0.changes ?? [] }
            #expect(changes.allSatisfy { $0.changedObjectID.entity.name == "Tome" })
            let update = try #require(changes.first { $0.changeType == .update })
            #expect(update.updatedProperties?.map(\.name) == ["title"])
            let deletion = try #require(changes.first { $0.changeType == .delete })
            #expect(deletion.tombstone?["xTome"] as? String == "x1")
        }
        try stack.close(migrated)
        #expect(
            try stack.text(
                "SELECT string_agg(inhrelid::regclass::text, ',' ORDER BY inhrelid) FROM pg_inherits "
                    + "JOIN pg_class ON oid = inhrelid AND relkind = 'r' AND relname LIKE 'Tome%'")
                == "coredata.\"Tome_p0\",coredata.\"Tome_p1\",coredata.\"Tome_p2\"")
    }

    @Test func derivedAttributesAreComputed() throws {
        func model(_ derived: String) -> String {
            "<entity name=\"Book\">\(Fixture.title)"
                + "<relationship name=\"pages\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Page\" inverseName=\"book\" "
                + "inverseEntity=\"Book\"/>\(derived)</entity><entity name=\"Page\"><relationship name=\"book\" optional=\"YES\" "
                + "maxCount=\"1\" destinationEntity=\"Book\" inverseName=\"pages\" inverseEntity=\"Book\"/></entity>"
        }
        let stack = try Fixture.stack(model("")) { context in
            let book = context.make("Book", ["title": "straße"])
            for _ in 0..<3 { _ = context.make("Page", ["book": book]) }
        }
        let version = try stack.version(
            model(
                "<attribute name=\"count\" optional=\"YES\" attributeType=\"Integer 32\" derived=\"YES\" "
                    + "derivationExpression=\"pages.@count\"/><attribute name=\"upper\" optional=\"YES\" attributeType=\"String\" "
                    + "derived=\"YES\" derivationExpression=\"uppercase:(title)\"/>"))
        let context = try version.context(version.coordinator(MigrationFixture.options))
        try context.performAndWait {
            let book = try #require(context.all("Book").first)
            #expect(book.value(forKey: "count") as? Int == 3)
            #expect(book.value(forKey: "upper") as? String == "STRASSE")
        }
    }

    @Test func theModelInTheDatabaseIsUsedIfNoBundleHasIt() throws {
        // No bundle of the tests has these models, so every migration here reads it.
        let stack = try Fixture.stack()
        _ = try stack.connection.execute("UPDATE coredata._metadata SET model = NULL")
        let error = try #require(
            nsError { _ = try stack.version(Fixture.second).coordinator(MigrationFixture.options) })
        #expect(error.code == CocoaError.Code.migrationMissingSourceModel.rawValue)
    }

    @Test func progressIsReportedAndCancels() throws {
        let stack = try Fixture.stack()
        let version = try stack.version(Fixture.second)
        let before = try stack.catalog()
        let canceled = Progress(totalUnitCount: 1)
        canceled.becomeCurrent(withPendingUnitCount: 1)
        canceled.cancel()
        let error = try #require(nsError { _ = try version.coordinator(MigrationFixture.options) })
        canceled.resignCurrent()
        #expect(error.code == CocoaError.Code.migrationCancelled.rawValue)
        #expect(try stack.catalog() == before)
        let progress = Progress(totalUnitCount: 1)
        progress.becomeCurrent(withPendingUnitCount: 1)
        try version.close(version.context(version.coordinator(MigrationFixture.options)))
        progress.resignCurrent()
        #expect(progress.fractionCompleted == 1)
    }
}
