import Foundation
import Testing

@testable import CoreData

/// Saves that change objects in two stores of one coordinator.
@Suite struct TwoStoreSaveTests {
    /// The folder of two stores, one for each configuration.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        let model = SmallModel.twoConfigurations()

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(at: url)
        }

        func file(_ name: String) -> URL { url.appendingPathComponent("\(name).store") }

        func open(
            _ types: [String] = [NSSQLiteStoreType, NSSQLiteStoreType], _ options: [AnyHashable: Any]? = nil
        ) throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            for (type, name) in zip(types, ["one", "two"]) {
                try coordinator.addPersistentStore(
                    ofType: type, configurationName: name, at: file(name), options: options)
            }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            return context
        }
    }

    private func numbers(_ entity: String, _ context: NSManagedObjectContext) throws -> [Int] {
        try context.all(entity).compactMap { $0.value(forKey: "number") as? Int }.sorted()
    }

    private static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType]

    @Test(arguments: types) func mergePoliciesApplyToEveryStore(_ type: String) throws {
        let folder = try Folder()
        let context = try folder.open([type, NSSQLiteStoreType])
        try context.performAndWait {
            _ = context.make("Page", ["name": "x", "number": 1])
            try context.save()
            context.reset()
            _ = context.make("Note", ["number": 1])
            _ = context.make("Page", ["name": "x", "number": 7])
            try context.save()
            try context.save()
            context.reset()
            #expect(try numbers("Note", context) == [1])
            #expect(try numbers("Page", context) == [7])
        }
    }

    @Test func unsavedMetadataDoNotHideConflicts() throws {
        let folder = try Folder()
        let context = try folder.open()
        try context.performAndWait {
            _ = context.make("Page", ["name": "x"])
            try context.save()
            context.reset()
            let coordinator = try #require(context.persistentStoreCoordinator)
            for store in coordinator.persistentStores { coordinator.setMetadata(["synchronized": "today"], for: store) }
            _ = context.make("Page", ["name": "x", "number": 7])
            try context.save()
            #expect(try numbers("Page", context) == [7])
            for store in coordinator.persistentStores {
                let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSSQLiteStoreType, at: try #require(store.url))
                #expect(stored["synchronized"] as? String == "today")
            }
        }
    }

    @Test func versionConflictsOfTheSecondStoreAreMerged() throws {
        let folder = try Folder()
        let (one, two) = (try folder.open(), try folder.open())
        let page = try one.performAndWait {
            let page = one.make("Page", ["name": "x"])
            try one.save()
            return page
        }
        try two.performAndWait {
            let same = try #require(try two.all("Page").first)
            #expect(same.value(forKey: "name") as? String == "x")
            try one.performAndWait {
                page.setValue(1, forKey: "number")
                try one.save()
            }
            _ = two.make("Note", ["number": 5])
            same.setValue("y", forKey: "name")
            try two.save()
        }
        let three = try folder.open()
        try three.performAndWait {
            #expect(try numbers("Note", three) == [5])
            let page = try #require(try three.all("Page").first)
            #expect(page.value(forKey: "name") as? String == "y" && page.value(forKey: "number") as? Int == 1)
        }
    }

    /// A lock on either store leaves both unchanged; the next save writes each object once.
    @Test(arguments: ["one", "two"]) func lockedStoresLeaveAllStoresUnchanged(_ locked: String) throws {
        let folder = try Folder()
        let context = try folder.open(
            [NSSQLiteStoreType, NSSQLiteStoreType], [NSPersistentStoreTimeoutOption: 0.05])
        try context.performAndWait {
            let objects = [context.make("Note", ["number": 1]), context.make("Page", ["name": "x", "number": 2])]
            try context.obtainPermanentIDs(for: objects)
            let ids = objects.map(\.objectID)
            let other = try TestDatabase(path: folder.file(locked).path)
            try other.run("BEGIN IMMEDIATE")
            let error = nsError { try context.save() }
            #expect(error != nil && error?.code != NSPersistentStoreIncompleteSaveError)
            #expect(context.insertedObjects.count == 2)
            try other.run("ROLLBACK")
            for name in ["ZNOTE", "ZPAGE"] {
                let database = try TestDatabase(path: folder.file(name == "ZNOTE" ? "one" : "two").path)
                #expect(try database.rows("SELECT count(*) FROM \(name)")[0][0] == "0")
            }
            try context.save()
            #expect(objects.map(\.objectID) == ids)
            context.reset()
            #expect(try numbers("Note", context) == [1])
            #expect(try numbers("Page", context) == [2])
        }
    }

    /// If a store fails after another was committed, the objects of that one are saved.
    @Test func objectsOfCommittedStoresAreSaved() throws {
        let folder = try Folder()
        NSPersistentStoreCoordinator.registerStoreClass(StubbornStore.self, forStoreType: StubbornStore.storeType)
        let other = StubbornStore.Switch()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: folder.model)
        for (name, isOpen) in [("one", StubbornStore.Switch()), ("two", other)] {
            try coordinator.addPersistentStore(
                ofType: StubbornStore.storeType, configurationName: name, at: folder.file(name),
                options: ["switch": isOpen])
        }
        let context = try Library.context(coordinator)
        try context.performAndWait {
            let objects = [context.make("Note", ["number": 1]), context.make("Page", ["number": 2])]
            other.mode = .fails
            let error = nsError { try context.save() }
            #expect(error?.code == NSPersistentStoreIncompleteSaveError)
            #expect((error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject]) == [objects[1]])
            #expect(context.insertedObjects == [objects[1]])
            #expect(objects[1].objectID.isTemporaryID && !objects[0].objectID.isTemporaryID)
            other.mode = .works
            try context.save()
            #expect(!context.hasChanges)
            context.reset()
            #expect(try numbers("Note", context) == [1])
            #expect(try numbers("Page", context) == [2])
        }
    }

    /// Calls a function with a context whose store fails as the switch says.
    private func withStubbornStore(
        _ body: (NSManagedObjectContext, StubbornStore.Switch) throws -> Void
    ) throws {
        let folder = try Folder()
        NSPersistentStoreCoordinator.registerStoreClass(StubbornStore.self, forStoreType: StubbornStore.storeType)
        let server = StubbornStore.Switch()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: folder.model)
        try coordinator.addPersistentStore(
            ofType: StubbornStore.storeType, configurationName: nil, at: folder.file("one"), options: ["switch": server]
        )
        let context = try Library.context(coordinator)
        try context.performAndWait { try body(context, server) }
    }

    @Test(arguments: [StubbornStore.Mode.losesAnswer, .losesRequest])
    func uncertainSavesInsertNothingTwice(_ mode: StubbornStore.Mode) throws {
        try withStubbornStore { context, server in
            let old = context.make("Note", ["number": 0])
            try context.save()
            let (kept, edited) = (context.make("Note", ["number": 1]), context.make("Note", ["number": 2]))
            context.delete(old)
            server.mode = mode
            let error = nsError { try context.save() }
            #expect(error?.code == NSPersistentStoreSaveOutcomeUnknownError)
            #expect(error?.userInfo[NSPersistentStoreSaveOutcomeUnknownKey] as? Bool == true)
            #expect(!kept.objectID.isTemporaryID && context.insertedObjects.count == 2)
            let id = kept.objectID
            edited.setValue(3, forKey: "number")
            server.mode = .works
            try context.save()
            #expect(kept.objectID == id && !context.hasChanges)
            context.reset()
            #expect(try numbers("Note", context) == [1, 3])
        }
    }

    /// The versions of rows tell whether an uncertain save without insertions took place; the next save does not
    /// conflict with it.
    @Test(arguments: [StubbornStore.Mode.losesAnswer, .losesRequest], [true, false])
    func uncertainChangesDoNotConflict(_ mode: StubbornStore.Mode, _ deletes: Bool) throws {
        try withStubbornStore { context, server in
            let note = context.make("Note", ["number": 0])
            try context.save()
            if deletes { context.delete(note) } else { note.setValue(1, forKey: "number") }
            server.mode = mode
            #expect(nsError { try context.save() }?.code == NSPersistentStoreSaveOutcomeUnknownError)
            server.mode = .works
            try context.save()
            #expect(!context.hasChanges)
            context.reset()
            #expect(try numbers("Note", context) == (deletes ? [] : [1]))
        }
    }

    /// Rows that another program has written are not taken for those of an uncertain save.
    @Test func rowsTellWhatWasSaved() throws {
        try withStubbornStore { context, _ in
            let (note, other) = (context.make("Note", ["number": 0]), context.make("Note", ["number": 0]))
            try context.save()
            note.setValue(1, forKey: "number")
            context.delete(other)
            context.processPendingChanges()
            let update = try #require(try note.unsavedChange())
            let deletion = try #require(try other.unsavedChange())
            func row(_ value: Int64, _ version: Int) -> Row { Row.make([.integer(value)], version: version) }
            #expect(UnknownSaveOutcome.outcome(of: [update], [row(0, 1)]) == false)
            #expect(UnknownSaveOutcome.outcome(of: [update], [row(1, 2)]) == true)
            #expect(UnknownSaveOutcome.outcome(of: [update], [row(5, 2)]) == nil)
            #expect(UnknownSaveOutcome.outcome(of: [update], [row(1, 3)]) == nil)
            #expect(UnknownSaveOutcome.outcome(of: [update], [nil]) == nil)
            #expect(UnknownSaveOutcome.outcome(of: [deletion], [nil]) == true)
            #expect(UnknownSaveOutcome.outcome(of: [deletion], [row(0, 1)]) == false)
            // A save is atomic.
            #expect(UnknownSaveOutcome.outcome(of: [update, deletion], [row(1, 2), row(0, 1)]) == false)
            #expect(UnknownSaveOutcome.outcome(of: [update, deletion], [row(1, 2), nil]) == true)
            #expect(UnknownSaveOutcome.outcome(of: [update, deletion], [row(5, 2), nil]) == nil)
        }
    }

    /// What an uncertain save may have inserted is deleted from the store, too.
    @Test(arguments: [StubbornStore.Mode.losesAnswer, .losesRequest])
    func uncertainInsertionsCanBeDeleted(_ mode: StubbornStore.Mode) throws {
        try withStubbornStore { context, server in
            let note = context.make("Note", ["number": 1])
            server.mode = mode
            #expect(nsError { try context.save() }?.code == NSPersistentStoreSaveOutcomeUnknownError)
            server.mode = .works
            context.delete(note)
            context.processPendingChanges()
            #expect(context.hasChanges)
            try context.save()
            #expect(!context.hasChanges && context.registeredObjects.isEmpty)
            context.reset()
            #expect(try numbers("Note", context).isEmpty)
        }
    }
}

