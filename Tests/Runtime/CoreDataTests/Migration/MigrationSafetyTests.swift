import TestSupport
import Testing

@testable import CoreData

/// An interrupted migration, in place or with a mapping model, leaves either the old store or the new one.
@Suite struct MigrationSafetyTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 5

    /// - Parameter modifier: Part of the version hashes, so that a mapping model matches only one test.
    private static func old(_ modifier: String) -> String {
        """
        <entity name="Book" versionHashModifier="\(modifier)"><attribute name="title" optional="YES" attributeType="String"/><attribute name="pages" \
        optional="YES" attributeType="Integer 32"/></entity>
        """
    }

    private static func new(_ modifier: String) -> String {
        """
        <entity name="Annex"/><entity name="Book" versionHashModifier="\(modifier)"><attribute name="title" optional="YES" attributeType="String"/><attribute \
        name="pages" optional="YES" attributeType="Double"/><attribute name="isNew" attributeType="Boolean" \
        defaultValueString="YES"/></entity>
        """
    }

    /// The kinds of migration.
    enum Path: CaseIterable {
        case inPlace
        case mappingModel

        /// The number of rows; objects are copied one by one, which takes longer.
        var rows: Int { self == .inPlace ? 20_000 : 2_000 }
    }

    /// A closed store with many rows, and the file of the model to migrate to.
    private final class Scene {
        let rows: Int
        private var mapping: URL?
        let fixture: MigrationFixture
        let model: URL
        let destination: NSManagedObjectModel
        let original: Data

        init(_ path: Path = .inPlace) throws {
            rows = path.rows
            let modifier = UUID().uuidString
            fixture = try MigrationFixture(MigrationSafetyTests.old(modifier))
            try fixture.fill { _ in }
            let database = try fixture.store.database()
            try database.run(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE) SELECT i, 1, 1, i, 'title ' || i FROM n
                """)
            try database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows)")
            try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
            destination = try MigrationFixture.model(MigrationSafetyTests.new(modifier))
            // The model's file must outlive the fixture that compiles it.
            model = fixture.store.folder.appendingPathComponent("New.mom")
            let maker = try TestStore(destination)
            try TestStore.close(try maker.open())
            try TestStore.modelArchive(maker.url).write(to: model)
            original = try Data(contentsOf: fixture.store.url)
            guard path == .mappingModel else { return }
            let inferred = try NSMappingModel.inferredMappingModel(
                forSourceModel: fixture.source, destinationModel: destination)
            // Programs look for mapping models in their own folder.
            let url = Bundle.main.bundleURL.appendingPathComponent("\(modifier).cdm")
            try MappingArchive.bytes(inferred, from: fixture.source, to: destination).write(to: url)
            mapping = url
        }

        deinit {
            if let mapping { try? FileManager.default.removeItem(at: mapping) }
        }

        /// Returns the names of files of unfinished migrations.
        func leftovers() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: fixture.store.folder.path)
                .filter { $0.contains("migrationdestination") }
        }

        /// Restores the old store.
        func restore() throws {
            for suffix in ["-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: fixture.store.url.path + suffix)
            }
            try original.write(to: fixture.store.url)
        }

        /// Checks that the store is intact, and returns whether it is the new one.
        func isMigrated() throws -> Bool {
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: fixture.store.url)
            let isNew = destination.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
            let context = try fixture.store.open(model: isNew ? destination : fixture.source)
            try context.performAndWait { () throws in
                let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
                #expect(try context.count(for: books) == rows)
                books.predicate = NSPredicate(format: isNew ? "pages >= 1 AND isNew == YES" : "pages >= 1")
                #expect(try context.count(for: books) == rows)
            }
            try TestStore.close(context)
            #expect(try fixture.store.database().rows("PRAGMA integrity_check") == [["ok"]])
            return isNew
        }
    }

    @Test(.randomized, arguments: Path.allCases) func killedMigrationsLeaveTheOldStoreOrTheNewOne(_ path: Path) throws {
        var random = Seeds.generator()
        let scene = try Scene(path)
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
        if Self.kills > 5 { print("killed migrations, \(path): \(counts.old) old stores, \(counts.new) new ones") }
        // The next migration removes the leftovers of a killed one.
        try scene.restore()
        #expect(
            try WriterProcess("migrate", scene.fixture.store.url.path, scene.model.path).finish().lines.last
                == "migrated")
        #expect(try scene.leftovers().isEmpty)
    }

    @Test(arguments: Path.allCases) func fullDiskLeavesTheOldStore(_ path: Path) throws {
        let scene = try Scene(path)
        // There is space for the old store, but not for a log with the new one; at the end, it is the other way around.
        for limit in [8 << 10, 200 << 10, scene.original.count, scene.original.count * 3 / 2] {
            try scene.restore()
            let lines = try WriterProcess("migrate", scene.fixture.store.url.path, scene.model.path, "\(limit)")
                .finish()
                .lines
            let isNew = try scene.isMigrated()
            #expect(isNew == (lines.last == "migrated"), "\(limit): \(lines)")
            if !isNew { #expect(lines.last?.hasPrefix("failed \(NSCocoaErrorDomain) 134") == true, "\(lines)") }
        }
    }

    @Test(arguments: Path.allCases) func secondProcessWaitsAndOpensTheMigratedStore(_ path: Path) throws {
        let scene = try Scene(path)
        let writers = try (0..<3).map { _ in
            try WriterProcess("migrate", scene.fixture.store.url.path, scene.model.path)
        }
        for writer in writers { #expect(writer.finish().lines.last == "migrated") }
        #expect(try scene.isMigrated())
        #expect(try scene.leftovers().isEmpty)
    }
}
