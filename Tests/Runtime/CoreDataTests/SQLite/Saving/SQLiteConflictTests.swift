import CoreData
import Testing

/// Two users of one file, and values that must be unique.
@Suite struct SQLiteConflictTests {
    // MARK: Two coordinators

    /// Returns contexts of two coordinators. The other behaves like another program: the first is not notified of its
    /// saves.
    private func two() throws -> (TestStore, NSManagedObjectContext, NSManagedObjectContext) {
        let store = try TestStore()
        let context = try store.open()
        try context.performAndWait {
            _ = context.make("Author", ["name": "first", "age": 1])
            try context.save()
        }
        return (store, context, try store.open())
    }

    private func author(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.all("Author").first)
    }

    private func change(_ context: NSManagedObjectContext, _ values: [String: Any]) throws {
        try context.performAndWait {
            let author = try author(context)
            for (key, value) in values { author.setValue(value, forKey: key) }
            try context.save()
        }
    }

    @Test func theErrorPolicyThrowsTheConflicts() throws {
        let (store, one, two) = try two()
        try one.performAndWait {
            let author = try author(one)
            author.setValue("mine", forKey: "name")
            try change(two, ["name": "theirs"])
            let error = nsError { try one.save() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectMergeError)
            let conflict = try #require((error?.userInfo["conflictList"] as? [NSMergeConflict])?.first)
            #expect(
                conflict.sourceObject === author && conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
            // Another coordinator has written the row: the cache is in conflict with the store.
            #expect(conflict.objectSnapshot?["name"] as? String == "first")
            #expect(conflict.cachedSnapshot?["name"] as? String == "first")
            #expect(conflict.persistedSnapshot?["name"] as? String == "theirs")
            #expect(conflict.persistedSnapshot?["age"] as? Int == 1 && conflict.persistedSnapshot?["books"] == nil)
            #expect(author.value(forKey: "name") as? String == "mine")
        }
        #expect(try store.database().rows("SELECT ZNAME, Z_OPT FROM ZAUTHOR") == [["theirs", "2"]])
    }

    /// With another context of the same coordinator, the conflict is with the cache.
    @Test func conflictsBetweenContextsHaveNoPersistedSnapshot() throws {
        let (store, one, _) = try two()
        let second = try Library.context(one.persistentStoreCoordinator)
        try one.performAndWait {
            let author = try author(one)
            author.setValue("mine", forKey: "name")
            try change(second, ["name": "theirs"])
            let error = nsError { try one.save() }
            let conflict = try #require((error?.userInfo["conflictList"] as? [NSMergeConflict])?.first)
            #expect(conflict.sourceObject === author && conflict.persistedSnapshot == nil)
            #expect(conflict.objectSnapshot?["name"] as? String == "first")
            #expect(conflict.cachedSnapshot?["name"] as? String == "theirs")
            #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
        }
        withExtendedLifetime(store) {}
    }

    /// The new version is 0 and there is no snapshot of the new state (documentation of `newVersionNumber`).
    @Test(arguments: [true, false]) func policiesResolveDeletions(isExternal: Bool) throws {
        let (store, one, two) = try two()
        let other = isExternal ? two : try Library.context(one.persistentStoreCoordinator)
        try one.performAndWait {
            let author = try author(one)
            author.setValue("mine", forKey: "name")
            try other.performAndWait {
                other.delete(try self.author(other))
                try other.save()
            }
            let error = nsError { try one.save() }
            let conflict = try #require((error?.userInfo["conflictList"] as? [NSMergeConflict])?.first)
            #expect(
                conflict.sourceObject === author && conflict.newVersionNumber == 0 && conflict.oldVersionNumber == 1)
            #expect(conflict.persistedSnapshot == nil)
            #expect((conflict.cachedSnapshot?["name"] as? String) == (isExternal ? "first" : nil))
        }
        withExtendedLifetime(store) {}
    }

    /// `detectConflicts(for:)` of an object that this context does not change.
    @Test func detectConflictsCoversOtherCoordinators() throws {
        let (store, one, two) = try two()
        try one.performAndWait {
            let author = try author(one)
            one.detectConflicts(for: author)
            _ = one.make("Tag", ["name": "x"])
            try change(two, ["name": "theirs"])
            let error = nsError { try one.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            let conflict = try #require((error?.userInfo["conflictList"] as? [NSMergeConflict])?.first)
            #expect(conflict.sourceObject === author && conflict.persistedSnapshot?["name"] as? String == "theirs")
            #expect(conflict.cachedSnapshot?["name"] as? String == "first")
        }
        withExtendedLifetime(store) {}
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyObjectTrump, "mine", "2"), (.mergeByPropertyStoreTrump, "theirs", "2"),
        (.overwrite, "mine", "1"), (.rollback, "theirs", "2"),
    ])
    func policiesResolveConflicts(policy: NSMergePolicy, name: String, age: String) throws {
        let (store, one, two) = try two()
        try one.performAndWait {
            one.mergePolicy = policy
            try author(one).setValue("mine", forKey: "name")
            try change(two, ["name": "theirs", "age": 2])
            try one.save()
        }
        #expect(try store.database().rows("SELECT ZNAME, ZAGE FROM ZAUTHOR") == [[name, age]])
    }

    @Test func fetchesSeeSavesOfOthers() throws {
        let (store, one, two) = try two()
        // The folder is deleted with it.
        defer { withExtendedLifetime(store) {} }
        try one.performAndWait {
            _ = try author(one)
            try change(two, ["name": "theirs"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = NSPredicate(format: "name == 'theirs'")
            let found = try one.fetch(request)
            #expect(found.count == 1)
            one.refreshAllObjects()
            #expect(found.first?.value(forKey: "name") as? String == "theirs")
            try two.performAndWait {
                two.delete(try author(two))
                try two.save()
            }
            let left = try one.all("Author")
            #expect(left.isEmpty)
        }
    }

    // MARK: Unique values

    private static func model() -> NSManagedObjectModel {
        let model = Library.model()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["name"]]
        return model
    }

    private func names(_ store: TestStore) throws -> [[String?]] {
        try store.database().rows("SELECT ZNAME, Z_PK FROM ZTAG ORDER BY Z_PK")
    }

    @Test func uniquenessViolationsAreErrors() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        try context.performAndWait {
            let old = context.make("Tag", ["name": "a"])
            try context.save()
            let new = context.make("Tag", ["name": "a"])
            _ = context.make("Tag", ["name": "b"])
            let error = nsError { try context.save() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectConstraintMergeError)
            let conflict = try #require((error?.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
            #expect(conflict.constraint == ["name"] && conflict.constraintValues["name"] as? String == "a")
            #expect(conflict.databaseObject === old && conflict.conflictingObjects == [new])
            let rows = try names(store)
            #expect(rows == [["a", "1"]])
            new.setValue(nil, forKey: "name")
            _ = context.make("Tag", ["name": nil])
            // Missing values do not conflict.
            try context.save()
            let count = try context.all("Tag").count
            #expect(count == 4)
        }
    }

    /// A new object with the unique values of a stored one becomes a change of that object, or is discarded.
    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyObjectTrump, ["new"]), (.overwrite, ["new"]),
        (.mergeByPropertyStoreTrump, ["old"]), (.rollback, ["old"]),
    ])
    func policiesResolveUniquenessViolations(policy: NSMergePolicy, titles: [String]) throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        try context.performAndWait {
            context.mergePolicy = policy
            let old = context.make("Tag", ["name": "a"])
            old.mutableSetValue(forKey: "books").add(context.make("Book", ["title": "old"]))
            try context.save()
            let new = context.make("Tag", ["name": "a"])
            new.mutableSetValue(forKey: "books").add(context.make("Book", ["title": "new"]))
            try context.save()
            #expect(!context.hasChanges && new.managedObjectContext == nil)
            let rows = try names(store)
            #expect(rows == [["a", "1"]])
        }
        let again = try store.open()
        try again.performAndWait {
            let tag = try #require(try again.all("Tag").first)
            #expect(Set(titles).isSubset(of: tag.names("books")))
        }
    }

    @Test func uniqueValuesCanBeExchanged() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        try context.performAndWait {
            let (one, two) = (context.make("Tag", ["name": "a"]), context.make("Tag", ["name": "b"]))
            try context.save()
            one.setValue("b", forKey: "name")
            two.setValue("a", forKey: "name")
            try context.save()
            context.delete(one)
            _ = context.make("Tag", ["name": "b"])
            try context.save()
            let rows = try names(store).map { $0[0] }
            #expect(rows == ["a", "b"])
        }
    }

    @Test func severalNewDuplicatesAreOneConflict() throws {
        let store = try TestStore(Self.model())
        let context = try store.open()
        try context.performAndWait {
            for _ in 0..<3 { _ = context.make("Tag", ["name": "a"]) }
            let error = nsError { try context.save() }
            #expect(error?.code == NSManagedObjectConstraintMergeError)
            let conflict = try #require((error?.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
            #expect(conflict.databaseObject == nil && conflict.conflictingObjects.count == 3)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            let count = try context.all("Tag").count
            #expect(count == 1)
        }
    }
}
