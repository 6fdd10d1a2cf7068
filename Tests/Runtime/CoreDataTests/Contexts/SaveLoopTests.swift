import CoreData
import Testing

/// An object whose hooks and validators do what a test sets.
final class LoopingObject: NSManagedObject {
    @TaskLocal static var onWillSave: (@Sendable (LoopingObject) -> Void)?
    @TaskLocal static var onValidate: (@Sendable (LoopingObject) -> Void)?

    override func willSave() { Self.onWillSave?(self) }

    override func validateForUpdate() throws {
        Self.onValidate?(self)
        try super.validateForUpdate()
    }
}

/// A save calls hooks, processes changes and validates until none of these changes anything.
@Suite struct SaveLoopTests {
    private let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)

    init() throws {
        func attribute(_ name: String, optional: Bool) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isOptional) = (name, .stringAttributeType, optional)
            return attribute
        }
        let entity = NSEntityDescription()
        (entity.name, entity.managedObjectClassName) = ("Item", "CoreDataTests.LoopingObject")
        let (parts, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        (parts.name, parts.destinationEntity, parts.maxCount, parts.deleteRule) = (
            "parts", entity, 0, .cascadeDeleteRule
        )
        (owner.name, owner.destinationEntity, owner.maxCount) = ("owner", entity, 1)
        (parts.inverseRelationship, owner.inverseRelationship) = (owner, parts)
        entity.properties = [attribute("stamp", optional: false), attribute("note", optional: true), parts, owner]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        context.persistentStoreCoordinator = coordinator
    }

    private func observing(
        _ name: Notification.Name, _ body: @escaping (Notification) -> Void, _ run: () throws -> Void
    ) rethrows {
        nonisolated(unsafe) let body = body
        let token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { body($0) }
        defer { NotificationCenter.default.removeObserver(token) }
        try run()
    }

    @Test func changesByValidatorsAreValidated() throws {
        let (a, b) = (context.make("Item", ["stamp": "a"]), context.make("Item", ["stamp": "b"]))
        try context.save()
        a.setValue("1", forKey: "note")
        b.setValue("1", forKey: "note")
        nonisolated(unsafe) let first = a
        let error = LoopingObject.$onValidate.withValue({ object in
            // Clears a value of an object that may be validated already.
            if object !== first, first.value(forKey: "stamp") != nil { first.setValue(nil, forKey: "stamp") }
        }) { nsError { try context.save() } }
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
        #expect(context.hasChanges)
    }

    @Test func changesByObserversOfValidatorsAreValidated() throws {
        let a = context.make("Item", ["stamp": "a"])
        try context.save()
        a.setValue("1", forKey: "note")
        nonisolated(unsafe) let item = a
        let error = LoopingObject.$onValidate.withValue({ object in
            if object.value(forKey: "note") as? String == "1" { object.setValue("2", forKey: "note") }
        }) { () -> NSError? in
            var error: NSError?
            observing(.NSManagedObjectContextObjectsDidChange) { _ in
                if item.value(forKey: "note") as? String == "2", item.value(forKey: "stamp") != nil {
                    item.setValue(nil, forKey: "stamp")
                }
            } _: {
                error = nsError { try context.save() }
            }
            return error
        }
        #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    }

    @Test func objectsInsertedByAnObserverOfTheSaveGetTheirHook() throws {
        _ = context.make("Item", ["stamp": "a"])
        let context = context
        try LoopingObject.$onWillSave.withValue({ object in
            if object.value(forKey: "stamp") == nil { object.setValue("hook", forKey: "stamp") }
        }) {
            try observing(.NSManagedObjectContextWillSave) { _ in
                _ = context.make("Item")
            } _: {
                try context.save()
            }
        }
        let stamps = try context.all("Item").compactMap { $0.value(forKey: "stamp") as? String }
        #expect(stamps.sorted() == ["a", "hook"])
    }

    @Test func deletionsInHooksPropagateThoughEventsDoNot() throws {
        context.propagatesDeletesAtEndOfEvent = false
        let (owner, part) = (context.make("Item", ["stamp": "a"]), context.make("Item", ["stamp": "b"]))
        part.setValue(owner, forKey: "owner")
        try context.save()
        owner.setValue("gone", forKey: "note")
        try LoopingObject.$onWillSave.withValue({ object in
            if object.value(forKey: "note") != nil, !object.isDeleted { object.managedObjectContext?.delete(object) }
        }) { try context.save() }
        #expect(try context.all("Item").isEmpty)
        #expect(part.managedObjectContext == nil && part.value(forKey: "owner") == nil)
    }

    @Test func endlessChangesTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let test = try SaveLoopTests()
            let item = test.context.make("Item", ["stamp": "a"])
            try test.context.save()
            item.setValue("0", forKey: "note")
            try LoopingObject.$onValidate.withValue({ object in
                object.setValue(
                    "\(Int(object.value(forKey: "note") as? String ?? "").map { $0 + 1 } ?? 0)", forKey: "note")
            }) { try test.context.save() }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("still dirty after 1000 attempts"))
    }
}
