import Testing

@testable import CoreData

/// Stores whose file was opened as immutable, because no log could be created beside it.
@Suite struct ImmutableStoreTests {
    @Test func changesByOthersAreRead() throws {
        let store = try TestStore()
        func write(_ name: String, _ context: NSManagedObjectContext) throws {
            try context.performAndWait {
                _ = context.make("Tag", ["name": name])
                try context.save()
            }
        }
        let first = try store.open()
        try write("a", first)
        try TestStore.close(first)
        let reader = try store.open([NSReadOnlyPersistentStoreOption: true, SQLiteOptions.noTraceOption: true])
        func names() throws -> [String?] {
            try reader.performAndWait { try reader.all("Tag", by: "name").map { $0.value(forKey: "name") as? String } }
        }
        #expect(try names() == ["a"])
        // In the log.
        let writer = try store.open()
        try write("b", writer)
        #expect(try names() == ["a", "b"])
        try TestStore.close(writer)
        #expect(try names() == ["a", "b"])
    }

    /// The log may come and go between two reads.
    @Test func changesInTheFileAreRead() throws {
        let store = try TestStore()
        let first = try store.open()
        try first.performAndWait {
            _ = first.make("Tag", ["name": "a"])
            try first.save()
        }
        try TestStore.close(first)
        let reader = try store.open([NSReadOnlyPersistentStoreOption: true, SQLiteOptions.noTraceOption: true])
        let tag = try reader.performAndWait { try #require(try reader.all("Tag").first) }
        #expect(tag.value(forKey: "name") as? String == "a")
        let writer = try store.open()
        try writer.performAndWait {
            try #require(try writer.all("Tag").first).setValue("b", forKey: "name")
            try writer.save()
        }
        try TestStore.close(writer)
        try reader.performAndWait { () throws in
            reader.reset()
            #expect(try reader.all("Tag").map { $0.value(forKey: "name") as? String } == ["b"])
        }
    }
}
