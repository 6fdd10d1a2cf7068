import Testing

@testable import CoreData

/// Memory retained by an object that was turned into a fault again.
@Suite struct FaultMemoryTests {
    /// Programs that process many objects refresh them to release their values: the row must be released, too.
    @Test func refreshedFaultsKeepNoRow() throws {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            let author = context.make("Author", ["name": "one", "age": 1])
            try context.save()
            context.refresh(author, mergeChanges: false)
            #expect(author.isFault && author.state.pointee.snapshot == nil)
            // Saved values are read again when needed, including by a save that compares versions.
            #expect(author.committedValues(forKeys: ["name"])["name"] as? String == "one")
            context.refresh(author, mergeChanges: false)
            author.setValue(2, forKey: "age")
            try context.save()
            context.refresh(author, mergeChanges: false)
            context.delete(author)
            try context.save()
        }
        #expect(try store.database().rows("SELECT count(*) FROM ZAUTHOR") == [["0"]])
    }
}
