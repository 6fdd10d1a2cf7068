import CoreData
import Testing

/// A class that records calls of its hooks and runs a test's closures.
final class LifeCycleWitness: NSManagedObject {
    var calls: [String] = []
    var onWillSave: ((LifeCycleWitness) -> Void)?
    var onDidSave: ((LifeCycleWitness) -> Void)?

    private func record(_ call: String) { calls.append(call) }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        record("awakeFromInsert")
        setPrimitiveValue(1, forKey: "age")
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        record("awakeFromFetch")
        setPrimitiveValue("fetched", forKey: "name")
    }

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        record("awakeFromSnapshotEvents \(flags.rawValue)")
    }

    override func willSave() {
        super.willSave()
        record("willSave\(isDeleted ? " deleted" : "")")
        onWillSave?(self)
    }

    override func didSave() {
        super.didSave()
        record("didSave")
        onDidSave?(self)
    }

    override func prepareForDeletion() {
        super.prepareForDeletion()
        // Relationships are still complete: delete rules are applied later.
        record("prepareForDeletion \((value(forKey: "books") as? NSSet)?.count ?? 0)")
    }

    override func willTurnIntoFault() {
        super.willTurnIntoFault()
        record("willTurnIntoFault \(isFault)")
    }

    override func didTurnIntoFault() {
        super.didTurnIntoFault()
        record("didTurnIntoFault \(isFault)")
    }

    override func validateForInsert() throws {
        record("validateForInsert")
        try super.validateForInsert()
    }

    override func validateForUpdate() throws {
        record("validateForUpdate")
        try super.validateForUpdate()
    }

    override func validateForDelete() throws {
        record("validateForDelete")
        try super.validateForDelete()
    }

    func taken() -> [String] {
        defer { calls = [] }
        return calls
    }
}

/// The hooks of objects in the order documented by Apple, and their permitted effects.
@Suite(.overAllStores) struct LifeCycleTests {
    private let context: NSManagedObjectContext

    init() throws {
        let model = Library.model()
        model.entitiesByName["Author"]?.managedObjectClassName = NSStringFromClass(LifeCycleWitness.self)
        context = try Library.context(Library.coordinator(model))
    }

    private func make() throws -> LifeCycleWitness {
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Author"])
        return LifeCycleWitness(entity: entity, insertInto: context)
    }

    #if !canImport(ObjectiveC)
    /// Unlike on Apple's platforms, the object is created before its class is known and so has no storage for
    /// variables.
    @Test func theBaseClassCreatesNoInstancesOfClassesWithStoredProperties() throws {
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Author"])
        let object = NSManagedObject(entity: entity, insertInto: context)
        #expect(type(of: object) == NSManagedObject.self)
        object.setValue("Ann", forKey: "name")
        #expect(object.value(forKey: "name") as? String == "Ann")
    }
    #endif

    @Test func insertingAndSavingCallsTheHooks() throws {
        let object = try make()
        #expect(object.taken() == ["awakeFromInsert"] && object.value(forKey: "age") as? Int == 1)
        try context.save()
        #expect(object.taken() == ["willSave", "validateForInsert", "didSave"])
        try context.save()
        #expect(object.taken() == [])
        object.setValue(2, forKey: "age")
        try context.save()
        #expect(object.taken() == ["willSave", "validateForUpdate", "didSave"])
    }

    @Test func deletingCallsTheHooks() throws {
        let object = try make()
        _ = context.make("Book", ["author": object])
        try context.save()
        _ = object.taken()
        context.delete(object)
        #expect(object.taken() == ["prepareForDeletion 1"])
        try context.save()
        #expect(object.taken() == ["willSave deleted", "validateForDelete", "didSave"])
    }

    @Test func turningIntoAFaultCallsTheHooks() throws {
        let object = try make()
        try context.save()
        _ = object.taken()
        context.refresh(object, mergeChanges: false)
        #expect(object.taken() == ["willTurnIntoFault false", "didTurnIntoFault true"])
        #expect(object.value(forKey: "name") as? String == "fetched")
        #expect(object.taken() == ["awakeFromFetch"])
        // Values set while an object awakes are not changes.
        #expect(!object.hasChanges && !context.hasChanges)
        #expect(object.value(forKey: "age") as? Int == 1 && object.taken() == [])
    }

