import CoreData
import StoreFile
import TestSupport
import Testing

/// A file that is rejected as a store remains unchanged, byte for byte, and so does its folder.
@Suite struct RejectedStoreTests {
    /// Files that cannot be opened as stores of `Library`.
    enum Rejected: CaseIterable {
        case foreign, foreignInLogMode, foreignWithLog, foreignWithJournal
        case otherModel, otherModelInDeleteMode, otherModelInLog, otherModelWithIndex, otherModelWithJournal
        case missingTable, missingMetadata, malformedMetadata
        case truncated, shortGarbage, longGarbage, garbageWithLog

        /// Whether the file is a database of another program.
        var isForeign: Bool {
            [.foreign, .foreignInLogMode, .foreignWithLog, .foreignWithJournal].contains(self)
        }

        /// Whether the metadata can be read.
        var hasMetadata: Bool {
            [
                .otherModel, .otherModelInDeleteMode, .otherModelInLog, .otherModelWithIndex, .otherModelWithJournal,
                .missingTable,
            ].contains(self)
        }

        /// The suffixes of files next to it.
        var companions: [String] {
            switch self {
            case .foreignWithLog, .otherModelInLog, .garbageWithLog: ["-wal"]
            case .otherModelWithIndex: ["-wal", "-shm"]
            case .foreignWithJournal, .otherModelWithJournal: ["-journal"]
            default: []
            }
        }

        var code: Int {
            switch self {
            case _ where isForeign: NSPersistentStoreIncompatibleSchemaError
            case .missingTable: NSPersistentStoreIncompatibleSchemaError
            case .missingMetadata, .malformedMetadata: NSPersistentStoreOpenError
            case .truncated, .shortGarbage, .longGarbage, .garbageWithLog: CocoaError.fileReadCorruptFile.rawValue
            default: NSPersistentStoreIncompatibleVersionHashError
            }
        }
    }

    private static func otherModel() -> NSManagedObjectModel {
        let model = Library.model()
        let attribute = NSAttributeDescription()
        attribute.name = "color"
        attribute.attributeType = .stringAttributeType
        model.entitiesByName["Tag"]?.properties.append(attribute)
        return model
    }

