internal import CCoreDataSupport

/// The objects of a context by ID, without keeping them alive.
///
/// Swift's weak references would do, but an object that has one counts all its references the slow way from then on. So objects
/// take themselves out when they are destroyed, on whatever thread that is; a lock keeps their memory until they have.
@usableFromInline
final class ObjectRegistry: @unchecked Sendable {
    private let lock = BriefLock()
    private let table = ProbeTable<ObjectEntry>()
    /// The stores of objects that have no IDs yet, for as long as there may be such.
    private var places: [StorePlace] = []

    subscript(id: NSManagedObjectID) -> NSManagedObject? {
        get {
            lock.lock()
            defer { lock.unlock() }
            return object(id)
        }
        set {
            if let newValue { return insert(newValue, id) }
            lock.lock()
            defer { lock.unlock() }
            if let place = place(id) { table.remove(at: place) }
        }
    }

    /// Takes an object up, in the place of another with the ID.
    func insert(_ object: NSManagedObject, _ id: NSManagedObjectID) {
        lock.lock()
        defer { lock.unlock() }
        let entry = ObjectEntry(probeHash: id.hashBits, object: .passUnretained(object))
        table.insert(entry) { $0.isOf(id) }
    }

    /// Takes an object up, in the place of another with the same identity.
    func insert(_ object: NSManagedObject) {
        if let id = object.state.pointee.objectID { return insert(object, id) }
        if let place = object.state.pointee.place {
            return place._withUnsafeGuaranteedRef { insert(object, object.state.pointee.key, $0) }
        }
        guard let hash = object.idHash else { return }
        lock.lock()
        defer { lock.unlock() }
        // Nobody else has the number of a temporary ID.
        table.insert(ObjectEntry(probeHash: hash, object: .passUnretained(object))) { $0.isSame(object) }
    }

    /// Takes the object of a row up, which has no ID yet.
    func insert(_ object: NSManagedObject, _ key: Int64, _ storePlace: StorePlace) {
        lock.lock()
        defer { lock.unlock() }
        if places.last !== storePlace, !places.contains(where: { $0 === storePlace }) { places.append(storePlace) }
        let layout = object.layout
        let entry = ObjectEntry(probeHash: KeyHash.bits(key) ^ layout.keySalt, object: .passUnretained(object))
        table.insert(entry) { $0.isOf(key, layout, storePlace) }
    }

    /// The place of an ID; nil when it is not here. Under the lock, as all below.
    private func place(_ id: NSManagedObjectID) -> Int? { table.place(id.hashBits) { $0.isOf(id) } }

    private func object(_ id: NSManagedObjectID) -> NSManagedObject? { place(id).flatMap { table[$0]?.strong } }

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
                if let known = object(id) {
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

    /// The object of a row, for those who have no ID of it; nil when it is not here.
    func object(_ key: Int64, _ layout: EntityLayout, _ storePlace: StorePlace) -> NSManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        let place = table.place(KeyHash.bits(key) ^ layout.keySalt) { $0.isOf(key, layout, storePlace) }
        return place.flatMap { table[$0]?.strong }
    }

    /// All objects that are alive.
    var objects: [NSManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(table.count)
        table.forEach { if let object = $0.strong { objects.append(object) } }
        return objects
    }

    /// Takes an object out that is being destroyed. Another one may have its ID by now.
    func forget(_ object: Unmanaged<NSManagedObject>, _ hash: Int) {
        lock.lock()
        defer { lock.unlock() }
        if let place = table.place(hash, where: { $0.object.toOpaque() == object.toOpaque() }) {
            table.remove(at: place)
        }
    }

    func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        table.removeAll()
    }
}

/// An object, which the registry does not keep alive: it is taken out before it goes.
private struct ObjectEntry: ProbeEntry {
    /// Of the object's ID.
    var probeHash: Int
    var object: Unmanaged<NSManagedObject>

    @inline(__always)
    func isOf(_ id: NSManagedObjectID) -> Bool { object._withUnsafeGuaranteedRef { $0.hasID(id) } }

    @inline(__always)
    func isOf(_ key: Int64, _ layout: EntityLayout, _ place: StorePlace) -> Bool {
        object._withUnsafeGuaranteedRef { $0.isOfRow(key, layout, place) }
    }

    func isSame(_ other: NSManagedObject) -> Bool { object.toOpaque() == Unmanaged.passUnretained(other).toOpaque() }

    /// The object with one reference more; nil when it is just being destroyed.
    var strong: NSManagedObject? {
        cd_try_retain(object.toOpaque()).map { Unmanaged<NSManagedObject>.fromOpaque($0).takeRetainedValue() }
    }
}
