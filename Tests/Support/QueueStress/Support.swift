import CoreData
import Foundation

/// Writes a line to standard output without buffering.
func report(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Exits because a rule was violated.
func fail(_ text: String, status: Int32 = 1) -> Never {
    report("failed: \(text)")
    exit(status)
}

/// A thread-safe counter.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }

    func add(_ number: Int = 1) { lock.withLock { count += number } }
}

/// Exits with status 3 when a counter does not change for some time.
func watch(_ progress: Counter, seconds: Double) {
    Thread.detachNewThread {
        var last = -1
        while true {
            Thread.sleep(forTimeInterval: seconds)
            let now = progress.value
            if now == last {
                report("stuck after \(now) steps")
                exit(3)
            }
            last = now
        }
    }
}

/// Returns a coordinator with one store and one entity, `Item`, with a `number` and a `serial` that never changes.
func makeCoordinator(_ type: String = NSInMemoryStoreType) throws -> NSPersistentStoreCoordinator {
    let number = NSAttributeDescription()
    number.name = "number"
    number.attributeType = .integer64AttributeType
    number.isOptional = true
    let item = NSEntityDescription()
    item.name = "Item"
    let serial = NSAttributeDescription()
    serial.name = "serial"
    serial.attributeType = .integer64AttributeType
    serial.isOptional = true
    item.properties = [number, serial]
    let model = NSManagedObjectModel()
    model.entities = [item]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let url = type == NSInMemoryStoreType ? nil : URL(fileURLWithPath: "/dev/null")
    _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
    return coordinator
}

extension NSManagedObjectContext {
    /// Creates a child.
    func makeChild(_ type: NSManagedObjectContextConcurrencyType) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: type)
        child.parent = self
        child.automaticallyMergesChangesFromParent = true
        return child
    }

    @discardableResult func makeItem(_ number: Int) -> NSManagedObject {
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: self)
        item.setValue(number, forKey: "number")
        return item
    }

    func items(limit: Int = 0) -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.fetchLimit = limit
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        do {
            return try fetch(request)
        } catch {
            fail("a fetch: \(error)")
        }
    }

    func saveOrFail() {
        do {
            try save()
        } catch {
            fail("a save: \(error)")
        }
    }
}
