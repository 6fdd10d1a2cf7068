import CoreData
import Testing

/// Undo and redo of changes.
@Suite(.overAllStores) struct UndoTests {
    private func context() throws -> (NSManagedObjectContext, UndoManager) {
        let context = try Library.context()
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        return (context, manager)
    }

    private func group(_ context: NSManagedObjectContext, _ body: () -> Void) {
        context.undoManager?.beginUndoGrouping()
        body()
        context.processPendingChanges()
        context.undoManager?.endUndoGrouping()
    }

    @Test func attributeChangesAreUndoneAndRedone() throws {
        let (context, manager) = try context()
        var author: NSManagedObject?
        group(context) { author = context.make("Author", ["name": "a"]) }
        let object = try #require(author)
        group(context) { object.setValue("b", forKey: "name") }
        group(context) { object.setValue("c", forKey: "name") }
        context.undo()
        #expect(object.value(forKey: "name") as? String == "b")
        context.undo()
        #expect(object.value(forKey: "name") as? String == "a" && manager.canRedo)
        context.redo()
        context.redo()
        #expect(object.value(forKey: "name") as? String == "c" && !manager.canRedo)
    }

    /// Even before the group of the change ends.
    @Test func aNewChangeEndsRedo() throws {
        let (context, manager) = try context()
        manager.groupsByEvent = true
        let object = context.make("Author", ["name": "a"])
        try context.save()
        manager.removeAllActions()
        object.setValue("b", forKey: "name")
        context.undo()
        #expect(manager.canRedo)
        object.setValue("c", forKey: "name")
        #expect(!manager.canRedo && manager.redoCount == 0)
        context.redo()
        #expect(object.value(forKey: "name") as? String == "c" && manager.canUndo)
        context.undo()
        #expect(object.value(forKey: "name") as? String == "a" && manager.canRedo)
        context.redo()
        #expect(object.value(forKey: "name") as? String == "c" && !manager.canRedo && manager.canUndo)
    }

    @Test func insertionsAndDeletionsAreUndone() throws {
        let (context, manager) = try context()
        manager.groupsByEvent = true
        var author: NSManagedObject?
        group(context) { author = context.make("Author", ["name": "a"]) }
        let object = try #require(author)
        context.undo()
        #expect(try context.all("Author").isEmpty && !context.hasChanges)
        context.redo()
        #expect(try context.all("Author") == [object] && object.isInserted)
        #expect(object.value(forKey: "name") as? String == "a")
        try context.save()
        group(context) { context.delete(object) }
        #expect(object.isDeleted)
        context.undo()
        #expect(!object.isDeleted && object.value(forKey: "name") as? String == "a")
        #expect(try context.all("Author") == [object])
        context.redo()
        #expect(object.isDeleted)
        #expect(manager.canUndo)
    }

    @Test func relationshipsAreRestoredOnBothSides() throws {
        let (context, manager) = try context()
        context.undoManager = nil
        let (a, b) = (context.make("Author", ["name": "a"]), context.make("Author", ["name": "b"]))
        let book = context.make("Book", ["title": "t", "author": a])
        try context.save()
        context.undoManager = manager
        group(context) { book.setValue(b, forKey: "author") }
        context.undo()
        #expect(a.names("books") == ["t"] && b.names("books").isEmpty)
        #expect(book.value(forKey: "author") as? NSManagedObject === a)
        #expect(!context.hasChanges)
        context.redo()
        #expect(a.names("books").isEmpty && b.names("books") == ["t"])
        group(context) { context.delete(b) }
        #expect(book.value(forKey: "author") == nil)
        context.undo()
        #expect(book.value(forKey: "author") as? NSManagedObject === b && b.names("books") == ["t"])
    }

    @Test func savedChangesCanBeUndone() throws {
        let (context, _) = try context()
        var author: NSManagedObject?
        group(context) { author = context.make("Author", ["name": "a"]) }
        try context.save()
        context.undo()
        #expect(author?.isDeleted == true)
        try context.save()
        #expect(try context.all("Author").isEmpty)
    }

