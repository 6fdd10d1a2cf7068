import TestSupport
import Testing

@testable import CoreData

/// A migration that is interrupted leaves the old store or the new one.
@Suite struct MigrationSafetyTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 5
    private static let rows = 20_000

    private static let old = """
        <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/><attribute name="pages" \
        optional="YES" attributeType="Integer 32"/></entity>
        """
    private static let new = """
        <entity name="Annex"/><entity name="Book"><attribute name="title" optional="YES" attributeType="String"/><attribute \
        name="pages" optional="YES" attributeType="Double"/><attribute name="isNew" attributeType="Boolean" \
        defaultValueString="YES"/></entity>
        """

    /// A closed store with many rows, and the file of the model to migrate to.
    private struct Scene {
        let fixture: MigrationFixture
        let model: URL
        let destination: NSManagedObjectModel
        let original: Data

        init() throws {
            fixture = try MigrationFixture(MigrationSafetyTests.old)
            try fixture.fill { _ in }
            let database = try fixture.store.database()
            try database.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(MigrationSafetyTests.rows))
                INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE) SELECT i, 1, 1, i, 'title ' || i FROM n
                """)
            try database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(MigrationSafetyTests.rows)")
            try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
            destination = try MigrationFixture.model(MigrationSafetyTests.new)
            // The file of the model has to outlive the fixture that compiles it.
            model = fixture.store.folder.appendingPathComponent("New.mom")
            let maker = try TestStore(destination)
            try TestStore.close(try maker.open())
            try TestStore.modelArchive(maker.url).write(to: model)
            original = try Data(contentsOf: fixture.store.url)
        }

        /// Puts the old store back.
        func restore() throws {
            for suffix in ["-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: fixture.store.url.path + suffix)
            }
            try original.write(to: fixture.store.url)
        }

        /// Checks that the store is whole, and returns whether it is the new one.
        func isMigrated() throws -> Bool {
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: fixture.store.url)
            let isNew = destination.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
            let context = try fixture.store.open(model: isNew ? destination : fixture.source)
            try context.performAndWait { () throws in
                let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
                #expect(try context.count(for: books) == MigrationSafetyTests.rows)
                books.predicate = NSPredicate(format: isNew ? "pages >= 1 AND isNew == YES" : "pages >= 1")
                #expect(try context.count(for: books) == MigrationSafetyTests.rows)
            }
            try TestStore.close(context)
            #expect(try fixture.store.database().rows("PRAGMA integrity_check") == [["ok"]])
            return isNew
        }
    }

    @Test(.randomized) func killedMigrationsLeaveTheOldStoreOrTheNewOne() throws {
        var random = Seeds.generator()
        let scene = try Scene()
        let start = Date()
        #expect(
            try WriterProcess("migrate", scene.fixture.store.url.path, scene.model.path).finish().lines.last
                == "migrated")
        let duration = Date().timeIntervalSince(start)
        #expect(try scene.isMigrated())
        var counts = (old: 0, new: 0)
        for _ in 0..<Self.kills {
            try scene.restore()
            let writer = try WriterProcess("migrate", scene.fixture.store.url.path, scene.model.path)
            _ = writer.kill(after: .random(in: 0...duration * 1.1, using: &random))
            if try scene.isMigrated() { counts.new += 1 } else { counts.old += 1 }
        }
        if Self.kills > 5 { print("killed migrations: \(counts.old) old stores, \(counts.new) new ones") }
    }

    @Test func fullDiskLeavesTheOldStore() throws {
        let scene = try Scene()
        // Room for the old store, but not for a log with the new one; and the other way around at the end.
        for limit in [8 << 10, 200 << 10, scene.original.count, scene.original.count * 3 / 2] {
            try scene.restore()
            let lines = try WriterProcess("migrate", scene.fixture.store.url.path, scene.model.path, "\(limit)").finish()
                .lines
            let isNew = try scene.isMigrated()
            #expect(isNew == (lines.last == "migrated"), "\(limit): \(lines)")
            if !isNew { #expect(lines.last?.hasPrefix("failed \(NSCocoaErrorDomain) 134") == true, "\(lines)") }
        }
    }

    @Test func secondProcessWaitsAndOpensTheMigratedStore() throws {
        let scene = try Scene()
        let writers = try (0..<3).map { _ in
            try WriterProcess("migrate", scene.fixture.store.url.path, scene.model.path)
        }
        for writer in writers { #expect(writer.finish().lines.last == "migrated") }
        #expect(try scene.isMigrated())
    }
}
