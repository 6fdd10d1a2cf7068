import CSQLite3
import Foundation
import Testing

@testable import CoreData

/// The life of the files of external values: while rows refer to them, and while readers may need them.
@Suite struct ExternalFileTests {
    private static func model() -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity(
                "Photo",
                [
                    SmallModel.attribute("number", .integer64AttributeType),
                    SmallModel.attribute("data", .binaryDataAttributeType) {
                        $0.allowsExternalBinaryDataStorage = true
                        $0.isOptional = false
                    },
                ])
        ])
    }

    private static func value(_ number: Int) -> Data { Data(repeating: UInt8(number), count: 150_000) }

    private func files(_ store: TestStore) throws -> Int {
        try store.files().filter { $0.hasPrefix(".Store_SUPPORT/_EXTERNAL_DATA/") }.count
    }

    private func replace(_ context: NSManagedObjectContext, _ number: Int) throws {
        try context.performAndWait {
            let photo = try #require(try context.all("Photo").first)
            photo.setValue(Self.value(number), forKey: "data")
            try context.save()
        }
    }

    /// A pinned context reads its generation also after the value is replaced; the file goes with the last reader.
    @Test(arguments: [true, false]) func pinnedContextsReadTheirValues(_ bySameCoordinator: Bool) throws {
        let store = try TestStore(Self.model())
        let pinned = try store.open()
        let writer =
            bySameCoordinator
            ? try Library.context(pinned.persistentStoreCoordinator) : try store.open()
        try writer.performAndWait {
            _ = writer.make("Photo", ["data": Self.value(1)])
            try writer.save()
        }
        try pinned.performAndWait {
            try pinned.setQueryGenerationFrom(.current)
            _ = try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Photo"))
        }
        try replace(writer, 2)
        #expect(try files(store) == 2)
        try pinned.performAndWait {
            let photo = try #require(try pinned.all("Photo").first)
            #expect(photo.value(forKey: "data") as? Data == Self.value(1))
            try pinned.setQueryGenerationFrom(nil)
            pinned.reset()
        }
        try replace(writer, 3)
        #expect(try files(store) == 1)
    }

    /// A context that is always pinned, but moves on, does not keep the files of all generations.
    @Test func generationsThatMoveOnKeepFewFiles() throws {
        let store = try TestStore(Self.model())
        let pinned = try store.open()
        let writer = try Library.context(pinned.persistentStoreCoordinator)
        try writer.performAndWait {
            _ = writer.make("Photo", ["data": Self.value(0)])
            try writer.save()
        }
        for number in 1...10 {
            try pinned.performAndWait {
                try pinned.setQueryGenerationFrom(.current)
                #expect(try pinned.all("Photo").first?.value(forKey: "data") as? Data == Self.value(number - 1))
            }
            try replace(writer, number)
            #expect(try files(store) <= 3)
        }
    }

    /// What could not be removed is removed when the store is opened again, even if the program was killed.
    @Test func leftoversAreRemovedWhenTheStoreIsOpened() throws {
        let store = try TestStore(Self.model())
        let writer = try store.open()
        try writer.performAndWait {
            _ = writer.make("Photo", ["data": Self.value(0)])
            try writer.save()
        }
        // Another program reads an old state, and ends without a chance to remove anything.
        let reader = try store.database()
        try reader.run("BEGIN")
        _ = try reader.rows("SELECT count(*) FROM ZPHOTO")
        for number in 1...5 { try replace(writer, number) }
        #expect(try files(store) == 6)
        try reader.run("ROLLBACK")
        let again = try store.open()
        #expect(try files(store) == 1)
        #expect(
            try again.performAndWait { try again.all("Photo").first?.value(forKey: "data") as? Data } == Self.value(5))
        #expect(try store.database().rows("SELECT name FROM sqlite_master WHERE name LIKE 'MODELC%'").isEmpty)
    }

    /// Rows in memory that refer to a removed file have its content.
    @Test func objectsKeepTheValuesOfRemovedFiles() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        let undo = UndoManager()
        try context.performAndWait {
            let photo = context.make("Photo", ["data": Self.value(1)])
            try context.save()
            context.undoManager = undo
            undo.groupsByEvent = false
            undo.beginUndoGrouping()
            photo.setValue(Self.value(2), forKey: "data")
            context.processPendingChanges()
            undo.endUndoGrouping()
            try context.save()
            #expect(try files(store) == 1)
            undo.undo()
            context.undoManager = nil
            #expect(photo.value(forKey: "data") as? Data == Self.value(1))
            try context.save()
            #expect(try files(store) == 1)
            context.reset()
            #expect(try context.all("Photo").first?.value(forKey: "data") as? Data == Self.value(1))
            context.delete(try #require(try context.all("Photo").first))
            try context.save()
            #expect(try files(store) == 0)
        }
        try TestStore.close(context)
    }

    /// A fetch opens no file; a value is read when it is used.
    @Test func filesAreReadWhenTheirValuesAreUsed() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        try context.performAndWait {
            for number in 0..<3 { _ = context.make("Photo", ["number": number, "data": Self.value(number)]) }
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
            request.returnsObjectsAsFaults = false
            let photos = try context.fetch(request)
            let mappings = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
            #expect(!mappings.contains(store.folder.lastPathComponent + "/.Store_SUPPORT"))
            #expect(photos.allSatisfy { ($0.value(forKey: "data") as? Data)?.count == 150_000 })
        }
    }

    @Test func valuesThatSQLiteCannotHoldAreErrors() throws {
        let store = try TestStore(Self.model())
        let connection = try SQLiteConnection(path: store.folder.appendingPathComponent("Small.sqlite").path)
        try connection.execute("CREATE TABLE t(v)")
        connection.limitValues(to: 1000)
        for bind: (SQLiteStatement) -> Void in [
            { $0.bind([UInt8](repeating: 1, count: 2000), at: 1) },
            { $0.bind(String(repeating: "x", count: 2000), at: 1) },
        ] {
            let statement = try SQLiteStatement(connection, "INSERT INTO t VALUES(?)")
            bind(statement)
            #expect(throws: SQLiteError.self) { try statement.run() }
            // The statement can be used again.
            statement.bind("short", at: 1)
            try statement.run()
        }
        #expect(try connection.integer("SELECT count(*) FROM t WHERE v = 'short'") == 2)
        #expect(try connection.integer("SELECT count(*) FROM t") == 2)
    }
}

extension SQLiteConnection {
    /// Sets the largest size of a value, as a stand-in for SQLite's own limit.
    fileprivate func limitValues(to size: Int32) { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, size) }
}
