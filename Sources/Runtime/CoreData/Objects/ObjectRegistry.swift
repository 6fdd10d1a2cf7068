internal import CCoreDataSupport
internal import RuntimeSupport

/// A table of the unretained objects of a context, by ID.
///
/// Weak references are not used: an object that has one uses slow reference counting from then on. Instead, objects
/// remove themselves when they are destroyed, on any thread; a lock keeps their memory valid until then.
@usableFromInline
final class ObjectRegistry: @unchecked Sendable {
    private let lock = BriefLock()
    /// The objects of rows, by hierarchy and store.
    private var tables: [RowObjects] = []
    /// Behind a pointer, because a class's stored variable is checked for exclusive access each time.
    private let last: UnsafeMutablePointer<LastTable>
    /// New objects, by the numbers of their temporary IDs.
    private let temporary = KeyPages<NSManagedObject>()
    /// Objects whose IDs have references other than numbers, such as strings.
    private var others: [NSManagedObjectID: Unmanaged<NSManagedObject>] = [:]

    /// The most recently used table and its layout.
    private struct LastTable {
        /// Retains the layout, so no other one can have its address.
        var layout: EntityLayout?
        /// The layout's address, which is compared without reference counting.
        var address: UnsafeMutableRawPointer?
        var table: Unmanaged<RowObjects>?
        var storeIdentity: Unmanaged<StoreIdentity>?
    }

    init() {
        last = .allocate(capacity: 1)
        last.initialize(to: LastTable())
    }

    deinit {
        last.deinitialize(count: 1)
        last.deallocate()
    }

    /// The objects of one entity hierarchy in one store. Retains the store's identities, which objects without an ID do
    /// not.
    private final class RowObjects {
        let rootName: String
        /// The identities of the store, all with its UUID: a store that was moved, or removed and added again, has
        /// another.
        private var storeIdentities: [StoreIdentity]
        private(set) var layouts: [EntityLayout] = []
        let objects = KeyPages<NSManagedObject>()

        init(_ rootName: String, _ storeIdentity: StoreIdentity) {
            self.rootName = rootName
            storeIdentities = [storeIdentity]
        }

        func record(_ layout: EntityLayout) {
            if !layouts.contains(where: { $0 === layout }) { layouts.append(layout) }
        }

        /// Returns whether the objects belong to the store of an identity, which is retained from then on.
        func adopts(_ storeIdentity: StoreIdentity) -> Bool {
            if storeIdentities.contains(where: { $0 === storeIdentity }) { return true }
            guard storeIdentities[0].uuid == storeIdentity.uuid else { return false }
            storeIdentities.append(storeIdentity)
            return true
        }
    }

    subscript(id: NSManagedObjectID) -> NSManagedObject? {
        get {
            lock.lock()
            defer { lock.unlock() }
            return object(id)
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            set(newValue.map { .passUnretained($0) }, id)
        }
    }

