import CoreData
import Testing

/// Two contexts save the same object.
@Suite(.overAllStores) struct ConflictTests {
    private struct Case {
        var first: NSManagedObjectContext
        var second: NSManagedObjectContext
        var one: NSManagedObject
        var other: NSManagedObject
    }

    /// Returns contexts in conflict: the first has saved the name “first” and age 1; the second has an unsaved change
    /// of the name to “second”.
    private func conflict(_ policy: Any) throws -> Case {
        let coordinator = try Library.coordinator()
        let (first, second) = (try Library.context(coordinator), try Library.context(coordinator))
        second.mergePolicy = policy
        let one = first.make("Author", ["name": "old", "age": 0])
        try first.save()
        let other = second.object(with: one.objectID)
        other.setValue("second", forKey: "name")
        one.setValue("first", forKey: "name")
        one.setValue(1, forKey: "age")
        try first.save()
        return Case(first: first, second: second, one: one, other: other)
    }

    private func result(_ policy: Any) throws -> [String] {
        let conflict = try conflict(policy)
        try conflict.second.save()
        #expect(!conflict.second.hasChanges)
        let context = try Library.context(conflict.first.persistentStoreCoordinator)
        let saved = context.object(with: conflict.one.objectID)
        return [saved, conflict.other].map { object in
            "\(object.value(forKey: "name") ?? "nil") \(object.value(forKey: "age") ?? "nil")"
        }
    }

