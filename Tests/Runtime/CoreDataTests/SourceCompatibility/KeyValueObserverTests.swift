import CoreData
import Testing

/// Observers by key path, and changes that are announced by Swift key paths, as Apple's Key-Value Observing Programming
/// Guide has them.
@Suite struct KeyValueObserverTests {
    /// An observer that records its notifications.
    private final class Observer: NSObject, KeyValueObserver {
        var seen: [String] = []

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            let values = [NSKeyValueChangeKey.kindKey, .oldKey, .newKey].map { key in
                change?[key].map { $0 is NSNull ? "null" : "\($0)" } ?? "-"
            }
            seen.append("\(keyPath ?? "") " + values.joined(separator: " "))
        }
    }

    @Test func observersAreNotifiedUntilTheyAreRemoved() throws {
        let context = try Library.context()
        let (author, book) = (context.make("Author", ["name": "a"]), context.make("Book"))
        let observer = Observer()
        book.addObserver(observer, forKeyPath: "title", options: [.old, .new], context: nil)
        book.addObserver(observer, forKeyPath: "author.name", options: .new, context: nil)
        book.setValue("Emma", forKey: "title")
        book.setValue(author, forKey: "author")
        author.setValue(nil, forKey: "name")
        #expect(observer.seen == ["title 1 Untitled Emma", "author.name 1 - a", "author.name 1 - null"])
        book.removeObserver(observer, forKeyPath: "title")
        book.removeObserver(observer, forKeyPath: "author.name", context: nil)
        book.setValue("again", forKey: "title")
        author.setValue("b", forKey: "name")
        #expect(observer.seen.count == 3)
    }

    @Test func objectsAndContextsAreObservers() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Note.model())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = MockContext(coordinator: coordinator)
        let (one, other) = (Note(context: context), Note(context: context))
        one.addObserver(other, forKeyPath: "text", options: .new, context: nil)
        one.addObserver(context, forKeyPath: "text", context: nil)
        one.setValue("observed", forKey: "text")
        #expect(Note.counts["observeValue text observed"] == 1 && context.counts["observeValue"] == 1)
    }

    @Test func removingAnObserverThatWasNotAddedTraps() async {
        await #expect(processExitsWith: .failure) {
            try Library.context().make("Book").removeObserver(Observer(), forKeyPath: "title")
        }
    }

    @Test func observersWithoutACallbackTrap() async {
        await #expect(processExitsWith: .failure) {
            try Library.context().make("Book").addObserver(NSObject(), forKeyPath: "title", context: nil)
        }
    }

    @Test func changesAreAnnouncedByKeyPath() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Memo.model())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = try Library.context(coordinator)
        let memo = Memo(context: context)
        try context.save()
        memo.text = "changed"
        #expect(memo.hasChanges && memo.changedValues()["text"] as? String == "changed")
    }

    @Test func keyPathsOfRelationshipsAreMutable() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "a"])
        let books = ["1", "2"].map { context.make("Book", ["title": $0, "author": author]) }
        let shelf = context.make("Shelf")
        books[0].setValue(shelf, forKey: "shelf")
        let members = books[0].mutableSetValue(forKeyPath: "author.books")
        #expect(members.count == 2)
        members.remove(books[1])
        #expect(books[1].value(forKey: "author") == nil)
        let volumes = books[0].mutableOrderedSetValue(forKeyPath: "shelf.volumes")
        volumes.add(books[1])
        #expect(shelf.names("volumes") == ["1", "2"])
        #expect(author.mutableSetValue(forKeyPath: "books").count == 1)
    }

    @Test func settingThroughAToManyRelationshipSetsEachObject() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "a"])
        let books = ["1", "2"].map { context.make("Book", ["title": $0, "author": author]) }
        author.setValue(7, forKeyPath: "books.pages")
        #expect(books.map { $0.value(forKey: "pages") as? Int } == [7, 7])
        books[0].setValue("b", forKeyPath: "author.name")
        #expect(author.value(forKeyPath: "name") as? String == "b")
    }
}

/// A class with an accessor for primitive values that announces changes by key path.
private final class Memo: NSManagedObject {
    var text: String? {
        get {
            willAccessValue(forKey: "text")
            defer { didAccessValue(forKey: "text") }
            return primitiveValue(forKey: "text") as? String
        }
        set {
            willChangeValue(for: \.text)
            setPrimitiveValue(newValue, forKey: "text")
            didChangeValue(for: \.text)
        }
    }

    static func model() -> NSManagedObjectModel {
        let model = Note.model()
        model.entities[0].managedObjectClassName = "CoreDataTests.Memo"
        model.entities[0].name = "Memo"
        return model
    }
}
