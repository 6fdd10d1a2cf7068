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
            return table[id].flatMap(Self.strong)
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            if let newValue { table.set(Unmanaged.passUnretained(newValue), id) } else { table.remove(id) }
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
        return table.objects.compactMap(Self.strong)
    }

    /// Takes an object out that is being destroyed. Another one may have its ID by now.
    func forget(_ object: Unmanaged<NSManagedObject>, _ id: NSManagedObjectID) {
        lock.lock()
        defer { lock.unlock() }
        if table[id]?.toOpaque() == object.toOpaque() { table.remove(id) }
    }

    func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        table = ObjectTable()
    }
}

/// A hash table of objects by ID.
///
/// Each object is put in once for its temporary and once for its permanent ID and taken out again; Swift's dictionary calls three methods of
/// the ID, and hashes its hash, for each of these. Open addressing with linear probing; what follows a removed entry moves up.
private struct ObjectTable {
    private struct Entry {
        var id: NSManagedObjectID
        var object: Unmanaged<NSManagedObject>
    }

    /// As many as a power of two, of which at most three quarters are in use.
    private var entries: [Entry?] = Array(repeating: nil, count: 16)
    private var count = 0

    var objects: [Unmanaged<NSManagedObject>] { entries.compactMap { $0?.object } }

    private var mask: Int { entries.count - 1 }

    /// Where an ID belongs. The upper bits of its hash are the better ones.
    private func home(_ id: NSManagedObjectID) -> Int { (id.hashBits >> 32 ^ id.hashBits) & mask }

    /// Where an ID is, or the free place where it would be.
    private func place(_ id: NSManagedObjectID) -> Int {
        var place = home(id)
        while let entry = entries[place], !entry.id.isSame(as: id) { place = (place + 1) & mask }
        return place
    }

    subscript(id: NSManagedObjectID) -> Unmanaged<NSManagedObject>? { entries[place(id)]?.object }

    mutating func set(_ object: Unmanaged<NSManagedObject>, _ id: NSManagedObjectID) {
        let place = place(id)
        if entries[place] == nil { count += 1 }
        entries[place] = Entry(id: id, object: object)
        if count * 4 > entries.count * 3 { grow() }
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: nil, count: old.count * 2)
        for case let entry? in old { entries[place(entry.id)] = entry }
    }

    mutating func remove(_ id: NSManagedObjectID) {
        var free = place(id)
        guard entries[free] != nil else { return }
        entries[free] = nil
        count -= 1
        var next = (free + 1) & mask
        while let entry = entries[next] {
            // An entry may move up to the free place unless that lies before where it belongs.
            let distance = (next - home(entry.id)) & mask
            if distance >= (next - free) & mask {
                entries[free] = entry
                entries[next] = nil
                free = next
            }
            next = (next + 1) & mask
        }
    }
}