    @Test func savedRelationshipsCanBeUndone() throws {
        let (context, manager) = try context()
        context.undoManager = nil
        let tag = context.make("Tag", ["name": "x"])
        let book = context.make("Book", ["title": "t"])
        try context.save()
        context.refreshAllObjects()
        context.undoManager = manager
        group(context) {
            book.setValue("u", forKey: "title")
            tag.mutableSetValue(forKey: "books").add(book)
        }
        try context.save()
        context.undo()
        #expect(book.names("tags").isEmpty && tag.names("books").isEmpty && context.hasChanges)
        try context.save()
        let fresh = try Library.context(context.persistentStoreCoordinator)
        #expect(try fresh.all("Book").map { $0.names("tags") } == [[]])
        #expect(try fresh.all("Tag").map { $0.names("books") } == [[]])
        #expect(try fresh.all("Book").map { $0.value(forKey: "title") as? String } == ["t"])
    }

    @Test func valuesOfTheCurrentEventFollowUndo() throws {
        let (context, _) = try context()
        var objects: [NSManagedObject] = []
        group(context) {
            objects = [context.make("Author"), context.make("Book", ["title": "a"]), context.make("Book")]
        }
        group(context) { objects[1].setValue(objects[0], forKey: "author") }
        group(context) {
            objects[2].setValue(objects[0], forKey: "author")
            let old = objects[0].changedValuesForCurrentEvent()
            #expect(old["books"] as? NSSet == NSSet(object: objects[1]) && old.count == 1)
            #expect(objects[2].changedValuesForCurrentEvent()["author"] is NSNull)
        }
    }

