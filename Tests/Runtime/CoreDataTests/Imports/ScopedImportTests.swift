import Foundation
import Testing

// Imports of single declarations, with the same kinds as in Apple's framework. SwiftPM has no submodules, so `import
// CoreData.NSManagedObject`, Clang's form, is left to the build plugin.
import class CoreData.NSAttributeDescription
import enum CoreData.NSAttributeType
import class CoreData.NSComparisonPredicate
import enum CoreData.NSDeleteRule
import class CoreData.NSEntityDescription
import class CoreData.NSExpression
import class CoreData.NSFetchRequest
import protocol CoreData.NSFetchRequestResult
import struct CoreData.NSFetchRequestResultType
import class CoreData.NSFetchedResultsController
import protocol CoreData.NSFetchedResultsControllerDelegate
import let CoreData.NSInMemoryStoreType
import let CoreData.NSInsertedObjectsKey
import class CoreData.NSManagedObject
import class CoreData.NSManagedObjectContext
import class CoreData.NSManagedObjectID
import class CoreData.NSManagedObjectModel
import let CoreData.NSMergeByPropertyObjectTrumpMergePolicy
import class CoreData.NSMergePolicy
import class CoreData.NSPersistentContainer
import class CoreData.NSPersistentStoreCoordinator
import class CoreData.NSPersistentStoreDescription
import let CoreData.NSSQLiteStoreType
import struct CoreData.NSSnapshotEventType
import func CoreData.NSStringFromSelector
import struct CoreData.Selector

@Suite struct ScopedImportTests {
    @Test func declarationsCanBeImportedIndividually() throws {
        let entity = NSEntityDescription()
        entity.name = "Note"
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = NSAttributeType.stringAttributeType
        entity.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        let context: NSManagedObjectContext = container.newBackgroundContext()
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        let texts = try context.performAndWait {
            NSManagedObject(entity: entity, insertInto: context).setValue("a", forKey: "text")
            try context.save()
            return try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).map {
                $0.value(forKey: "text") as? String
            }
        }
        #expect(texts == ["a"])
        #expect(NSExpression(forKeyPath: "text").keyPath == "text")
        #expect(NSStringFromSelector(Selector("compare:")) == "compare:")
        #expect(NSDeleteRule.nullifyDeleteRule.rawValue == 1 && NSSnapshotEventType.refresh.rawValue != 0)
    }
}
