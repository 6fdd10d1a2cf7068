import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

/// Lightweight migrations of stores in databases.
@Suite(.needsPostgreSQL) struct PostgreSQLMigrationTests {
    private static let title = "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"
    private static let first = "<entity name=\"Book\">\(title)</entity>"
    private static let second =
        "<entity name=\"Author\"/><entity name=\"Book\">\(title)"
        + "<attribute name=\"pages\" attributeType=\"Integer 32\" defaultValueString=\"7\"/></entity>"

    /// Creates a store of a version.
    private func stack(_ entities: String, _ fill: (NSManagedObjectContext) throws -> Void) throws -> PostgreSQLStack {
        let stack = try PostgreSQLStack(try MigrationFixture.model(entities))
        let context = try stack.context()
        try context.performAndWait {
            try fill(context)
            try context.save()
        }
        try stack.close(context)
        return stack
    }

    private func stack() throws -> PostgreSQLStack {
        try stack(Self.first) { _ = $0.make("Book", ["title": "b"]) }
    }

    @Test func storesOfAnotherVersionOpenOnlyWithTheOptions() throws {
        let stack = try stack()
        let version = try stack.version(Self.second)
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
        let stack = try stack()
        let (writer, reader) = (try stack.context(), try stack.context())
        try writer.performAndWait { _ = try writer.all("Book") }
        let version = try stack.version(Self.second)
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
        let stack = try stack()
        let version = try stack.version(Self.second)
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
        let stack = try stack()
        let version = try stack.version(Self.second)
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
        let stack = try stack(Self.first) {
            for _ in 0..<2 { _ = $0.make("Book", ["title": "same"]) }
        }
        let unique = "<uniquenessConstraints><uniquenessConstraint><constraint value=\"title\"/></uniquenessConstraint>"
        let version = try stack.version("<entity name=\"Book\">\(Self.title)\(unique)</uniquenessConstraints></entity>")
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
        let stack = try stack(model("Integer 32")) { _ = $0.make("Book", ["n": 70000]) }
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
        let stack = try stack(model(old)) { context in for number in numbers { _ = context.make("Book", ["n": number]) }
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
        let stack = try stack(entity("One", "One", same) + entity("Two", "Two", same)) {
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
                + "preserveAfterDeletion=\"YES\" elementID=\"x\(former)\"/>\(Self.title)</entity>\(other)"
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
            "<entity name=\"Book\">\(Self.title)"
                + "<relationship name=\"pages\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Page\" inverseName=\"book\" "
                + "inverseEntity=\"Book\"/>\(derived)</entity><entity name=\"Page\"><relationship name=\"book\" optional=\"YES\" "
                + "maxCount=\"1\" destinationEntity=\"Book\" inverseName=\"pages\" inverseEntity=\"Book\"/></entity>"
        }
        let stack = try stack(model("")) { context in
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
        let stack = try stack()
        _ = try stack.connection.execute("UPDATE coredata._metadata SET model = NULL")
        let error = try #require(
            nsError { _ = try stack.version(Self.second).coordinator(MigrationFixture.options) })
        #expect(error.code == CocoaError.Code.migrationMissingSourceModel.rawValue)
    }

    @Test func progressIsReportedAndCancels() throws {
        let stack = try stack()
        let version = try stack.version(Self.second)
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

    // MARK: Mapping models and stages

    @Test func mappingModelsMigrateStores() throws {
        let fixture = try MappingFixture.unique()
        let stack = try PostgreSQLStack(fixture.first)
        try fixture.makeStore(type: NSPostgreSQLStoreType, at: stack.url)
        let old = try stack.context()
        try old.performAndWait { _ = try old.all("Person") }
        let uuid = old.postgreSQL?.identifier
        let role = "reader_\(stack.database)"
        try stack.run("CREATE ROLE \(role)", "GRANT SELECT, INSERT ON coredata._metadata TO \(role) WITH GRANT OPTION")
        let mapping = try MappingArchive.bytes(fixture.mapping(), from: fixture.first, to: fixture.second)
        var version = stack
        version.model = fixture.second
        try MappingFixture.withResources(["Mapping.cdm": mapping]) {
            let context = try version.context(version.coordinator(MigrationFixture.options))
            #expect(context.postgreSQL?.identifier == uuid)
            try version.close(context)
        }
        #expect(try fixture.lines(stack.url, type: NSPostgreSQLStoreType) == MappingFixture.migrated)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(version)
        let privileges = "SELECT string_agg(privilege_type || is_grantable, ' ' ORDER BY privilege_type) FROM "
        let grants = "information_schema.role_table_grants WHERE grantee = '\(role)'"
        #expect(try stack.text(privileges + grants) == "INSERTYES SELECTYES")
        try stack.run("DROP OWNED BY \(role)", "DROP ROLE \(role)")
        // Nothing is left of the schema in which the new store was made, and the old program notices.
        #expect(try stack.text("SELECT count(*)::text FROM pg_namespace WHERE nspname LIKE '%migrating%'") == "0")
        try old.performAndWait {
            _ = old.make("Person", ["name": "late"])
            let error = try #require(nsError { try old.save() })
            #expect(error.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
        }
    }

    @Test func managersCopyBetweenFilesAndDatabases() throws {
        let fixture = try MappingFixture.unique()
        let file = try fixture.makeStore()
        let stack = try PostgreSQLStack(fixture.second)
        let manager = NSMigrationManager(sourceModel: fixture.first, destinationModel: fixture.second)
        try manager.migrateStore(
            from: file, sourceType: NSSQLiteStoreType, with: fixture.mapping(), toDestinationURL: stack.url,
            destinationType: NSPostgreSQLStoreType)
        #expect(try fixture.lines(stack.url, type: NSPostgreSQLStoreType) == MappingFixture.migrated)
    }

    @Test func stagesMigrateStores() throws {
        func model(_ attributes: String) throws -> NSManagedObjectModel {
            try MigrationFixture.model("<entity name=\"Item\">\(attributes)</entity>")
        }
        func attribute(_ name: String, _ type: String, _ former: String) -> String {
            "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" elementID=\"\(former)\"/>"
        }
        // A text becomes bytes by way of a second attribute, which then takes over the name.
        let versions = try [
            model(attribute("code", "String", "code")),
            model(attribute("code", "String", "code") + attribute("code2", "Binary", "code2")),
            model(attribute("code", "Binary", "code2")),
        ]
        let stack = try PostgreSQLStack(versions[0])
        let context = try stack.context()
        try context.performAndWait {
            _ = context.make("Item", ["code": "seven"])
            try context.save()
        }
        try stack.close(context)
        func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: reference(versions[1]), to: reference(versions[2]))
        stage.willMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { return }
            try context.performAndWait {
                for item in try context.all("Item") {
                    item.setValue((item.value(forKey: "code") as? String).map { Data($0.utf8) }, forKey: "code2")
                }
                try context.save()
            }
        }
        // Called again if it fails.
        let calls = Recorder<Int>()
        stage.didMigrateHandler = { _, _ in
            calls.values.append(calls.values.count)
            if calls.values.count == 1 { throw CocoaError(.featureUnsupported) }
        }
        var version = stack
        version.model = versions[2]
        var options = MigrationFixture.options
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([
            NSLightweightMigrationStage([versions[0].versionChecksum]), stage,
        ])
        #expect(nsError { _ = try version.coordinator(options) }?.code == CocoaError.Code.featureUnsupported.rawValue)
        for _ in 0..<2 {
            let migrated = try version.context(version.coordinator(options))
            try migrated.performAndWait { () throws in
                #expect(try migrated.all("Item").first?.value(forKey: "code") as? Data == Data("seven".utf8))
            }
            #expect(calls.values.count == 2)
            try version.close(migrated)
        }
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(version)
    }

