import CoreData
import Testing

/// Large values in files next to the store (Documentation/Formats/SQLiteStore.md, 6).
@Suite struct ExternalDataTests {
    private static func model() -> NSManagedObjectModel {
        let model = Library.model()
        model.entitiesByName["Book"]?.attributesByName["data"]?.allowsExternalBinaryDataStorage = true
        return model
    }

    private func externalFiles(_ store: TestStore) throws -> [String] {
        try store.files().filter { $0.hasPrefix(".Store_SUPPORT/_EXTERNAL_DATA/") }
    }

    @Test func largeValuesAreStoredInFiles() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try context.performAndWait {
            let book = context.make("Book", ["data": large])
            _ = context.make("Book", ["data": Data([1, 2, 3])])
            _ = context.make("Book", ["data": Data()])
            try context.save()
            let files = try externalFiles(store)
            #expect(files.count == 1)
            let name = try #require(files.first?.split(separator: "/").last)
            let rows = try store.database().rows("SELECT hex(ZDATA) FROM ZBOOK ORDER BY Z_PK").map { $0[0] ?? "" }
            let reference = "02" + name.utf8.map { String($0, radix: 16, uppercase: true) }.joined() + "00"
            #expect(rows.sorted() == ["01", "01010203", reference].sorted())

            let again = try store.open()
            try again.performAndWait {
                let values = try again.all("Book").compactMap { $0.value(forKey: "data") as? Data }
                #expect(Set(values) == [large, Data([1, 2, 3]), Data()])
            }
            // A new value is stored in a new file, and the old file is removed.
            book.setValue(large + large, forKey: "data")
            try context.save()
            let changed = try externalFiles(store)
            #expect(changed.count == 1 && changed != files)
            book.setValue("x", forKey: "title")
            try context.save()
            let kept = try externalFiles(store)
            #expect(kept == changed)
            context.delete(book)
            try context.save()
            let left = try externalFiles(store)
            #expect(left.isEmpty)
        }
    }

    /// A save that fails leaves no files.
    @Test func failedSavesLeaveNoFiles() throws {
        let model = Self.model()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["name"]]
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Tag", ["name": "a"])
            _ = context.make("Tag", ["name": "a"])
            _ = context.make("Book", ["data": Data(count: 150_000)])
            let error = nsError { try context.save() }
            #expect(error?.code == NSManagedObjectConstraintMergeError)
            let files = try externalFiles(store)
            #expect(files.isEmpty)
        }
    }

    @Test func externalFilesAreCopiedAndRemovedWithTheStore() throws {
        let (store, other) = (try TestStore(Self.model()), try TestStore(Self.model()))
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Book", ["data": Data(repeating: 7, count: 150_000)])
            try context.save()
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        try coordinator.replacePersistentStore(
            at: other.url, withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
        try TestStore.close(context)
        try coordinator.destroyPersistentStore(at: store.url, ofType: NSSQLiteStoreType)
        #expect(try store.files() == ["Store.sqlite"])
        let copy = try other.open()
        try copy.performAndWait {
            let data = try copy.all("Book").first?.value(forKey: "data") as? Data
            #expect(data == Data(repeating: 7, count: 150_000))
        }
    }
}