    @Test func valuesOfAnEventAreKnownWhileItsNotificationIsPosted() throws {
        let context = try Library.context()
        let authors = (0..<20).map { context.make("Author", ["name": "\($0)"]) }
        try context.save()
        let seen = Recorder<[String: Any]>()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { note in
            for object in note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? [] {
                seen.values.append(object.changedValuesForCurrentEvent())
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        for author in authors { author.setValue("new", forKey: "name") }
        context.processPendingChanges()
        #expect(Set(seen.values.compactMap { $0["name"] as? String }) == Set((0..<20).map { "\($0)" }))
        #expect(authors[0].changedValuesForCurrentEvent().isEmpty)
    }

    @Test func registrationCanBeDisabled() throws {
        let (context, manager) = try context()
        manager.disableUndoRegistration()
        _ = context.make("Author")
        context.processPendingChanges()
        manager.enableUndoRegistration()
        #expect(!manager.canUndo)
    }

    @Test func levelsLimitTheStackAndEventsGroupChanges() throws {
        let manager = UndoManager()
        manager.levelsOfUndo = 2
        let target = NSMutableString(string: "")
        for text in ["1", "2", "3"] {
            manager.beginUndoGrouping()
            manager.registerUndo(withTarget: target) { $0.append(text) }
            manager.endUndoGrouping()
        }
        // With `groupsByEvent`, the groups of an event are combined.
        manager.undo()
        #expect(target as String == "321" && !manager.canUndo)
        let other = UndoManager()
        other.groupsByEvent = false
        other.levelsOfUndo = 2
        for text in ["1", "2", "3"] {
            other.beginUndoGrouping()
            other.registerUndo(withTarget: target) { $0.setString(text) }
            other.setActionName(text)
            other.endUndoGrouping()
        }
        #expect(other.undoActionName == "3" && other.undoMenuItemTitle == "Undo 3")
        other.undo()
        other.undo()
        #expect(target as String == "2" && !other.canUndo)
    }

    // MARK: Groups (UndoManager's reference)

    /// "Closing a group posts NSUndoManagerCheckpoint just before the group is closed": the context records its changes
    /// then.
    @Test(arguments: [true, false]) func anActionNameBelongsToTheChangeBesideIt(isBefore: Bool) throws {
        let (context, manager) = try context()
        manager.groupsByEvent = true
        var author: NSManagedObject?
        context.performAndWait {
            author = context.make("Author")
            manager.setActionName("Insert")
        }
        context.performAndWait {
            if isBefore { manager.setActionName("Rename") }
            author?.setValue("x", forKey: "name")
            if !isBefore { manager.setActionName("Rename") }
            #expect(manager.canUndo && manager.undoActionName == "Rename")
        }
        #expect(manager.undoActionName == "Rename")
        context.undo()
        #expect(manager.undoActionName == "Insert" && manager.redoActionName == "Rename")
        // Without a change, the last group keeps its name.
        context.performAndWait { manager.setActionName("Nothing") }
        #expect(manager.undoActionName == "Insert")
    }

    @Test func aChangeCanBeUndoneAtOnce() throws {
        let (context, manager) = try context()
        manager.groupsByEvent = true
        #expect(!manager.canUndo)
        _ = context.make("Author")
        #expect(manager.canUndo)
    }

    @Test func pendingChangesBelongToTheClosingGroup() throws {
        let (context, manager) = try context()
        manager.beginUndoGrouping()
        _ = context.make("Author", ["name": "a"])
        manager.endUndoGrouping()
        #expect(manager.canUndo)
        try context.save()
        manager.undo()
        try context.save()
        #expect(try context.all("Author").isEmpty)
    }

    @Test func savingWithinAGroupKeepsItsChanges() throws {
        let (context, manager) = try context()
        manager.beginUndoGrouping()
        let author = context.make("Author", ["name": "a"])
        try context.save()
        author.setValue("b", forKey: "name")
        manager.endUndoGrouping()
        try context.save()
        context.undo()
        #expect(author.isDeleted && !manager.canUndo)
    }

    /// Changes before a nested group belong to the enclosing group.
    @Test func nestedGroupsHaveTheirOwnChanges() throws {
        let (context, manager) = try context()
        manager.beginUndoGrouping()
        let author = context.make("Author", ["name": "a"])
        manager.beginUndoGrouping()
        author.setValue("b", forKey: "name")
        manager.endUndoGrouping()
        manager.endUndoGrouping()
        manager.undo()
        #expect(author.isDeleted || author.managedObjectContext == nil)
        manager.redo()
        #expect(author.value(forKey: "name") as? String == "b" && author.isInserted)
    }

    /// "It also invokes endUndoGrouping() if the nesting level is 1."
    @Test func undoClosesTheOpenGroup() throws {
        let (context, manager) = try context()
        manager.beginUndoGrouping()
        _ = context.make("Author", ["name": "a"])
        manager.undo()
        #expect(manager.groupingLevel == 0 && manager.canRedo)
        #expect(try context.all("Author").isEmpty)
    }

    @Test func changesInterleaveWithRegisteredActions() throws {
        let (context, manager) = try context()
        let note = NSMutableString(string: "")
        manager.beginUndoGrouping()
        _ = context.make("Author", ["name": "a"])
        manager.registerUndo(withTarget: note) { $0.append("undone") }
        manager.endUndoGrouping()
        manager.undo()
        #expect(note as String == "undone")
        #expect(try context.all("Author").isEmpty)
    }

    @Test func contextsCanShareAnUndoManager() throws {
        let (context, manager) = try context()
        let other = try Library.context(context.persistentStoreCoordinator)
        other.undoManager = manager
        manager.beginUndoGrouping()
        _ = context.make("Author")
        _ = other.make("Tag")
        manager.endUndoGrouping()
        manager.undo()
        #expect(try context.all("Author").isEmpty && other.all("Tag").isEmpty)
    }

    @Test func checkpointsPrecedeClosingAGroup() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        let log = Recorder<String>()
        let names: [Notification.Name: String] = [
            .NSUndoManagerCheckpoint: "checkpoint", .NSUndoManagerWillCloseUndoGroup: "will close",
            .NSUndoManagerDidCloseUndoGroup: "did close", .NSUndoManagerDidOpenUndoGroup: "did open",
        ]
        let tokens = names.map { name, text in
            NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { note in
                let level = (note.object as? UndoManager)?.groupingLevel ?? -1
                log.values.append("\(text) \(level)")
            }
        }
        defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
        manager.beginUndoGrouping()
        manager.endUndoGrouping()
        #expect(log.values == ["did open 1", "checkpoint 1", "will close 1", "did close 0"])
    }
}