/// A store in memory whose saves fail as those over a network do.
final class StubbornStore: NSPersistentStore, StoreEngine, @unchecked Sendable {
    static let storeType = "Stubborn"

    enum Mode: Sendable {
        case works
        /// Nothing is saved, which is known.
        case fails
        /// Everything is saved, but the answer is lost.
        case losesAnswer
        /// Nothing is saved, because the request is lost.
        case losesRequest
    }

    final class Switch: @unchecked Sendable {
        var mode = Mode.works
    }

    private var rows: [NSManagedObjectID: Row] = [:]
    private var last: Int64 = 0

    private var mode: Mode { (options?["switch"] as? Switch)?.mode ?? .works }

    override var type: String { Self.storeType }

    override var engine: any StoreEngine { self }

    var traits: StoreTraits { [] }

    override func loadMetadata() throws {
        // Determines the order in which stores are committed.
        identifier = "STUBBORN-\(url?.lastPathComponent ?? "")"
        metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: identifier ?? ""]
    }

    func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? { rows[id] }

    func members(of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout) -> [NSManagedObjectID] { [] }

    func fetch(_ search: FetchSearch, ahead: AnyObject?) throws -> StoreAnswer {
        StoreAnswer(
            .ids(rows.keys.filter { id in search.layouts.contains { $0 === id.layout } }), remaining: search.clauses)
    }

    func permanentIDs(for new: [NewObject]) throws -> [NSManagedObjectID] {
        new.map { object in
            last += 1
            return NSManagedObjectID(.number(last), object.layout, store: self)
        }
    }

    func prepare(_ save: StoreSave) -> PreparedSave {
        PreparedSave(isWritten: false, commit: { [self] in try write(save) }, rollBack: {})
    }

    private func write(_ save: StoreSave) throws -> SaveResult {
        if mode == .fails { throw CocoaError(.fileWriteUnknown) }
        if mode != .losesRequest {
            for change in save.changes { rows[change.id] = change.kind == .delete ? nil : change.row }
        }
        if mode != .works { throw UnknownSaveOutcome(reason: CocoaError(.fileWriteUnknown)) }
        return SaveResult(rows: save.changes.map { $0.kind == .delete ? nil : $0.row })
    }
}
