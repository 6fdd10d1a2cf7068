import Foundation
import Testing

@testable import CoreData

/// `reset()` and `rollback()` discard state by replacing whole values.
@Suite struct ContextStateTests {
    /// The stored properties of a context, by what discards them. Add a property to the first two only if the method
    /// replaces it as a whole; most new state belongs in one of these values instead.
    private static let discardedByRollback: Set<String> = ["pending"]
    private static let discardedByReset: Set<String> = ["pending", "contents", "registry"]
    private static let kept: Set<String> = [
        // Where the context belongs, and how it is used.
        "queueType", "executor", "coordinator", "parentContext", "family", "settings", "followers", "undoRecording",
        "replacementHandler", "saveHandler", "beforeSaveHandler", "checksQueue",
        // Known of the model, of classes, and of IDs that children may still have.
        "layoutCache", "insertedClasses", "renames",
        // The nesting of calls in progress, the state of the stores that is read next, and weak references.
        "processing", "reading", "observedObjects",
    ]

    @Test func everyStoredPropertyIsKnown() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let properties = Set(
            sequence(first: Mirror(reflecting: context)) { $0.superclassMirror }
                .first { $0.subjectType == NSManagedObjectContext.self }?.children.compactMap(\.label) ?? [])
        #expect(properties == Self.discardedByReset.union(Self.discardedByRollback).union(Self.kept))
    }

    /// Returns a context with something in each part that a rollback or reset discards.
    private func used() throws -> NSManagedObjectContext {
        let coordinator = try Library.coordinator()
        let context = try Library.context(coordinator)
        context.retainsRegisteredObjects = true
        context.undoManager = UndoManager()
        let kept = context.make("Author", ["name": "a"])
        let gone = context.make("Author", ["name": "b"])
        try context.save()
        context.processPendingChanges()
        _ = context.make("Book", ["title": "t"])
        kept.setValue("c", forKey: "name")
        context.delete(gone)
        context.contents.changes.refreshed = [kept]
        context.contents.faultBatches.add([kept.objectID], size: 1, context.registry)
        return context
    }

    /// Returns the parts of a value that are not as in a new one.
    private func differences(_ value: Any, from new: Any) -> [String] {
        zip(Mirror(reflecting: value).children, Mirror(reflecting: new).children).compactMap { one, other in
            String(describing: one.value) == String(describing: other.value) ? nil : one.label
        }
    }

    @Test func rollbackDiscardsAllUnsavedChanges() throws {
        let context = try used()
        #expect(!differences(context.pending, from: PendingChanges()).isEmpty)
        context.rollback()
        #expect(differences(context.pending, from: PendingChanges()) == [])
        #expect(!context.hasChanges && !context.registeredObjects.isEmpty)
    }

    @Test func resetDiscardsEverything() throws {
        let context = try used()
        #expect(differences(context.contents, from: ContextContents(retained: [])).count == 3)
        context.reset()
        #expect(differences(context.pending, from: PendingChanges()) == [])
        #expect(differences(context.contents, from: ContextContents(retained: [])) == [])
        #expect(context.registeredObjects.isEmpty && context.retainsRegisteredObjects)
    }
}
