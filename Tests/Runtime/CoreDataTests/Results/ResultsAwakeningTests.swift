import CoreData
import Testing

/// An entry that numbers itself by counting the others, as in some apps.
final class NumberedEntry: NSManagedObject {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        let request = NSFetchRequest<NSManagedObject>(entityName: "NumberedEntry")
        let others = try? managedObjectContext?.fetch(request)
        setValue(others?.count ?? 0, forKey: "number")
    }
}

/// Controllers with objects that are being inserted, without sort descriptors, and the controller passed to delegates.
@Suite struct ResultsAwakeningTests {
    private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
        weak var expected: NSFetchedResultsController<NSManagedObject>?
        var other: NSFetchedResultsController<NSManagedObject>?
        var numbers: [Int] = []
        var isSame: [Bool] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            numbers.append((anObject as? NSManagedObject)?.value(forKey: "number") as? Int ?? -1)
            isSame += [
                controller === expected, expected === controller, controller === controller, controller == expected,
            ]
            isSame += [!(controller !== expected), !(expected !== controller), controller !== other]
        }
    }

    private func makeContext() throws -> NSManagedObjectContext {
        let number = NSAttributeDescription()
        number.name = "number"
        number.attributeType = .integer64AttributeType
        number.defaultValue = 0
        let entity = NSEntityDescription()
        entity.name = "NumberedEntry"
        entity.managedObjectClassName = NSStringFromClass(NumberedEntry.self)
        entity.properties = [number]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test func aFetchInAwakeFromInsertDoesNotAnnounceTheObject() throws {
        let context = try makeContext()
        let delegate = Delegate()
        let request = NSFetchRequest<NSManagedObject>(entityName: "NumberedEntry")
        // An empty array is allowed: only nil is an error.
        request.sortDescriptors = []
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = delegate
        delegate.expected = controller
        delegate.other = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "NumberedEntry", into: context)
            #expect(delegate.numbers.isEmpty)
            context.processPendingChanges()
            _ = NSEntityDescription.insertNewObject(forEntityName: "NumberedEntry", into: context)
            context.processPendingChanges()
            #expect(delegate.numbers == [1, 2] && controller.fetchedObjects?.count == 2)
            try context.save()
            controller.fetchedObjects?.first.map(context.delete)
            context.processPendingChanges()
            #expect(controller.fetchedObjects?.count == 1)
        }
        #expect(!delegate.isSame.isEmpty && !delegate.isSame.contains(false))
    }
}
