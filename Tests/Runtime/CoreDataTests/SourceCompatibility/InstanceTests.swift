import CoreData
import Testing

/// Objects created without required arguments compile as on Apple's platforms, and also fail when used.
@Suite struct InstanceTests {
    @Test func objectsWithoutAnEntityHaveNoContext() {
        let object = NSManagedObject()
        #expect(object.managedObjectContext == nil && !object.hasChanges && object.objectID.isTemporaryID)
        #expect(Author() !== Author() && Author().entity.properties.isEmpty)
    }

    @Test func theBaseClassHasNoEntity() {
        #expect(NSManagedObject.entity().properties.isEmpty)
        #expect(NSManagedObject.fetchRequest().entity == nil)
    }

    @Test func aContextWithoutATypeIsConfinedToItsThread() {
        let context = NSManagedObjectContext()
        #expect(context.concurrencyType == .confinementConcurrencyType && !context.hasChanges)
    }

    @Test func aConflictWithoutObjectsIsEmpty() {
        let conflict = NSConstraintConflict()
        #expect(conflict.conflictingObjects.isEmpty && conflict.constraint.isEmpty && conflict.databaseObject == nil)
    }

    @Test func transitionsOfCloudStoresHaveApplesNumbers() {
        let types: [NSPersistentStoreUbiquitousTransitionType] = [
            .accountAdded, .accountRemoved, .contentRemoved, .initialImportCompleted,
        ]
        #expect(types.map(\.rawValue) == [1, 2, 3, 4])
    }

    @Test func emptyIDsAreDistinctValues() {
        let (one, other) = (NSManagedObjectID(), NSManagedObjectID())
        #expect(one == one && one != other && Set([one, other]).count == 2)
        #expect(one.isTemporaryID && one.persistentStore == nil && !one.description.isEmpty)
    }

    @Test func readingAnObjectWithoutAnEntityTraps() async {
        await #expect(processExitsWith: .failure) { _ = Author().value(forKey: "name") }
    }

    @Test func insertingAnObjectWithoutAnEntityTraps() async {
        await #expect(processExitsWith: .failure) { try Library.context().insert(Author()) }
    }

    @Test func anEmptyIDHasNoEntity() async {
        await #expect(processExitsWith: .failure) { _ = NSManagedObjectID().entity }
    }

    @Test func aCoordinatorNeedsAModel() async {
        await #expect(processExitsWith: .failure) { _ = NSPersistentStoreCoordinator() }
    }

    @Test func aContainerNeedsAName() async {
        await #expect(processExitsWith: .failure) { _ = NSPersistentContainer() }
    }
}
