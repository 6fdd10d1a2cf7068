import Testing

@testable import CoreData

/// What an object that was made a fault again still holds.
@Suite struct FaultMemoryTests {
    /// Programs that go through many objects refresh them to be rid of their values: the row must not stay behind.
    @Test func refreshedFaultsKeepNoRow() throws {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            let author = context.make("Author", ["name": "one", "age": 1])
            try context.save()
            context.refresh(author, mergeChanges: false)
            #expect(author.isFault && author.state.pointee.snapshot == nil)
            // What was saved is known again when it is wanted, also by a save that compares versions.
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
