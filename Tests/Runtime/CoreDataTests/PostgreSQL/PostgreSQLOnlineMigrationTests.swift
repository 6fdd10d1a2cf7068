import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

private typealias Fixture = OnlineMigrationFixture

/// Migrations of stores in databases during which programs of both versions use the store.
@Suite(.needsPostgreSQL) struct PostgreSQLOnlineMigrationTests {
    /// - Parameter isAtEnd: Whether the new entities come after the others in the order of entities.
    @Test(arguments: [true, false]) func programsOfBothVersionsSaveDuringAllSteps(newEntities isAtEnd: Bool) throws {
        let isLong = ProcessInfo.processInfo.environment["MODELC_NIGHTLY"] != nil
        let (programs, rows) = isLong ? (16, 4_000) : (3, 2_500)
        let old = try Fixture.stack(books: rows)
        let (shelf, tag) = isAtEnd ? ("Shelf", "Tag") : ("Aisle", "Bin")
        let new = try old.version(Fixture.second.replacing("Shelf", with: shelf).replacing("Tag", with: tag))
        func oldPrograms(_ names: Range<Int>) throws -> [Fixture.Program] {
            try names.map { name in
                try Fixture.Program(old, "from old \(name)") { book, number in
                    book.setValue("\(name) \(number)", forKey: "former")
                }
            }
        }
        let running = try oldPrograms(0..<programs)
        for program in running { program.wait(for: 2) }
        #expect(try #require(nsError { _ = try new.coordinator() }).code == 134100)
        try Fixture.apply(.expand, from: old, to: new)
        let newPrograms = try (0..<programs).map { name in
            try Fixture.Program(new, "from new \(name)") { book, number in
                if number % 3 == 0 { book.setValue(nil, forKey: "rating") }
                book.setValue(number, forKey: "code")
                let context = book.managedObjectContext
                book.setValue(context?.make(shelf, ["label": "s"]), forKey: "shelf")
                book.setValue(NSSet(object: context?.make(tag, ["label": "t"]) as Any), forKey: "tags")
            }
        }
        // One that starts in between.
        let late = try oldPrograms(programs..<programs + 1)
        for program in running + newPrograms + late { program.wait(for: 3) }
        try Fixture.apply(.fill, from: old, to: new)
        for program in running + newPrograms + late { program.wait(for: 3) }
        // All but one old program have ended, which the last step makes fail.
        for program in running { #expect(program.stop() == nil) }
        try Fixture.apply(.contract, from: old, to: new)
        for program in newPrograms { program.wait(for: 3) }
        late[0].wait(for: .max - 1_000_000)
        #expect(late[0].stop()?.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
        for program in newPrograms { #expect(program.stop() == nil) }

        let count = rows + (running + newPrograms + late).reduce(0) { $0 + $1.saved }
        func number(_ condition: String) throws -> String? {
            try old.text("SELECT count(*)::text FROM coredata.\"Book\" WHERE \(condition)")
        }
        #expect(try number("true") == "\(count)")
        // Every row that the old version has written has the default values; nil of the new version stays.
        #expect(try number("pages IS DISTINCT FROM 7") == "0")
        #expect(try number("code IS NULL") == "0")
        #expect(try number("title LIKE 'old %' AND code = 9") == "\(rows / 2)")
        #expect(try number("title NOT LIKE 'from new%' AND rating IS DISTINCT FROM 1.5") == "0")
        #expect(try number("rating IS NULL") == "\(newPrograms.reduce(0) { $0 + ($1.saved + 2) / 3 })")
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(new, keepsNumbers: !isAtEnd)
        #expect(
            try old.text("SELECT string_agg(name, ' ' ORDER BY number) FROM coredata._entities")
                == "Author Book \(shelf) \(tag)")
        for entity in [shelf, tag] {
            #expect(
                try old.text("SELECT count(*)::text FROM coredata.\"\(entity)\"")
                    == "\(newPrograms.reduce(0) { $0 + $1.saved })")
        }
        #expect(try PostgreSQLAdministration(url: old.url.absoluteString).drift(from: new.model).isEmpty)
        #expect(try #require(nsError { _ = try old.coordinator() }).code == 134100)
    }

