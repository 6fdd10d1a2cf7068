internal import CCoreDataSupport
internal import Foundation

/// The objects of a context by ID, without keeping them alive.
///
/// Swift's weak references would do, but an object that has one counts all its references the slow way from then on. So objects
/// take themselves out when they are destroyed, on whatever thread that is; a lock keeps their memory until they have.
@usableFromInline
final class ObjectRegistry: @unchecked Sendable {
    private let lock = NSLock()
    private var table = ObjectTable()

    subscript(id: NSManagedObjectID) -> NSManagedObject? {
        get {
            lock.lock()
            defer { lock.unlock() }
            return table.object(id)
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            if let newValue { table.insert(newValue, id) } else { table.remove(id) }
        }
    }

    /// The objects for those of a store, all or those at some places; those that are not here are made, without the lock.
    func objects(
        for stored: [MemoryObject], at places: ArraySlice<Int>?, orMake make: (NSManagedObjectID) -> NSManagedObject
    ) -> [NSManagedObject] {
        let count = places?.count ?? stored.count
        let first = places?.startIndex ?? 0
        return [NSManagedObject](unsafeUninitializedCapacity: count) { buffer, made in
            lock.lock()
            defer { lock.unlock() }
            while made < count {
                let id = stored[places.map { $0[first + made] } ?? made].id
                if let known = table.object(id) {
                    (buffer.baseAddress.unsafelyUnwrapped + made).initialize(to: known)
                } else {
                    lock.unlock()
                    (buffer.baseAddress.unsafelyUnwrapped + made).initialize(to: make(id))
                    lock.lock()
                }
                made += 1
            }
        }
    }

    /// All objects that are alive.
    var objects: [NSManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        return table.all
    }

    /// Takes an object out that is being destroyed. Another one may have its ID by now.
    func forget(_ object: Unmanaged<NSManagedObject>, _ id: NSManagedObjectID) {
        lock.lock()
        defer { lock.unlock() }
        table.remove(id, of: object)
    }

    func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        table.removeAll()
    }
}

/// A table of objects and their IDs, neither of which it keeps alive: an object keeps its ID, and is taken out before it goes.
///
/// Open addressing with linear probing. Swift's dictionary would hash the hash once more, ask for equality by way of `NSObject`,
/// and count references.
private struct ObjectTable {
    private struct Entry {
        var hash = 0
        var id: Unmanaged<NSManagedObjectID>
        var object: Unmanaged<NSManagedObject>
    }

    private var entries: UnsafeMutableBufferPointer<Entry?> { storage.entries }
    private var storage = Storage(capacity: 16)
    private var count = 0

    /// Frees the memory with the table.
    private final class Storage {
        let entries: UnsafeMutableBufferPointer<Entry?>

        init(capacity: Int) {
            entries = .allocate(capacity: capacity)
            entries.initialize(repeating: nil)
        }

        deinit {
            entries.deallocate()
        }
    }

    /// Where an ID's search begins: the upper bits of its hash are the better ones.
    private func start(_ hash: Int) -> Int { (hash >> 32 ^ hash) & (entries.count - 1) }

    /// The place of an ID; nil when it is not here.
    private func place(_ id: NSManagedObjectID) -> Int? {
        let (hash, pointer) = (id.hashBits, Unmanaged.passUnretained(id).toOpaque())
        var place = start(hash)
        while let entry = entries[place] {
            if entry.hash == hash {
                if entry.id.toOpaque() == pointer { return place }
                if entry.id._withUnsafeGuaranteedRef({ $0.isSame(as: id) }) { return place }
            }
            place = (place + 1) & (entries.count - 1)
        }
        return nil
    }

    /// The object with an ID, with one reference more; nil for none, or when it is just being destroyed.
    func object(_ id: NSManagedObjectID) -> NSManagedObject? {
        place(id).flatMap { entries[$0] }.flatMap { Self.strong($0.object) }
    }

    private static func strong(_ object: Unmanaged<NSManagedObject>) -> NSManagedObject? {
        cd_try_retain(object.toOpaque()).map { Unmanaged<NSManagedObject>.fromOpaque($0).takeRetainedValue() }
    }

    var all: [NSManagedObject] { entries.compactMap { $0 }.compactMap { Self.strong($0.object) } }

    mutating func insert(_ object: NSManagedObject, _ id: NSManagedObjectID) {
        let entry = Entry(hash: id.hashBits, id: .passUnretained(id), object: .passUnretained(object))
        if let place = place(id) {
            entries[place] = entry
            return
        }
        if count >= entries.count / 2 { grow() }
        put(entry)
        count += 1
    }

    private func put(_ entry: Entry) {
        var place = start(entry.hash)
        while entries[place] != nil { place = (place + 1) & (entries.count - 1) }
        entries[place] = entry
    }

    private mutating func grow() {
        let old = storage
        storage = Storage(capacity: old.entries.count * 2)
        for case let entry? in old.entries { put(entry) }
    }

    mutating func remove(_ id: NSManagedObjectID) {
        if let place = place(id) { remove(at: place) }
    }

    mutating func remove(_ id: NSManagedObjectID, of object: Unmanaged<NSManagedObject>) {
        guard let place = place(id), entries[place]?.object.toOpaque() == object.toOpaque() else { return }
        remove(at: place)
    }

    /// Empties a place, and moves up what would not be found behind it.
    private mutating func remove(at removed: Int) {
        var hole = removed
        var place = removed
        let mask = entries.count - 1
        while true {
            place = (place + 1) & mask
            guard let entry = entries[place] else { break }
            // What lies between its start and here may not jump over its start.
            if (place &- start(entry.hash)) & mask >= (place &- hole) & mask {
                entries[hole] = entry
                hole = place
            }
        }
        entries[hole] = nil
        count -= 1
    }

    mutating func removeAll() {
        storage = Storage(capacity: 16)
        count = 0
    }
}
