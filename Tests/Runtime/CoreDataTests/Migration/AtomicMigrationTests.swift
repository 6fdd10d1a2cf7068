import CoreData
import TestSupport
import Testing

/// Migrations of atomic stores that are killed, run out of space, or run concurrently leave either the old file or the
/// new one.
@Suite(.serialized) struct AtomicMigrationTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 3
    private static let types = [NSXMLStoreType, NSBinaryStoreType]
    private static let people = 300

    /// A closed store, the model to migrate it to, and the model that it was created with, next to the program.
    private final class Scene {
        let fixture: MappingFixture
        let type: String
        let store: URL
        let original: Data
        private let destination: URL
        private let source: URL

        init(_ type: String) throws {
            fixture = try MappingFixture.unique()
            self.type = type
            store = try fixture.makeStore("Old", type: type, people: AtomicMigrationTests.people)
            original = try Data(contentsOf: store)
            destination = fixture.url("New.mom")
            try MappingArchive.model(fixture.second).write(to: destination)
            source = Bundle.main.bundleURL.appendingPathComponent("\(UUID().uuidString).mom")
            try MappingArchive.model(fixture.first).write(to: source)
        }

        deinit { try? FileManager.default.removeItem(at: source) }

        /// Migrates the store in another process.
        func process(limit: Int? = nil) throws -> WriterProcess {
            try WriterProcess("migrate", store.path, destination.path, limit.map { "\($0)" } ?? "", type)
        }

        func open(_ url: URL? = nil, _ options: [AnyHashable: Any] = [:]) throws {
            let options = MigrationFixture.options.merging(options) { $1 }
            try MappingFixture.close(
                try MappingFixture.open(url ?? store, fixture.second, type: type, options: options))
        }

        func restore() throws { try original.write(to: store) }

        /// Returns the names of files next to the store, except the model.
        func leftovers(in folder: URL? = nil) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: (folder ?? fixture.folder).path)
                .filter { !["Old", "New.mom", "Ballast"].contains($0) }
        }

        /// Checks that the store is intact, and returns whether it is the new one.
        func isMigrated(_ url: URL? = nil) throws -> Bool {
            let url = url ?? store
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
            let isNew = fixture.second.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
            if !isNew { #expect(try Data(contentsOf: url) == original) }
            let context = try MappingFixture.open(url, isNew ? fixture.second : fixture.first, type: type)
            try context.performAndWait {
                let people = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
                let names = Set(people.compactMap { $0.value(forKey: isNew ? "fullName" : "name") as? String })
                #expect(names == Set((0..<AtomicMigrationTests.people).map { "Person \($0)" }))
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Pet")) == 4)
            }
            try MappingFixture.close(context)
            return isNew
        }
    }

    @Test(.randomized, arguments: types) func killedMigrationsLeaveTheOldFileOrTheNewOne(type: String) throws {
        var random = Seeds.generator()
        let scene = try Scene(type)
        let start = Date()
        #expect(try scene.process().finish().lines.last == "migrated")
        let duration = Date().timeIntervalSince(start)
        #expect(try scene.isMigrated())
        var migrated = 0
        for _ in 0..<Self.kills {
            try scene.restore()
            _ = try scene.process().kill(after: .random(in: 0...duration * 1.1, using: &random))
            if try scene.isMigrated() { migrated += 1 }
        }
        if Self.kills > 3 {
            print("killed migrations, \(type): \(Self.kills - migrated) old files, \(migrated) new ones")
        }
    }

    @Test(arguments: types) func filesThatMustNotGrowLeaveTheOldFile(type: String) throws {
        let scene = try Scene(type)
        for (limit, isEnough) in [(100, false), (scene.original.count / 2, false), (64 << 20, true)] {
            let line = try scene.process(limit: limit).finish().lines.last ?? ""
            #expect(isEnough ? line == "migrated" : line.hasPrefix("failed \(NSCocoaErrorDomain) 1341"), "\(line)")
            #expect(try scene.isMigrated() == isEnough)
            #expect(try scene.leftovers().isEmpty)
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "nothing can be mounted here"), arguments: types)
    func fullDiskLeavesTheOldFile(type: String) throws {
        let scene = try Scene(type)
        let disk = try SmallDisk(bytes: 8 << 20)
        let store = disk.folder.appendingPathComponent("Old")
        try scene.original.write(to: store)
        for room in [0, scene.original.count / 2] {
            try disk.leaveRoom(room)
            let error = try #require(nsError { try scene.open(store) })
            #expect(error.domain == NSCocoaErrorDomain)
            // The new store cannot be created or saved.
            #expect([NSMigrationManagerDestinationStoreError, NSMigrationError].contains(error.code), "\(error)")
            #expect(error.localizedDescription.contains("No space left on device"), "\(error.localizedDescription)")
            #expect(try scene.leftovers(in: disk.folder).isEmpty)
            #expect(try !scene.isMigrated(store))
        }
        try disk.makeRoom()
        try scene.open(store)
        #expect(try scene.isMigrated(store))
        #expect(try scene.leftovers(in: disk.folder).isEmpty)
    }

    @Test(arguments: types) func readOnlyFilesAreNotMigrated(type: String) throws {
        let scene = try Scene(type)
        let error = try #require(nsError { try scene.open(nil, [NSReadOnlyPersistentStoreOption: true]) })
        #expect(error.domain == NSCocoaErrorDomain && error.code == NSMigrationError)
        #expect(error.localizedDescription.contains("read-only"))
        #expect(try !scene.isMigrated())
    }

    @Test(arguments: types) func permissionsAndLinksAreKept(type: String) throws {
        let scene = try Scene(type)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: scene.store.path)
        let link = scene.fixture.url("Link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scene.store)
        try scene.open(link)
        #expect(try scene.isMigrated())
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.store.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == scene.store.path)
    }

    /// Changes saved by another program during the migration are migrated, too.
    @Test(arguments: types) func filesThatAreWrittenMeanwhileAreMigratedAgain(type: String) throws {
        let fixture = try MappingFixture.unique()
        let store = try fixture.makeStore("Old", type: type)
        let mapping = fixture.mapping(policy: "LateWriterPolicy")
        let archive = try MappingArchive.bytes(mapping, from: fixture.first, to: fixture.second)
        LateWriterPolicy.stores.values = [(store, type)]
        try MappingFixture.withResources(["Map.cdm": archive, "Model.mom": try MappingArchive.model(fixture.first)]) {
            try MappingFixture.close(
                try MappingFixture.open(store, fixture.second, type: type, options: MigrationFixture.options))
        }
        #expect(LateWriterPolicy.stores.values.isEmpty)
        #expect(try fixture.lines(store, type: type).filter { $0.contains("late") } == ["late nil 7 []"])
        #expect(try fixture.lines(store, type: type).count == MappingFixture.migrated.count + 1)
    }
}

/// A policy that saves another person in the source at the end of the first migration.
final class LateWriterPolicy: NSEntityMigrationPolicy {
    static let stores = Recorder<(URL, String)>()

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        guard let (url, type) = Self.stores.values.popLast() else { return }
        let context = try MappingFixture.open(url, manager.sourceModel, type: type)
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("late", forKey: "name")
            try context.save()
        }
        try MappingFixture.close(context)
    }
}