    @Test func snapshotEventsCallAwakeFromSnapshotEvents() throws {
        let object = try make()
        try context.save()
        _ = object.taken()
        object.setValue(5, forKey: "age")
        context.rollback()
        #expect(object.taken() == ["awakeFromSnapshotEvents \(NSSnapshotEventType.rollback.rawValue)"])
        object.setValue(5, forKey: "age")
        context.refresh(object, mergeChanges: true)
        #expect(object.taken() == ["awakeFromSnapshotEvents \(NSSnapshotEventType.refresh.rawValue)"])
        #expect(object.value(forKey: "age") as? Int == 5)
        // The values of the SDK's headers.
        #expect(NSSnapshotEventType.undoInsertion.rawValue == 2 && NSSnapshotEventType.undoDeletion.rawValue == 4)
        #expect(NSSnapshotEventType.undoUpdate.rawValue == 8 && NSSnapshotEventType.rollback.rawValue == 16)
        #expect(NSSnapshotEventType.refresh.rawValue == 32 && NSSnapshotEventType.mergePolicy.rawValue == 64)
    }

    @Test func undoCallsTheHooks() throws {
        let object = try make()
        try context.save()
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        func group(_ body: () -> Void) {
            manager.beginUndoGrouping()
            body()
            context.processPendingChanges()
            manager.endUndoGrouping()
            _ = object.taken()
        }
        group { object.setValue(5, forKey: "age") }
        context.undo()
        #expect(object.taken() == ["awakeFromSnapshotEvents \(NSSnapshotEventType.undoUpdate.rawValue)"])
        group { context.delete(object) }
        context.undo()
        #expect(object.taken() == ["awakeFromSnapshotEvents \(NSSnapshotEventType.undoDeletion.rawValue)"])
    }

    /// `willSave()` is called again while it keeps changing values (NSManagedObject.willSave).
    @Test func willSaveIsCalledAgainWhileItChangesValues() throws {
        let object = try make()
        object.onWillSave = { object in
            let age = object.value(forKey: "age") as? Int ?? 0
            if age < 3 { object.setValue(age + 1, forKey: "age") }
        }
        try context.save()
        #expect(
            object.taken() == ["awakeFromInsert", "willSave", "willSave", "willSave", "validateForInsert", "didSave"])
        #expect(object.value(forKey: "age") as? Int == 3 && !context.hasChanges)
        // Primitive values cause no further call.
        object.onWillSave = { $0.setPrimitiveValue(9, forKey: "age") }
        object.setValue("n", forKey: "name")
        try context.save()
        #expect(object.taken() == ["willSave", "validateForUpdate", "didSave"])
        let fresh = try Library.context(context.persistentStoreCoordinator)
        #expect(fresh.object(with: object.objectID).value(forKey: "age") as? Int == 9)
    }

    @Test func objectsInsertedInWillSaveAreSaved() throws {
        let object = try make()
        let other = Recorder<LifeCycleWitness>()
        object.onWillSave = { object in
            guard other.values.isEmpty, let context = object.managedObjectContext else { return }
            other.values.append(LifeCycleWitness(entity: object.entity, insertInto: context))
        }
        try context.save()
        let made = try #require(other.values.first)
        #expect(made.taken() == ["awakeFromInsert", "willSave", "validateForInsert", "didSave"])
        #expect(!made.objectID.isTemporaryID && !context.hasChanges)
    }

    /// Changes made in `didSave()` belong to the next save.
    @Test func changesInDidSaveStayUnsaved() throws {
        let object = try make()
        object.onDidSave = { object in
            #expect(!object.hasChanges && !object.objectID.isTemporaryID)
            object.onDidSave = nil
            object.setValue(8, forKey: "age")
        }
        try context.save()
        #expect(context.hasChanges && object.isUpdated)
        #expect(object.committedValues(forKeys: ["age"])["age"] as? Int == 1)
        try context.save()
        #expect(!context.hasChanges)
    }

    @Test func failedValidationLeavesObjectsInserted() throws {
        let object = try make()
        _ = context.make("Book", ["title": nil])
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(object.taken() == ["awakeFromInsert", "willSave", "validateForInsert"])
        #expect(object.isInserted && object.objectID.isTemporaryID)
    }

    /// A fetched object is a fault of its class, and awakes once.
    @Test func fetchedObjectsAwakeOnce() throws {
        _ = try make()
        try context.save()
        let fresh = try Library.context(context.persistentStoreCoordinator)
        let object = try #require(try fresh.all("Author").first as? LifeCycleWitness)
        #expect(object.isFault && object.calls == [])
        _ = object.value(forKey: "age")
        _ = object.value(forKey: "age")
        #expect(object.taken() == ["awakeFromFetch"])
    }

    @Test func hooksAreCalledInChildrenAndParents() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Author"])
        let object = LifeCycleWitness(entity: entity, insertInto: child)
        try child.save()
        #expect(object.taken() == ["awakeFromInsert", "willSave", "validateForInsert", "didSave"])
        let inParent = try #require(context.registeredObject(for: object.objectID) as? LifeCycleWitness)
        try context.save()
        #expect(inParent.taken().suffix(3) == ["willSave", "validateForInsert", "didSave"])
    }
}