    @Test func theHistoryNamesNoPropertiesMeanwhile() throws {
        let old = try Fixture.stack(books: 1)
        let new = try old.version(Fixture.second)
        func change(_ stack: PostgreSQLStack, _ key: String, _ value: Any) throws {
            let context = try stack.context(stack.coordinator(Fixture.options))
            try context.performAndWait {
                try #require(context.all("Book").first).setValue(value, forKey: key)
                try context.save()
            }
            try stack.close(context)
        }
        try change(old, "title", "before")
        try Fixture.apply(.expand, from: old, to: new)
        try change(old, "title", "meanwhile, by the old version")
        try change(new, "pages", 8)
        try Fixture.apply(.fill, from: old, to: new)
        try Fixture.apply(.contract, from: old, to: new)
        try change(new, "pages", 9)
        let context = try new.context(new.coordinator(Fixture.options))
        try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try #require(try context.execute(request) as? NSPersistentHistoryResult)
            let changes = try #require(result.result as? [NSPersistentHistoryTransaction]).flatMap { $0.changes ?? [] }
            let updates = changes.filter { $0.changeType == .update && $0.changedObjectID.entity.name == "Book" }
            #expect(updates.map { $0.updatedProperties?.map(\.name) } == [["title"], nil, nil, ["pages"]])
        }
        try new.close(context)
    }

    /// Programs of each version delete objects that only the other version's objects refer to.
    @Test func objectsOfTheOtherVersionDoNotKeepObjects() throws {
        let (owner, name) = ("<entity name=\"Author\">\(Fixture.attribute("name"))", Fixture.attribute("name"))
        func relationship(_ name: String) -> String {
            "<relationship name=\"\(name)\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"Author\"/>"
        }
        let old = try PostgreSQLStack(
            try MigrationFixture.model(
                "\(owner)</entity><entity name=\"Book\">\(Fixture.attribute("kind", "Integer 16", "defaultValueString=\"3\""))"
                    + "\(relationship("editor"))</entity>"))
        try old.close(old.context())
        let new = try old.version(
            "\(owner)</entity><entity name=\"Book\">\(relationship("author"))</entity><entity name=\"Review\">"
                + "\(name)\(relationship("critic"))</entity>")
        try Fixture.apply(.expand, from: old, to: new)
        let (before, after) = (try old.context(), try new.context())
        try before.performAndWait {
            for name in ["a", "b", "c"] { _ = before.make("Author", ["name": name]) }
            try before.save()
            _ = before.make(
                "Book",
                ["editor": try #require(before.all("Author").first { $0.value(forKey: "name") as? String == "a" })])
            try before.save()
        }
        try after.performAndWait {
            let authors = Dictionary(
                uniqueKeysWithValues: try after.all("Author").map { ($0.value(forKey: "name") as? String, $0) })
            _ = after.make("Book", ["author": authors["b"] as Any])
            _ = after.make("Review", ["critic": authors["c"] as Any])
            after.delete(try #require(authors["a"]))
            try after.save()
        }
        try before.performAndWait {
            before.refreshAllObjects()
            // The attribute that the new version does not have is required.
            for book in try before.all("Book") { #expect(book.value(forKey: "kind") as? Int == 3) }
            for author in try before.all("Author") { before.delete(author) }
            try before.save()
        }
        try old.close(before)
        try Fixture.apply(.fill, from: old, to: new)
        try Fixture.apply(.contract, from: old, to: new)
        try new.close(after)
        let result = try new.context()
        try result.performAndWait {
            let (books, reviews) = (try result.all("Book"), try result.all("Review"))
            #expect(books.map { $0.value(forKey: "author") as? NSManagedObject } == [nil, nil])
            #expect(reviews.map { $0.value(forKey: "critic") as? NSManagedObject } == [nil])
        }
        try new.close(result)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(new)
        #expect(
            try old.text(
                "SELECT count(*)::text FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname = 'coredata'"
            )
                == "0")
    }

    /// One migration after the other, with an index that changes under its name, and references within a table.
    @Test func programsGoOnThroughTheNextMigration() throws {
        func book(_ indexed: String, _ rest: String = "") -> String {
            "<entity name=\"Book\">\(Fixture.attribute("pages", "Integer 32"))\(Fixture.attribute("title"))\(rest)"
                + "<fetchIndex name=\"by\"><fetchIndexElement property=\"\(indexed)\" type=\"Binary\" order=\"ascending\"/>"
                + "</fetchIndex></entity>"
        }
        let sequel =
            "<relationship name=\"sequel\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"Book\"/>"
        let old = try PostgreSQLStack(try MigrationFixture.model(book("title")))
        let writer = try old.context()
        let new = try old.version(book("pages", sequel))
        let before = try old.catalog()
        try Fixture.apply(.expand, from: old, to: new)
        try Fixture.apply(.fill, from: old, to: new)
        try Fixture.apply(.cancel, from: old, to: new)
        #expect(try old.catalog() == before)
        try Fixture.apply(.expand, from: old, to: new)
        let running = try new.context()
        try running.performAndWait {
            let second = running.make("Book", ["title": "2"])
            _ = running.make("Book", ["title": "1", "sequel": second])
            try running.save()
        }
        try writer.performAndWait {
            for book in try writer.all("Book") { writer.delete(book) }
            try writer.save()
        }
        try old.close(writer)
        try Fixture.apply(.fill, from: old, to: new)
        try Fixture.apply(.contract, from: old, to: new)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(new)
        // A program that began during the first migration is one of the old version of the second.
        let third = try old.version(book("pages", sequel + Fixture.attribute("year", "Integer 16")))
        #expect(throws: Fixture.Mismatch.self) { try Fixture.apply(.expand, from: old, to: third) }
        try Fixture.apply(.expand, from: new, to: third)
        try running.performAndWait {
            _ = running.make("Book", ["title": "3"])
            try running.save()
        }
        let expanded = try old.catalog()
        for step in [PostgreSQLOnlinePlan.Step.fill, .contract, .cancel] {
            #expect(throws: Fixture.Mismatch.self) { try Fixture.apply(step, from: old, to: third) }
        }
        #expect(try old.catalog() == expanded)
        try Fixture.apply(.contract, from: new, to: third)
        running.performAndWait {
            _ = running.make("Book", ["title": "4"])
            #expect(
                nsError { try running.save() }?.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
        }
        try new.close(running)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(third)
    }

    @Test func stepsAreTakenInTheirOrder() throws {
        let old = try Fixture.stack(books: 3)
        let new = try old.version(Fixture.second)
        func problem(_ step: PostgreSQLOnlinePlan.Step) -> String {
            do {
                try Fixture.apply(step, from: old, to: new)
            } catch {
                return (error as? Fixture.Mismatch)?.description ?? "\(error)"
            }
            return ""
        }
        let before = try old.catalog()
        #expect(problem(.fill).contains("is not being migrated to this version"))
        #expect(problem(.contract).contains("is not being migrated to this version"))
        #expect(try old.catalog() == before)
        try Fixture.apply(.expand, from: old, to: new)
        let expanded = try old.catalog()
        #expect(problem(.expand).contains("has begun already"))
        #expect(problem(.contract).contains("indexes of the new version"))
        #expect(try old.catalog() == expanded)
        // Neither another plan nor an automatic migration gets in between.
        let (status, output) = try old.psql(PostgreSQLPlanScript(from: old.model, to: new.model).text)
        #expect(status != 0 && output.contains("being migrated online"))
        let third = try old.version("<entity name=\"Author\">\(Fixture.attribute("name"))</entity>")
        let error = try #require(nsError { _ = try third.coordinator(MigrationFixture.options) })
        #expect(error.localizedDescription.contains("being migrated online"), "\(error.localizedDescription)")
        #expect(try old.catalog() == expanded)
        let state = try PostgreSQLAdministration(url: old.url.absoluteString).status()
        #expect(state.hashes.keys.sorted() == ["Author", "Book"] && state.upcomingHashes?.count == 4)
        // The metadata that a program of the new version writes do not make the store one of that version.
        let coordinator = try new.coordinator(MigrationFixture.options.merging(Fixture.options) { $1 })
        let context = try new.context(coordinator)
        try context.performAndWait {
            let store = try #require(coordinator.persistentStores.first)
            coordinator.setMetadata(
                coordinator.metadata(for: store).merging(["own": "value"]) { $1 }, for: store)
            _ = context.make("Shelf", ["label": "s"])
            try context.save()
            #expect(
                new.model.isConfiguration(
                    withName: nil, compatibleWithStoreMetadata: coordinator.metadata(for: store)))
        }
        try new.close(context)
        let other = try old.context(old.coordinator(Fixture.options))
        let stored = try #require(other.persistentStoreCoordinator?.persistentStores.first?.metadata)
        #expect(stored["own"] as? String == "value")
        try old.close(other)
        try Fixture.apply(.fill, from: old, to: new)
        try Fixture.apply(.fill, from: old, to: new)
        try Fixture.apply(.contract, from: old, to: new)
        #expect(problem(.contract).contains("is not being migrated to this version"))
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(new)
        #expect(try PostgreSQLAdministration(url: old.url.absoluteString).status().upcomingHashes == nil)
    }

    @Test(arguments: [false, true]) func cancelingLeadsBack(afterFilling isFilled: Bool) throws {
        let old = try Fixture.stack(books: 3)
        let new = try old.version(Fixture.second)
        let before = try old.catalog()
        try Fixture.apply(.expand, from: old, to: new)
        if isFilled { try Fixture.apply(.fill, from: old, to: new) }
        let context = try new.context(new.coordinator(Fixture.options))
        try context.performAndWait {
            _ = context.make("Book", ["title": "new", "shelf": context.make("Shelf", ["label": "s"])])
            try context.save()
        }
        try Fixture.apply(.cancel, from: old, to: new)
        #expect(try old.catalog() == before)
        context.performAndWait {
            _ = context.make("Book", ["title": "lost"])
            let error = nsError { try context.save() }
            #expect(error?.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
        }
        try new.close(context)
        #expect(try #require(nsError { _ = try new.coordinator() }).code == 134100)
        let other = try old.context(old.coordinator(Fixture.options))
        try other.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try #require(try other.execute(request) as? NSPersistentHistoryResult)
            #expect((result.result as? [NSPersistentHistoryTransaction])?.count == 2)
            let books = try other.all("Book")
            #expect(books.count == 4)
        }
        try old.close(other)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(old)
    }

    @Test func equalValuesLeaveTheLastStepToDo() throws {
        let old = try Fixture.stack(books: 3)
        let new = try old.version(Fixture.second)
        try Fixture.apply(.expand, from: old, to: new)
        let context = try old.context(old.coordinator(Fixture.options))
        try context.performAndWait {
            for number in 0..<2 { _ = context.make("Book", ["title": "same", "former": "x\(number)"]) }
            try context.save()
        }
        #expect(throws: Fixture.Mismatch.self) { try Fixture.apply(.fill, from: old, to: new) }
        try context.performAndWait {
            for book in try context.all("Book") where book.value(forKey: "former") as? String == "x1" {
                book.setValue("other", forKey: "title")
            }
            try context.save()
        }
        try old.close(context)
        try Fixture.apply(.fill, from: old, to: new)
        try Fixture.apply(.contract, from: old, to: new)
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(new)
    }

    /// What programs of the old version write after the second step is filled by the last one, which updates rows with
    /// references twice.
    @Test func theLastStepFillsAttributesOfRowsWithReferences() throws {
        func model(_ rest: String) -> String {
            "<entity name=\"Author\"/><entity name=\"Book\">\(Fixture.attribute("code", "Integer 32", rest))"
                + "\(Fixture.attribute("former"))\(Fixture.attribute("pages", "Integer 32", rest))<relationship name=\"author\" "
                + "optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"Author\"/></entity>"
        }
        let old = try PostgreSQLStack(try MigrationFixture.model(model("optional=\"YES\"")))
        let new = try old.version(
            model("defaultValueString=\"9\"").replacing(Fixture.attribute("former"), with: ""))
        let context = try old.context()
        try context.performAndWait { try context.save() }
        try Fixture.apply(.expand, from: old, to: new)
        try Fixture.apply(.fill, from: old, to: new)
        try context.performAndWait {
            _ = context.make("Book", ["author": context.make("Author")])
            try context.save()
        }
        try old.close(context)
        try Fixture.apply(.contract, from: old, to: new)
        #expect(try old.text("SELECT code || ' ' || pages FROM coredata.\"Book\"") == "9 9")
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(new)
    }

    /// A store that is deleted or replaced between the steps leaves none of what they have added.
    @Test(arguments: [false, true]) func storesAreDeletedBetweenTheSteps(replaced isReplaced: Bool) throws {
        let old = try Fixture.stack(books: 3)
        let new = try old.version(Fixture.second)
        try Fixture.apply(.expand, from: old, to: new)
        try Fixture.apply(.fill, from: old, to: new)
        // A function that is not the store's.
        try old.run(
            "CREATE FUNCTION coredata.\"_online_other\"() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        if isReplaced {
            let other = try Fixture.stack(books: 2)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old.model)
            try coordinator.replacePersistentStore(
                at: old.url, withPersistentStoreFrom: other.url, ofType: NSPostgreSQLStoreType)
            try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(old)
            #expect(try old.text("SELECT count(*)::text FROM coredata.\"Book\"") == "2")
        } else {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: old.model)
            try coordinator.destroyPersistentStore(at: old.url, ofType: NSPostgreSQLStoreType)
            #expect(
                try old.text("SELECT count(*)::text FROM pg_class WHERE relnamespace = 'coredata'::regnamespace") == "0"
            )
        }
        let functions = "SELECT string_agg(proname, ' ') FROM pg_proc WHERE pronamespace = 'coredata'::regnamespace"
        #expect(try old.text(functions) == "_online_other")
    }

    @Test(arguments: [
        ("<entity name=\"Text\" elementID=\"Book\">%</entity>", "renamed to “Text”"),
        (
            "<entity name=\"Book\"><attribute name=\"t\" elementID=\"title\" optional=\"YES\" attributeType=\"String\"/></entity>",
            "Book.t"
        ),
        ("<entity name=\"Book\">%</entity><entity name=\"Novel\" parentEntity=\"Book\"/>", "“Novel” is added"),
        (
            "<entity name=\"Book\">%<attribute name=\"d\" optional=\"YES\" attributeType=\"String\" derived=\"YES\" derivationExpression=\"uppercase:(title)\"/></entity>",
            "derived"
        ),
    ])
    func changesThatNeedOneVersionAreRefused(entities: String, reason: String) throws {
        let title = "<attribute name=\"title\" elementID=\"title\" optional=\"YES\" attributeType=\"String\"/>"
        let old = try MigrationFixture.model("<entity name=\"Book\" elementID=\"Book\">\(title)</entity>")
        let new = try MigrationFixture.model(entities.replacing("%", with: title))
        let script = try PostgreSQLPlanScript(from: old, to: new)
        let failure = #expect(throws: PostgreSQLPlanScript.Failure.self) { try script.text(online: .expand) }
        #expect(failure?.reason.contains(reason) == true, "\(failure?.reason ?? "")")
    }
}
