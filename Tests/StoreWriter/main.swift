import CoreData
import Foundation

// Writes into a store until it is killed, or counts in it; tests run this program as another process.
//
//     StoreWriter write PATH     saves a group of objects again and again, and prints the number of each group that is saved
//     StoreWriter count PATH N   adds one to a counter N times, whoever else counts

/// The model of this program and of the tests that look at what it has left.
func makeModel() -> NSManagedObjectModel {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
    let group = NSEntityDescription()
    group.name = "Group"
    let item = NSEntityDescription()
    item.name = "Item"
    let content = attribute("content", .binaryDataAttributeType)
    content.allowsExternalBinaryDataStorage = true
    let items = NSRelationshipDescription()
    items.name = "items"
    items.destinationEntity = item
    items.isOrdered = true
    items.maxCount = 0
    let owner = NSRelationshipDescription()
    owner.name = "group"
    owner.destinationEntity = group
    owner.maxCount = 1
    items.inverseRelationship = owner
    owner.inverseRelationship = items
    group.properties = [attribute("number", .integer64AttributeType), items]
    item.properties = [attribute("number", .integer64AttributeType), content, owner]
    let counter = NSEntityDescription()
    counter.name = "Counter"
    counter.properties = [attribute("value", .integer64AttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [group, item, counter]
    return model
}

/// Says something at once.
func report(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

func write(_ context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Group")
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
    request.fetchLimit = 1
    var number = (try context.fetch(request).first?.value(forKey: "number") as? Int ?? 0) + 1
    while true {
        let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
        group.setValue(number, forKey: "number")
        for index in 0..<3 {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(number, forKey: "number")
            let size = index == 0 && number % 3 == 0 ? 150_000 : 1000
            item.setValue(Data(repeating: UInt8(truncatingIfNeeded: number), count: size), forKey: "content")
            item.setValue(group, forKey: "group")
        }
        // What was saved is changed and deleted too.
        let others = NSFetchRequest<NSManagedObject>(entityName: "Item")
        others.predicate = NSPredicate(format: "number == %@", NSNumber(value: number - 5))
        for item in try context.fetch(others) {
            item.setValue(Data(repeating: UInt8(truncatingIfNeeded: number - 5), count: 120_000), forKey: "content")
        }
        let old = NSFetchRequest<NSManagedObject>(entityName: "Item")
        old.predicate = NSPredicate(format: "number == %@", NSNumber(value: number - 20))
        for item in try context.fetch(old) { context.delete(item) }
        try context.save()
        report("\(number)")
        number += 1
    }
}

func count(_ context: NSManagedObjectContext, _ times: Int) throws {
    var left = times
    while left > 0 {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
        guard let counter = try context.fetch(request).first else { throw CocoaError(.coreData) }
        context.refresh(counter, mergeChanges: false)
        counter.setValue((counter.value(forKey: "value") as? Int ?? 0) + 1, forKey: "value")
        do {
            try context.save()
            left -= 1
        } catch let error as NSError where error.code == NSManagedObjectMergeError {
            // The other one was faster.
            context.rollback()
            context.reset()
        }
    }
}

let arguments = CommandLine.arguments
guard arguments.count > 2 else { fatalError("usage: StoreWriter write|count PATH [TIMES]") }
let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: arguments[2]),
    options: [NSPersistentStoreTimeoutOption: 30])
let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
context.persistentStoreCoordinator = coordinator
try context.performAndWait {
    switch arguments[1] {
    case "count": try count(context, arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0)
    default: try write(context)
    }
}
