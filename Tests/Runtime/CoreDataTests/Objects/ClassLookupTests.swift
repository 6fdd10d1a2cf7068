import CoreData
import Testing

/// Found only by name: nothing else mentions these types before.
final class FoundInModule: NSManagedObject {}

enum Shelf {
    final class FoundInside: NSManagedObject {}
    /// Not a managed object class.
    final class Unrelated {}
}

enum FirstVersion {
    final class FoundByFullName: NSManagedObject {}
}

enum SecondVersion {
    final class FoundByFullName: NSManagedObject {}
}

/// Entities find their classes without any registration.
@Suite struct ClassLookupTests {
    private func object(ofClassNamed name: String) throws -> NSManagedObject {
        let entity = NSEntityDescription()
        entity.name = "Thing"
        entity.managedObjectClassName = name
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context.performAndWait { NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context) }
    }

    @Test(arguments: ["FoundInModule", "CoreDataTests.FoundInModule", "AnotherModule.FoundInModule"])
    func findsClassesOfAModule(name: String) throws {
        #expect(try object(ofClassNamed: name) is FoundInModule)
    }

    @Test(arguments: ["FoundInside", "CoreDataTests.Shelf.FoundInside"])
    func findsNestedClasses(name: String) throws {
        #expect(try object(ofClassNamed: name) is Shelf.FoundInside)
    }

    @Test func nestedClassesOfEqualNamesAreFoundByTheirFullName() throws {
        // A request for one of them does not decide what the full name of another means.
        _ = SecondVersion.FoundByFullName.fetchRequest()
        #expect(try object(ofClassNamed: "CoreDataTests.FirstVersion.FoundByFullName") is FirstVersion.FoundByFullName)
        #expect(
            try object(ofClassNamed: String(reflecting: SecondVersion.FoundByFullName.self))
                is SecondVersion.FoundByFullName)
    }

    @Test(arguments: ["Nowhere", "CoreDataTests.Nowhere", "Unrelated", "Shelf", "NSManagedObject", ""])
    func unknownClassesAreNotFound(name: String) throws {
        #expect(type(of: try object(ofClassNamed: name)) == NSManagedObject.self)
    }
}