    /// Creates a file in an otherwise empty folder.
    private static func make(_ kind: Rejected) throws -> TestStore {
        let (work, store) = (try TestStore(), try TestStore())
        let database = try work.database()
        switch kind {
        case .foreign:
            try database.run("CREATE TABLE notes (text); INSERT INTO notes VALUES ('a')")
        case .foreignInLogMode:
            try database.run(
                "PRAGMA journal_mode = WAL; CREATE TABLE notes (text); PRAGMA wal_checkpoint(TRUNCATE)")
        case .foreignWithLog:
            try database.run("PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES ('a')")
        case .foreignWithJournal:
            try leaveJournal(database)
        case .otherModel, .otherModelInDeleteMode:
            let mode = kind == .otherModel ? "WAL" : "DELETE"
            let options = [NSSQLitePragmasOption: ["journal_mode": mode]]
            try TestStore.close(work.open(options, model: otherModel()))
        case .otherModelInLog, .otherModelWithIndex:
            let context = try work.open(model: otherModel())
            try copy(work, to: store, kind.companions)
            try TestStore.close(context)
            return store
        case .otherModelWithJournal:
            try TestStore.close(
                work.open([NSSQLitePragmasOption: ["journal_mode": "DELETE"]], model: otherModel()))
            try leaveJournal(database)
        case .missingTable, .missingMetadata, .malformedMetadata:
            try TestStore.close(work.open())
            let change =
                switch kind {
                case .missingTable: "DROP TABLE ZBOOK"
                case .missingMetadata: "DELETE FROM Z_METADATA"
                default: "UPDATE Z_METADATA SET Z_PLIST = x'00'"
                }
            try database.run("PRAGMA journal_mode = DELETE; \(change)")
        case .truncated:
            try TestStore.close(work.open())
            try Data(contentsOf: work.url).prefix(5000).write(to: work.url)
        case .shortGarbage: try Data("not a database".utf8).write(to: work.url)
        case .longGarbage, .garbageWithLog:
            var random = SeededGenerator(seed: 7)
            try Data((0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) }).write(to: work.url)
            if kind == .garbageWithLog {
                try Data(count: 5000).write(to: URL(fileURLWithPath: work.url.path + "-wal"))
            }
        }
        try copy(work, to: store, kind.companions)
        return store
    }

    /// Leaves the journal of an unfinished transaction, like a crash.
    private static func leaveJournal(_ database: TestDatabase) throws {
        try database.run("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; CREATE TABLE notes (text)")
        try database.run("BEGIN")
        for _ in 0..<20 { try database.run("INSERT INTO notes VALUES (zeroblob(10000))") }
    }

    /// Copies a store and the files next to it, which must not be empty.
    private static func copy(_ source: TestStore, to target: TestStore, _ companions: [String]) throws {
        for suffix in [""] + companions {
            let content = try Data(contentsOf: URL(fileURLWithPath: source.url.path + suffix))
            #expect(!content.isEmpty)
            try content.write(to: URL(fileURLWithPath: target.url.path + suffix))
        }
    }

    /// Returns all files in a folder.
    private static func contents(_ folder: URL) throws -> [String: Data] {
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try Dictionary(
            uniqueKeysWithValues: paths.map { ($0, try Data(contentsOf: folder.appendingPathComponent($0))) })
    }

    @Test(arguments: Rejected.allCases)
    func openingChangesNothing(_ kind: Rejected) throws {
        let store = try Self.make(kind)
        let before = try Self.contents(store.folder)
        let options: [[AnyHashable: Any]] = [
            [:], [NSReadOnlyPersistentStoreOption: true], [NSPersistentHistoryTrackingKey: true],
            [NSSQLitePragmasOption: ["journal_mode": "DELETE"]],
            [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true],
        ]
        for options in options {
            let error = nsError { _ = try store.open(options) }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == kind.code, "\(error as Any)")
            #expect(try Self.contents(store.folder) == before, "\(options)")
        }
    }

    @Test(arguments: Rejected.allCases)
    func readingMetadataChangesNothing(_ kind: Rejected) throws {
        let store = try Self.make(kind)
        let before = try Self.contents(store.folder)
        let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store.url)
        #expect((metadata != nil) == kind.hasMetadata)
        #expect(try Self.contents(store.folder) == before)
        #expect(((try? StoreFile(path: store.url.path)) != nil) == kind.hasMetadata)
        #expect(try Self.contents(store.folder) == before)
        guard !kind.hasMetadata else { return }
        let error = nsError {
            try NSPersistentStoreCoordinator.setMetadata(
                [:], forPersistentStoreOfType: NSSQLiteStoreType, at: store.url)
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(try Self.contents(store.folder) == before)
    }

    @Test(arguments: Rejected.allCases.filter { !$0.hasMetadata })
    func replacingWithARejectedFileChangesNeither(_ kind: Rejected) throws {
        let (source, target) = (try Self.make(kind), try TestStore())
        try TestStore.close(target.open())
        let before = (try Self.contents(source.folder), try Self.contents(target.folder))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: target.model)
        let error = nsError {
            try coordinator.replacePersistentStore(
                at: target.url, withPersistentStoreFrom: source.url, ofType: NSSQLiteStoreType)
        }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreOperationError)
        #expect(try Self.contents(source.folder) == before.0)
        #expect(try Self.contents(target.folder) == before.1)
    }

    @Test(arguments: Rejected.allCases.filter(\.isForeign))
    func databasesOfOtherProgramsAreLeftAlone(_ kind: Rejected) throws {
        let (store, source) = (try Self.make(kind), try TestStore())
        try TestStore.close(source.open())
        let before = try Self.contents(store.folder)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        let destroying = nsError {
            try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        }
        #expect(destroying?.domain == NSCocoaErrorDomain && destroying?.code == NSPersistentStoreOperationError)
        let replacing = nsError {
            try coordinator.replacePersistentStore(
                at: store.url, withPersistentStoreFrom: source.url, ofType: NSSQLiteStoreType)
        }
        #expect(replacing?.domain == NSCocoaErrorDomain && replacing?.code == NSPersistentStoreOperationError)
        #expect(try Self.contents(store.folder) == before)
    }

    @Test(arguments: [NSXMLStoreType, NSBinaryStoreType]) func storesOfOtherTypesAreLeftAlone(_ type: String) throws {
        let store = try TestStore()
        store.isSound = false
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        let open = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: store.url)
        let context = try Library.context(coordinator)
        try context.performAndWait {
            _ = context.make("Tag", ["name": "a"])
            try context.save()
        }
        try coordinator.remove(open)
        let before = try Data(contentsOf: store.url)
        let error = nsError { try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType) }
        #expect(error?.code == NSPersistentStoreOperationError)
        #expect(try Data(contentsOf: store.url) == before)
    }

    /// A store that cannot be opened can be destroyed to start over.
    @Test(arguments: Rejected.allCases.filter { !$0.isForeign })
    func rejectedStoresAreDestroyed(_ kind: Rejected) throws {
        let store = try Self.make(kind)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        #expect(try store.files() == ["Store.sqlite"])
        try TestStore.close(store.open())
    }

    @Test func foldersAndPipesAreRejected() throws {
        let store = try TestStore()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        func check() {
            for action: () throws -> Void in [
                { _ = try store.open() },
                {
                    _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                        ofType: NSSQLiteStoreType, at: store.url)
                },
                { try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType) },
            ] {
                #expect(nsError(action)?.domain == NSCocoaErrorDomain)
            }
        }
        try FileManager.default.createDirectory(at: store.url, withIntermediateDirectories: false)
        try Data("kept".utf8).write(to: store.url.appendingPathComponent("file"))
        check()
        #expect(try store.files() == ["Store.sqlite", "Store.sqlite/file"])
        try FileManager.default.removeItem(at: store.url)
        #expect(mkfifo(store.url.path, 0o600) == 0)
        check()
        #expect(try store.files() == ["Store.sqlite"])
    }

    @Test func anEmptyFileIsANewStoreUnlessItIsReadOnly() throws {
        let store = try TestStore()
        try Data().write(to: store.url)
        let error = nsError { _ = try store.open([NSReadOnlyPersistentStoreOption: true]) }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(try Self.contents(store.folder) == ["Store.sqlite": Data()])
        try TestStore.close(store.open())
    }

    /// A store that cannot contain the model is not created.
    @Test func failedCreationLeavesNoFile() throws {
        let model = Library.model()
        let entity = try #require(model.entitiesByName["Tag"])
        let attribute = NSAttributeDescription()
        attribute.name = "untyped"
        attribute.attributeType = .undefinedAttributeType
        entity.properties.append(attribute)
        let store = try TestStore(model)
        let error = nsError { _ = try store.open() }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(try store.files().isEmpty)
    }

    /// Files left by a crash next to a store do not prevent opening it.
    @Test(arguments: ["WAL", "DELETE"])
    func storesOfCrashedProgramsAreOpened(_ mode: String) throws {
        let (work, store) = (try TestStore(), try TestStore())
        let context = try work.open([NSSQLitePragmasOption: ["journal_mode": mode]])
        try context.performAndWait {
            _ = context.make("Author", ["name": "saved"])
            try context.save()
        }
        if mode == "DELETE" {
            try TestStore.close(context)
            let database = try work.database()
            try database.run("PRAGMA cache_size = 1; BEGIN; UPDATE ZAUTHOR SET ZNAME = zeroblob(100000)")
            try Self.copy(work, to: store, ["-journal"])
            #expect(try store.files() == ["Store.sqlite", "Store.sqlite-journal"])
        } else {
            try Self.copy(work, to: store, ["-wal"])
        }
        let again = try store.open()
        let names = try again.performAndWait { try again.all("Author").map { $0.value(forKey: "name") as? String } }
        #expect(names == ["saved"])
    }

    /// A store used by another connection is inspected while it is being written.
    @Test func storesInUseAreRejected() throws {
        let store = try TestStore()
        let context = try store.open(model: Self.otherModel())
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            try context.save()
        }
        let error = nsError { _ = try store.open() }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        try context.performAndWait {
            _ = context.make("Author", ["name": "b"])
            try context.save()
            #expect(try store.database().rows("SELECT count(*) FROM ZAUTHOR") == [["2"]])
        }
    }
}
