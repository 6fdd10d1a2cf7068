import CoreData
import Testing

/// Transient attributes: they are not stored, and a required one with a default value always has a value.
@Suite(.overAllStores) struct TransientTests {
    private static func model() throws -> NSManagedObjectModel {
        let model = Library.model()
        let state = NSAttributeDescription()
        state.name = "state"
        state.attributeType = .stringAttributeType
        state.isOptional = false
        state.isTransient = true
        state.defaultValue = "idle"
        try #require(model.entitiesByName["Author"]).properties.append(state)
        return model
    }

    private let context: NSManagedObjectContext
    private let author: NSManagedObject

    init() throws {
        context = try Library.context(Library.coordinator(Self.model()))
        author = context.make("Author", ["name": "a"])
        try context.save()
    }

    private func change(_ name: String) throws {
        author.setValue(name, forKey: "name")
        try context.save()
    }

    private var state: String? { author.value(forKey: "state") as? String }

    @Test(arguments: [true, false]) func aRefreshRestoresTheDefault(merges: Bool) throws {
        context.refresh(author, mergeChanges: merges)
        #expect(state == "idle" && !author.hasChanges)
        try change("b")
        author.setValue("busy", forKey: "state")
        context.refresh(author, mergeChanges: false)
        #expect(state == "idle")
        try change("c")
    }

    /// A refresh that merges changes keeps changes of transient attributes.
    @Test func aMergingRefreshKeepsATransientChange() throws {
        author.setValue("busy", forKey: "state")
        author.setValue("b", forKey: "name")
        context.refresh(author, mergeChanges: true)
        #expect(state == "busy" && author.value(forKey: "name") as? String == "b")
        try context.save()
    }

    @Test func refreshingAllObjectsRestoresTheDefault() throws {
        context.refreshAllObjects()
        #expect(state == "idle")
        try change("b")
    }

    @Test func aRollbackRestoresTheDefault() throws {
        author.setValue("busy", forKey: "state")
        author.setValue("b", forKey: "name")
        context.rollback()
        #expect(state == "idle" && author.value(forKey: "name") as? String == "a")
        try change("c")
    }

    @Test func undoRestoresTheValueBefore() throws {
        context.undoManager = UndoManager()
        author.setValue("busy", forKey: "state")
        context.processPendingChanges()
        context.undo()
        #expect(state == "idle")
        context.refresh(author, mergeChanges: false)
        author.setValue("b", forKey: "name")
        context.processPendingChanges()
        context.undo()
        #expect(state == "idle" && author.value(forKey: "name") as? String == "a")
        try change("c")
    }

    @Test func aFetchedObjectHasTheDefault() throws {
        let fresh = try Library.context(context.persistentStoreCoordinator)
        let copy = try #require(try fresh.all("Author").first)
        #expect(copy.value(forKey: "state") as? String == "idle" && !copy.hasChanges)
        copy.setValue("b", forKey: "name")
        try fresh.save()
    }

    @Test func aMergeRestoresTheDefault() throws {
        let other = try Library.context(context.persistentStoreCoordinator)
        let copy = other.object(with: author.objectID)
        copy.setValue("b", forKey: "name")
        let note = try #require(try other.notes { try other.save() }.first)
        context.mergeChanges(fromContextDidSave: note)
        #expect(state == "idle" && author.value(forKey: "name") as? String == "b")
        try change("c")
    }

    /// The merge policy reverts the changes.
    @Test func aConflictRestoresTheDefault() throws {
        let other = try Library.context(context.persistentStoreCoordinator)
        other.mergePolicy = NSRollbackMergePolicy
        let copy = other.object(with: author.objectID)
        copy.setValue("theirs", forKey: "name")
        try change("ours")
        try other.save()
        #expect(copy.value(forKey: "state") as? String == "idle")
        copy.setValue("b", forKey: "name")
        try other.save()
    }

    @Test func childrenHaveTheDefaultAndKeepTheParentsValue() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let copy = child.object(with: author.objectID)
        author.setValue("busy", forKey: "state")
        copy.setValue("b", forKey: "name")
        #expect(copy.value(forKey: "state") as? String == "idle")
        try child.save()
        #expect(state == "busy" && author.value(forKey: "name") as? String == "b")
        child.refresh(copy, mergeChanges: false)
        copy.setValue("done", forKey: "state")
        copy.setValue("c", forKey: "name")
        try child.save()
        #expect(state == "done")
        try context.save()
    }

    /// Changes of transient properties are neither in `changedValues()` nor in `changedValuesForCurrentEvent()`.
    @Test func changesOfTransientAttributesAreNotReported() throws {
        author.setValue("busy", forKey: "state")
        author.setValue("b", forKey: "name")
        #expect(author.changedValues().keys.sorted() == ["name"])
        #expect(author.changedValuesForCurrentEvent().keys.sorted() == ["name"])
        #expect(author.hasChanges && author.hasPersistentChangedValues)
        context.rollback()
        author.setValue("busy", forKey: "state")
        #expect(author.hasChanges && !author.hasPersistentChangedValues && author.changedValues().isEmpty)
    }
}
