import CoreData
import Foundation

/// A record of the events of each inserted object, to explain why one is missing in the end.
final class History: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [Int: [String]] = [:]
    private var eventCount = 0
    private var objectCount = 0
    private var tokens: [any NSObjectProtocol] = []

    /// Inserts an object with a serial number that identifies it.
    func insertItem(number: Int, into context: NSManagedObjectContext) {
        let serial = lock.withLock {
            objectCount += 1
            return objectCount
        }
        context.makeItem(number).setValue(serial, forKey: "serial")
        record("inserts", serial, context)
    }

    /// Records the saves and change notifications of a context.
    func observe(_ context: NSManagedObjectContext) {
        let names = [
            (Notification.Name.NSManagedObjectContextDidSave, "saves"),
            (Notification.Name.NSManagedObjectContextObjectsDidChange, "is told of"),
        ]
        for (name, text) in names {
            let token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                [unowned self, unowned context] notification in
                for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                    for object in notification.userInfo?[key] as? Set<NSManagedObject> ?? [] {
                        guard let serial = object.primitiveValue(forKey: "serial") as? Int else { continue }
                        let id = object.objectID.uriRepresentation().lastPathComponent.suffix(6)
                        record("\(text) \(key) \(id)", serial, context)
                    }
                }
            }
            lock.withLock { tokens.append(token) }
        }
    }

    private func record(_ text: String, _ serial: Int, _ context: NSManagedObjectContext) {
        let line = "context \(context.name ?? "") \(text), thread \(pthread_self())"
        lock.withLock {
            eventCount += 1
            events[serial, default: []].append("\(eventCount): \(line)")
        }
    }

    /// Exits with status 5 and the history of the missing objects unless each object was found exactly once.
    func check(_ found: [Int]) {
        lock.withLock {
            let missing = Set(0...objectCount).subtracting(found).subtracting([0])
            guard found.count != objectCount || !missing.isEmpty else { return }
            for serial in missing.sorted() {
                report("object \(serial):\n  " + (events[serial] ?? []).joined(separator: "\n  "))
            }
            fail("\(found.count) items instead of \(objectCount)", status: 5)
        }
    }
}
