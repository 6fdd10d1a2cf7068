internal import CCoreDataSupport
internal import Foundation

/// The objects of a context by ID, without keeping them alive.
///
/// Swift's weak references would do, but an object that has one counts all its references the slow way from then on. So objects
/// take themselves out when they are destroyed, on whatever thread that is; a lock keeps their memory until they have.
@usableFromInline
final class ObjectRegistry: @unchecked Sendable {
    private let lock = NSLock()
    private var table: [NSManagedObjectID: Unmanaged<NSManagedObject>] = [:]

    subscript(id: NSManagedObjectID) -> NSManagedObject? {
        get {
            lock.lock()
            defer { lock.unlock() }
            return table[id].flatMap(Self.strong)
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            table[id] = newValue.map { Unmanaged.passUnretained($0) }
        }
    }

    /// The objects with some IDs; nil where there is none.
    func objects(_ ids: some Sequence<NSManagedObjectID>) -> [NSManagedObject?] {
        lock.lock()
        defer { lock.unlock() }
        return ids.map { table[$0].flatMap(Self.strong) }
    }

    /// The object with one reference more; nil when it is just being destroyed.
    private static func strong(_ object: Unmanaged<NSManagedObject>) -> NSManagedObject? {
        cd_try_retain(object.toOpaque()).map { Unmanaged<NSManagedObject>.fromOpaque($0).takeRetainedValue() }
    }

    /// All objects that are alive.
    var objects: [NSManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        return table.values.compactMap(Self.strong)
    }

    /// Takes an object out that is being destroyed. Another one may have its ID by now.
    func forget(_ object: Unmanaged<NSManagedObject>, _ id: NSManagedObjectID) {
        lock.lock()
        defer { lock.unlock() }
        if table[id]?.toOpaque() == object.toOpaque() { table[id] = nil }
    }

    func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        table = [:]
    }
}