    // MARK: Drift and plans

    @Test func driftNamesWhatWasChangedByHand() throws {
        let stack = try stack(Self.second) { _ = $0.make("Book", [:]) }
        let administration = try PostgreSQLAdministration(url: stack.url.absoluteString)
        #expect(try administration.drift(from: stack.model) == [])
        _ = try stack.connection.execute("CREATE INDEX mine ON coredata.\"Book\" (\"pages\")")
        _ = try stack.connection.execute("ALTER TABLE coredata.\"Book\" ALTER COLUMN \"pages\" TYPE bigint")
        _ = try stack.connection.execute("ALTER TABLE coredata.\"Book\" DROP COLUMN \"title\"")
        let drift = try administration.drift(from: stack.model)
        #expect(
            drift.map(\.location) == ["column “Book.title”", "index “mine” of “Book”", "column “Book.pages”"],
            "\(drift)")
        #expect(drift.last?.problem == "is “bigint”, and “integer” in the model")
        #expect(try stack.text("SELECT count(*)::text FROM pg_namespace WHERE nspname LIKE '%modelc%'") == "0")
    }

    @Test func appliedPlansComputeWhatTheServerCannot() throws {
        let stack = try stack()
        let version = try stack.version(
            "<entity name=\"Book\">\(Self.title)<attribute name=\"upper\" optional=\"YES\" attributeType=\"String\" "
                + "derived=\"YES\" derivationExpression=\"uppercase:(title)\"/></entity>")
        let script = try PostgreSQLPlanScript(from: stack.model, to: version.model)
        let administration = try PostgreSQLAdministration(url: stack.url.absoluteString)
        let other = try PostgreSQLPlanScript(from: stack.model, to: version.model, namespace: "other")
        #expect { try administration.apply(other.text) } throws: {
            ($0 as? DatabaseFailure)?.reason == "the plan does not migrate the schema “coredata”"
        }
        try administration.apply(script.text)
        let context = try version.context()
        try context.performAndWait { () throws in
            #expect(try context.all("Book").first?.value(forKey: "upper") as? String == "B")
        }
        #expect(try administration.status().migrations.count == 1)
        #expect(throws: DatabaseFailure.self) { try administration.apply(script.text) }
    }

    @Test func plansSayWhatBlocksAServerUnderLoad() throws {
        func book(_ type: String, _ rest: String) throws -> NSManagedObjectModel {
            try MigrationFixture.model(
                "<entity name=\"Book\">\(Self.title)<attribute name=\"n\" optional=\"YES\" attributeType=\"\(type)\"/>\(rest)</entity>"
            )
        }
        let index =
            "<fetchIndex name=\"byN\"><fetchIndexElement property=\"n\" type=\"Binary\" order=\"ascending\"/></fetchIndex>"
        let unique =
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"n\"/></uniquenessConstraint></uniquenessConstraints>"
        let required = "<attribute name=\"year\" attributeType=\"Integer 16\" defaultValueString=\"1\"/>"
        let script = try PostgreSQLPlanScript(
            from: book("Integer 16", ""), to: book("Integer 64", required + index + unique))
        func findings(_ script: PostgreSQLPlanScript) -> [String] {
            script.text.matches(of: #/-- under load \((.+?)\): /#).map { String($0.1) }
        }
        #expect(
            findings(script) == ["table-rewrite", "update-of-all-rows", "index-blocks-writes", "unique-blocks-reads"])
        // The statements before have altered the table, which blocks reads of it until the end.
        let locked = "reads wait for it too, because an earlier statement keeps its ACCESS EXCLUSIVE lock"
        func lines(_ script: PostgreSQLPlanScript, _ finding: String) -> [Substring] {
            script.text.split(separator: "\n").filter { $0.contains("under load (\(finding))") }
        }
        #expect(lines(script, "update-of-all-rows").allSatisfy { $0.contains(locked) })
        #expect(lines(script, "index-blocks-writes").allSatisfy { $0.contains(locked) })
        #expect(lines(script, "unique-blocks-reads").allSatisfy { !$0.contains(locked) })
        let optional = "<attribute name=\"year\" optional=\"YES\" attributeType=\"Integer 16\"/>"
        let filled = try PostgreSQLPlanScript(from: book("Integer 16", optional), to: book("Integer 16", required))
        #expect(findings(filled) == ["update-of-all-rows"] && !filled.text.contains(locked))
        let renamed = try PostgreSQLPlanScript(
            from: MigrationFixture.model(Self.first),
            to: MigrationFixture.model(
                "<entity name=\"Tome\" elementID=\"Book\">\(Self.title)\(required)</entity>"))
        #expect(lines(renamed, "update-of-all-rows").map { $0.contains(locked) } == [true])
        // What concerns only new tables is safe.
        let added = try PostgreSQLPlanScript(
            from: MigrationFixture.model(Self.first),
            to: MigrationFixture.model(Self.first + "<entity name=\"New\">\(Self.title)</entity>"))
        #expect(findings(added).isEmpty)
    }

    @Test func scriptsAreSplitIntoStatements() {
        let script = """
            -- a; b
            SELECT ';' /* ; /* ; */ */, "x;", E'\\';', $1; DO $code$ BEGIN; END $code$;
            /* ; */ UPDATE a$b SET c = 'it''s;'
            """
        #expect(
            PostgreSQLScript.statements(in: script) == [
                "SELECT ';' /* ; /* ; */ */, \"x;\", E'\\';', $1", "DO $code$ BEGIN; END $code$",
                "UPDATE a$b SET c = 'it''s;'",
            ])
    }

    // MARK: Roles

    /// The roles of the guide: one that owns the tables, and one with which programs work.
    @Test func rolesOfTheGuideSuffice() throws {
        let stack = try PostgreSQLStack(MigrationFixture.model(Self.first))
        let guide = try String(
            contentsOf: Checkout.root.appendingPathComponent("Documentation/Guides/PostgreSQLOperations.md"),
            encoding: .utf8)
        let block = try #require(
            guide.components(separatedBy: "```sql\n").dropFirst().first?.components(separatedBy: "```").first)
        let prefix = "role_\(stack.database)"
        let script = block.replacingOccurrences(of: "library_", with: "\(prefix)_")
            .replacingOccurrences(of: "DATABASE library", with: "DATABASE \(stack.database)")
        for statement in PostgreSQLScript.statements(in: script) {
            try stack.run(statement)
        }
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true as NSNumber]
        let (owner, app) = (try stack.url(["user": "\(prefix)_owner"]), try stack.url(["user": "\(prefix)_app"]))
        func save(_ stack: PostgreSQLStack) throws {
            let context = try stack.context(stack.coordinator(options, at: app))
            try context.performAndWait {
                let book = context.make("Book", ["title": "b"])
                try context.save()
                book.setValue("c", forKey: "title")
                try context.save()
                context.delete(book)
                try context.save()
            }
            try stack.close(context)
        }
        try stack.close(stack.context(stack.coordinator(options, at: owner)))
        try save(stack)
        let version = try stack.version(Self.second + "<entity name=\"Later\">\(Self.title)</entity>")
        let migrating = options.merging(MigrationFixture.options) { first, _ in first }
        let error = try #require(nsError { _ = try version.coordinator(migrating, at: app) })
        #expect(error.localizedDescription.contains("a role that owns its tables"), "\(error.localizedDescription)")
        try version.close(version.context(version.coordinator(migrating, at: owner)))
        try save(version)
        let context = try version.context(version.coordinator(options, at: app))
        try context.performAndWait {
            _ = context.make("Later", ["title": "new table"])
            try context.save()
        }
        try version.close(context)
    }

    // MARK: Kills

    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 3

    /// Checks that a store has one of two versions as a whole, and returns whether it is the new one.
    private func isMigrated(_ old: PostgreSQLStack, _ new: PostgreSQLStack, rows: Int) throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSPostgreSQLStoreType, at: old.url)
        let isNew = new.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        let current = isNew ? new : old
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(current)
        let context = try current.context()
        try context.performAndWait {
            let books = try context.all("Book")
            #expect(books.count == rows)
            #expect(Set(books.compactMap { $0.value(forKey: "title") as? String }).count == rows)
        }
        try current.close(context)
        return isNew
    }

    /// Kills the program or the server while a program migrates.
    private func killed(_ cluster: PostgreSQLCluster? = nil, kill: (WriterProcess, Double) throws -> Void) throws {
        var random = Seeds.generator()
        let rows = 300
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let destination = folder.appendingPathComponent("New.mom")
        try MappingArchive.model(MigrationFixture.model(Self.second)).write(to: destination)
        var duration = 0.0
        for round in 0...Self.kills {
            var stack = try PostgreSQLStack(MigrationFixture.model(Self.first), cluster: cluster)
            let context = try stack.context()
            try context.performAndWait {
                for number in 0..<rows { _ = context.make("Book", ["title": "\(number)"]) }
                try context.save()
            }
            try stack.close(context)
            var version = try stack.version(Self.second)
            let start = Date()
            let writer = try WriterProcess("migrate", stack.url.absoluteString, destination.path)
            if round == 0 {
                // Not killed, to learn how long a migration takes.
                #expect(writer.finish().lines.last == "migrated")
                duration = Date().timeIntervalSince(start)
                #expect(try isMigrated(stack, version, rows: rows))
                continue
            }
            try kill(writer, .random(in: 0...duration, using: &random))
            let end = Date(timeIntervalSinceNow: 10)
            let others =
                "SELECT count(*)::text FROM pg_stat_activity WHERE datname = '\(stack.database)' AND pid <> pg_backend_pid()"
            let watcher = try PostgreSQLConnection(stack.cluster.parameters(database: stack.database))
            while try watcher.execute(others).text(0, 0) != "0", Date() < end, cluster == nil {
                Thread.sleep(forTimeInterval: 0.01)
                if try watcher.execute(others).text(0, 0) == "1" { break }
            }
            // The server has ended the former connections.
            (stack.connection, version.connection) = (watcher, watcher)
            _ = try isMigrated(stack, version, rows: rows)
        }
    }

    @Test(.randomized) func killedProgramsLeaveTheOldOrTheNewVersion() throws {
        try killed { writer, delay in _ = writer.kill(after: delay) }
    }

    @Test(.randomized) func killedServersLeaveTheOldOrTheNewVersion() throws {
        let cluster = try PostgreSQLCluster()
        try killed(cluster) { writer, delay in
            Thread.sleep(forTimeInterval: delay)
            cluster.kill()
            try cluster.start()
            // The program may have connected again, and migrated.
            _ = writer.finish()
        }
    }
}