    /// Returns the registered object of a row, or `nil` if there is none. For callers without an ID.
    func object(_ key: Int64, layout: EntityLayout, storeIdentity: StoreIdentity) -> NSManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        return table(layout, storeIdentity)?._withUnsafeGuaranteedRef { $0.objects[key] }.flatMap(Self.strong)
    }

    /// Registers the object of a row.
    func insert(_ object: NSManagedObject, key: Int64, layout: EntityLayout, storeIdentity: StoreIdentity) {
        lock.lock()
        defer { lock.unlock() }
        makeTable(layout, storeIdentity)._withUnsafeGuaranteedRef { _ = $0.objects.set(.passUnretained(object), key) }
    }

    /// Registers an object, replacing another with the same identity.
    func insert(_ object: NSManagedObject) {
        lock.lock()
        defer { lock.unlock() }
        let identity = object.identity
        if let id = identity.id {
            set(.passUnretained(object), id)
        } else if let storeIdentity = identity.storeIdentity {
            storeIdentity._withUnsafeGuaranteedRef { storeIdentity in
                _ = makeTable(object.layout, storeIdentity)._withUnsafeGuaranteedRef {
                    $0.objects.set(.passUnretained(object), identity.key)
                }
            }
        } else {
            temporary.set(.passUnretained(object), identity.key)
        }
    }

    /// Removes an object that is being destroyed or gets another ID. Another object may have its ID by now.
    func forget(_ object: Unmanaged<NSManagedObject>) {
        lock.lock()
        defer { lock.unlock() }
        object._withUnsafeGuaranteedRef { registered in
            let state = registered.state
            if let storeIdentity = state.pointee.storeIdentity {
                let table =
                    isLast(.passUnretained(registered.layout), storeIdentity)
                    ? last.pointee.table
                    : storeIdentity._withUnsafeGuaranteedRef { self.table(registered.layout, $0) }
                table?._withUnsafeGuaranteedRef { table in
                    guard table.objects[state.pointee.key]?.toOpaque() == object.toOpaque() else { return }
                    table.objects.remove(state.pointee.key)
                }
            } else if let id = state.pointee.objectID {
                if find(id)?.toOpaque() == object.toOpaque() { set(nil, id) }
            } else if temporary[state.pointee.key]?.toOpaque() == object.toOpaque() {
                temporary.remove(state.pointee.key)
            }
        }
    }

    /// Returns the objects for those of a store, either all or those at given indices. Creates unregistered ones,
    /// without holding the lock.
    func objects(
        for stored: [MemoryObject], at positions: ArraySlice<Int>?, orMake make: (NSManagedObjectID) -> NSManagedObject
    ) -> [NSManagedObject] {
        let count = positions?.count ?? stored.count
        let first = positions?.startIndex ?? 0
        return [NSManagedObject](unsafeUninitializedCapacity: count) { buffer, made in
            lock.lock()
            defer { lock.unlock() }
            while made < count {
                let id = stored[positions.map { $0[first + made] } ?? made].id
                if let existing = object(id) {
                    (buffer.baseAddress.unsafelyUnwrapped + made).initialize(to: existing)
                } else {
                    lock.unlock()
                    (buffer.baseAddress.unsafelyUnwrapped + made).initialize(to: make(id))
                    lock.lock()
                }
                made += 1
            }
        }
    }

    /// Whether an object has a temporary ID.
    var hasTemporaryIDs: Bool {
        lock.lock()
        defer { lock.unlock() }
        return temporary.count > 0
    }

    /// All live objects.
    var objects: [NSManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        var objects: [NSManagedObject] = []
        for table in tables { table.objects.forEach { if let object = Self.strong($1) { objects.append(object) } } }
        temporary.forEach { if let object = Self.strong($1) { objects.append(object) } }
        objects += others.values.compactMap(Self.strong)
        WorkCount.record(objects.count)
        return objects
    }

    /// All live objects with a to-many relationship to one of some entity hierarchies.
    func objects(withMembersIn roots: Set<String>) -> [NSManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        var objects: [NSManagedObject] = []
        func visit(_ object: Unmanaged<NSManagedObject>) {
            WorkCount.record(1)
            if let object = Self.strong(object), object.layout.hasMembers(in: roots) { objects.append(object) }
        }
        for table in tables where table.layouts.contains(where: { $0.hasMembers(in: roots) }) {
            table.objects.forEach { visit($1) }
        }
        temporary.forEach { visit($1) }
        others.values.forEach(visit)
        return objects
    }

    func removeAll() {
        lock.lock()
        defer { lock.unlock() }
        // The tables stay: objects that outlive the context may be asked for their IDs.
        for table in tables { table.objects.removeAll() }
        temporary.removeAll()
        others = [:]
    }

    // MARK: Under the lock

    private func object(_ id: NSManagedObjectID) -> NSManagedObject? { find(id).flatMap(Self.strong) }

    /// Returns the retained object, or `nil` if it is being destroyed.
    private static func strong(_ object: Unmanaged<NSManagedObject>) -> NSManagedObject? {
        cd_try_retain(object.toOpaque()).map { Unmanaged<NSManagedObject>.fromOpaque($0).takeRetainedValue() }
    }

    private func find(_ id: NSManagedObjectID) -> Unmanaged<NSManagedObject>? {
        switch id.reference {
        case .temporary(let number): return temporary[Int64(bitPattern: number)]
        case .number(let key):
            if let storeIdentity = id.storeIdentity {
                return table(id.layout, storeIdentity)?._withUnsafeGuaranteedRef { $0.objects[key] }
            }
            return others[id]
        case .text, .other: return others[id]
        }
    }

    private func set(_ object: Unmanaged<NSManagedObject>?, _ id: NSManagedObjectID) {
        switch (id.reference, id.storeIdentity) {
        case (.temporary(let number), _):
            let key = Int64(bitPattern: number)
            if let object { temporary.set(object, key) } else { temporary.remove(key) }
        case (.number(let key), let storeIdentity?):
            if let object {
                makeTable(id.layout, storeIdentity)._withUnsafeGuaranteedRef { _ = $0.objects.set(object, key) }
            } else {
                table(id.layout, storeIdentity)?._withUnsafeGuaranteedRef { _ = $0.objects.remove(key) }
            }
        default: others[id] = object
        }
    }

    /// Returns whether the last table is the one for the rows of an entity.
    @inline(__always)
    private func isLast(_ layout: Unmanaged<EntityLayout>, _ storeIdentity: Unmanaged<StoreIdentity>) -> Bool {
        last.pointee.address == layout.toOpaque() && last.pointee.storeIdentity?.toOpaque() == storeIdentity.toOpaque()
    }

    /// Returns the registry's table for the rows of an entity, or `nil` if it has none yet.
    private func table(_ layout: EntityLayout, _ storeIdentity: StoreIdentity) -> Unmanaged<RowObjects>? {
        if isLast(.passUnretained(layout), .passUnretained(storeIdentity)) { return last.pointee.table }
        guard let found = tables.first(where: { $0.rootName == layout.rootName && $0.adopts(storeIdentity) }) else {
            return nil
        }
        record(found, layout: layout, storeIdentity: storeIdentity)
        return .passUnretained(found)
    }

    private func makeTable(_ layout: EntityLayout, _ storeIdentity: StoreIdentity) -> Unmanaged<RowObjects> {
        if let cached = table(layout, storeIdentity) { return cached }
        let made = RowObjects(layout.rootName, storeIdentity)
        tables.append(made)
        record(made, layout: layout, storeIdentity: storeIdentity)
        return .passUnretained(made)
    }

    private func record(_ table: RowObjects, layout: EntityLayout, storeIdentity: StoreIdentity) {
        table.record(layout)
        last.pointee = LastTable(
            layout: layout, address: Unmanaged.passUnretained(layout).toOpaque(), table: .passUnretained(table),
            storeIdentity: .passUnretained(storeIdentity))
    }
}