    @Test func theErrorPolicyThrowsTheConflicts() throws {
        let conflict = try conflict(NSErrorMergePolicy)
        #expect {
            try conflict.second.save()
        } throws: { error in
            let error = error as NSError
            let list = error.userInfo["conflictList"] as? [NSMergeConflict]
            return error.code == NSManagedObjectMergeError && list?.first?.sourceObject === conflict.other
                && list?.first?.objectSnapshot?["name"] as? String == "old"
                && list?.first?.cachedSnapshot?["name"] as? String == "first"
                && list?.first?.oldVersionNumber == 1 && list?.first?.newVersionNumber == 2
        }
        #expect(conflict.other.value(forKey: "name") as? String == "second" && conflict.second.hasChanges)
    }

    @Test func objectTrumpKeepsChangedProperties() throws {
        #expect(try result(NSMergeByPropertyObjectTrumpMergePolicy) == ["second 1", "second 1"])
    }

    @Test func storeTrumpTakesStoredProperties() throws {
        #expect(try result(NSMergeByPropertyStoreTrumpMergePolicy) == ["first 1", "first 1"])
    }

    @Test func overwriteKeepsTheWholeObject() throws {
        #expect(try result(NSOverwriteMergePolicy) == ["second 0", "second 0"])
    }

    @Test func rollbackTakesTheStoredObject() throws {
        #expect(try result(NSRollbackMergePolicy) == ["first 1", "first 1"])
    }

    @Test func customPoliciesResolveConflicts() throws {
        final class Joining: NSMergePolicy, @unchecked Sendable {
            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
                for conflict in list {
                    let theirs = conflict.cachedSnapshot?["name"] as? String ?? ""
                    let ours = conflict.sourceObject.value(forKey: "name") as? String ?? ""
                    conflict.sourceObject.setValue(theirs + "+" + ours, forKey: "name")
                }
                try super.resolve(optimisticLockingConflicts: list)
            }
        }
        let policy = Joining(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        #expect(try result(policy) == ["first+second 1", "first+second 1"])
    }

    @Test func policiesResolveDeletionsElsewhere() throws {
        let conflict = try conflict(NSMergeByPropertyStoreTrumpMergePolicy)
        conflict.first.delete(conflict.one)
        try conflict.first.save()
        try conflict.second.save()
        #expect(try conflict.second.all("Author").isEmpty)
        let again = try self.conflict(NSErrorMergePolicy)
        again.first.delete(again.one)
        try again.first.save()
        #expect(throws: CocoaError.self) { try again.second.save() }
    }

    /// An object cannot be related to one that another context has deleted.
    @Test func relatingToAnObjectDeletedElsewhereFails() throws {
        for policy in [NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy] {
            let coordinator = try Library.coordinator()
            let (first, second) = (try Library.context(coordinator), try Library.context(coordinator))
            second.mergePolicy = policy
            let author = first.make("Author", ["name": "a"])
            try first.save()
            let book = second.make("Book", ["author": second.object(with: author.objectID)])
            first.delete(author)
            try first.save()
            if (policy as? NSMergePolicy)?.mergeType == .errorMergePolicyType {
                #expect(throws: CocoaError.self) { try second.save() }
                #expect(book.isInserted)
            } else {
                try second.save()
                #expect(book.value(forKey: "author") == nil)
                #expect(try second.all("Author").isEmpty && second.all("Book") == [book])
            }
        }
    }

    /// The store's value wins on both sides of the relationship.
    @Test func storeTrumpKeepsInversesConsistent() throws {
        let coordinator = try Library.coordinator()
        let (first, second) = (try Library.context(coordinator), try Library.context(coordinator))
        second.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
        let authors = "ab".map { first.make("Author", ["name": "\($0)"]) }
        let book = first.make("Book", ["title": "t"])
        try first.save()
        let others = authors.map { second.object(with: $0.objectID) }
        let same = second.object(with: book.objectID)
        same.setValue(others[1], forKey: "author")
        #expect(others.map { $0.names("books") } == [[], ["t"]])
        book.setValue(authors[0], forKey: "author")
        try first.save()
        try second.save()
        #expect(same.value(forKey: "author") as? NSManagedObject === others[0])
        #expect(others.map { $0.names("books") } == [["t"], []])
    }

    /// The second context deletes what the first has changed.
    @Test func policiesResolveDeletionsOfObjectsChangedElsewhere() throws {
        let expected: [NSMergePolicyType: [String]] = [
            .mergeByPropertyStoreTrumpMergePolicyType: ["first"], .rollbackMergePolicyType: ["first"],
            .mergeByPropertyObjectTrumpMergePolicyType: [], .overwriteMergePolicyType: [],
        ]
        for (type, names) in expected {
            let conflict = try conflict(NSMergePolicy(merge: type))
            conflict.second.refresh(conflict.other, mergeChanges: false)
            // Fetched before the first context saves again.
            let book = conflict.second.make("Book", ["title": "t", "author": conflict.other])
            try conflict.second.save()
            conflict.one.setValue("first", forKey: "name")
            conflict.one.setValue(5, forKey: "age")
            try conflict.first.save()
            conflict.second.delete(conflict.other)
            try conflict.second.save()
            #expect(!conflict.second.hasChanges)
            let fresh = try Library.context(conflict.first.persistentStoreCoordinator)
            #expect(try fresh.all("Author").map { $0.value(forKey: "name") as? String } == names)
            #expect(try conflict.second.all("Author").map { $0.value(forKey: "name") as? String } == names)
            let author = book.value(forKey: "author") as? NSManagedObject
            #expect(author.map { $0.names("books") == ["t"] } ?? true)
        }
    }

    @Test func unchangedObjectsDoNotConflict() throws {
        let conflict = try conflict(NSErrorMergePolicy)
        conflict.second.rollback()
        _ = conflict.second.make("Author")
        try conflict.second.save()
        #expect(try conflict.second.all("Author").count == 2)
    }

    /// A notice of a deletion that comes after a merge policy has restored the object does not delete it.
    @Test func restoredObjectsOutliveALateNoticeOfTheirDeletion() throws {
        let coordinator = try Library.coordinator()
        let (first, second) = (try Library.context(coordinator), try Library.context(coordinator))
        second.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        let author = first.make("Author", ["name": "old"])
        try first.save()
        let restored = second.object(with: author.objectID)
        restored.setValue("new", forKey: "name")
        let book = second.make("Book", ["title": "b", "author": restored])
        first.delete(author)
        let note = try #require(try first.notes { try first.save() }.first)
        try second.save()
        second.mergeChanges(fromContextDidSave: note)
        #expect(!restored.isDeleted)
        book.setValue("c", forKey: "title")
        try second.save()
        let fresh = try Library.context(coordinator)
        let authors = try fresh.all("Book").map { $0.value(forKey: "author") as? NSManagedObject }
        #expect(authors.map { $0?.value(forKey: "name") as? String } == ["new"])
        // Another deletion is merged.
        let third = try Library.context(coordinator)
        third.delete(third.object(with: restored.objectID))
        second.mergeChanges(fromContextDidSave: try #require(try third.notes { try third.save() }.first))
        #expect(restored.isDeleted)
    }

    /// Code that a merge policy's deletion calls may insert objects, which are saved too.
    @Test func objectsInsertedDuringResolutionAreSaved() throws {
        let model = Library.model()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["name"]]
        let store = try TestStore(model)
        let context = try store.open()
        try context.performAndWait {
            context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            _ = context.make("Tag", ["name": "a"])
            try context.save()
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { [unowned context] note in
                guard (note.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.isEmpty == false else { return }
                _ = context.make("Author", ["name": "log"])
            }
            defer { NotificationCenter.default.removeObserver(token) }
            let new = context.make("Tag", ["name": "a"])
            try context.save()
            #expect(!context.hasChanges && !new.objectID.isTemporaryID)
            let authors = try context.all("Author")
            #expect(authors.count == 1 && authors.allSatisfy { !$0.objectID.isTemporaryID })
        }
    }
}
