internal import Foundation
internal import RuntimeSupport

/// A store in memory, which is lost with its coordinator.
///
/// To-many relationships with a to-one inverse are not written but follow from the inverse, as in a database: two
/// contexts that save different members of a relationship do not interfere with each other.
final class InMemoryStore: BuiltInEngine, @unchecked Sendable {
    static let storeType = NSInMemoryStoreType

    let environment: StoreEnvironment
    private let table = MemoryObjectTable()
    private var lists: [String: MemoryList] = [:]
    private var lastKey: Int64 = 0
    /// The derived attributes of the model; `nil` before the first save.
    private var derivations: Derivations?

    init(_ environment: StoreEnvironment) { self.environment = environment }

    var traits: StoreTraits { [.inMemory, .excludesObjects] }

    /// Does nothing: a store that is not open no longer exists.
    static func destroyStore(at url: URL, options: [AnyHashable: Any]) {}

    func entry(_ id: NSManagedObjectID) -> MemoryObject? { table.entry(id) }

    func entry(withKey key: Int64) -> MemoryObject? { table.entry(withKey: key) }

    /// Calls a function with the objects of each entity that has any.
    func forEachEntity(_ body: (EntityLayout, [MemoryObject]) -> Void) {
        for list in lists.values { if let first = list.objects.first { body(first.layout, list.objects) } }
    }

    // MARK: Reading

    func row(for id: NSManagedObjectID, _ layout: EntityLayout) -> Row? { entry(id)?.row }

    func members(of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout) -> [NSManagedObjectID] {
        entry(id)?.ids(at: index) ?? []
    }

    /// Searches the objects in place, if stored values suffice to match them.
    func fetch(_ search: FetchSearch, ahead: AnyObject?) -> StoreAnswer {
        guard search.readsStoredValues else {
            let all = search.layouts.flatMap { layout in (lists[layout.name]?.objects ?? []).map(\.id) }
            return StoreAnswer(.ids(all), remaining: search.clauses)
        }
        if search.settings.resultType == .countResultType {
            let rest = max(0, count(search) - search.settings.fetchOffset)
            return StoreAnswer(.count(search.settings.fetchLimit > 0 ? min(rest, search.settings.fetchLimit) : rest))
        }
        return StoreAnswer(.memoryObjects(objects(search)), remaining: search.clauses.subtracting(.predicate))
    }

    /// Returns the objects that a search matches, in unspecified order.
    private func objects(_ search: FetchSearch) -> [MemoryObject] {
        let excluded = Set(
            search.settings.excluded.lazy.filter { self.holds($0) }.compactMap { self.entry($0) }
                .map { ObjectIdentifier($0) })
        guard let filter = search.filter else {
            let matchingLists = search.layouts.compactMap { lists[$0.name] }
            let all = matchingLists.count == 1 ? matchingLists[0].objects : matchingLists.flatMap(\.objects)
            return excluded.isEmpty ? all : all.filter { !excluded.contains(ObjectIdentifier($0)) }
        }
        var found: [MemoryObject] = []
        for layout in search.layouts {
            let objects = lists[layout.name]?.objects ?? []
            lists[layout.name]?.forEachPosition(matching: filter) { position in
                let object = objects[position]
                if excluded.isEmpty || !excluded.contains(ObjectIdentifier(object)) { found.append(object) }
            }
        }
        return found
    }

    /// Returns the number of objects that a search matches, ignoring offset and limit.
    private func count(_ search: FetchSearch) -> Int {
        if !search.settings.excluded.isEmpty { return objects(search).count }
        var count = 0
        for layout in search.layouts {
            if let filter = search.filter {
                lists[layout.name]?.forEachPosition(matching: filter) { _ in count += 1 }
            } else {
                count += lists[layout.name]?.objects.count ?? 0
            }
        }
        return count
    }

    func permanentIDs(for new: [NewObject]) -> [NSManagedObjectID] {
        let storeIdentity = storeIdentity
        var ids: [NSManagedObjectID] = []
        ids.reserveCapacity(new.count)
        var (requested, registered): (EntityLayout?, EntityLayout?)
        for object in new {
            lastKey += 1
            if requested !== object.layout {
                requested = object.layout
                registered = host?.layout(named: object.layout.name)
            }
            if let registered {
                ids.append(NSManagedObjectID(key: lastKey, layout: registered, storeIdentity: storeIdentity))
            } else {
                ids.append(
                    NSManagedObjectID(.number(lastKey), keeping: object.layout, storeIdentity: storeIdentity))
            }
        }
        return ids
    }

    // MARK: Writing

    func prepare(_ save: StoreSave) throws -> PreparedSave {
        try checkReferences(of: save.changes)
        return PreparedSave(isWritten: true, commit: { [self] in write(save.changes) }, rollBack: {})
    }

    /// Writes changes, which cannot fail.
    private func write(_ changes: [ObjectChange]) -> SaveResult {
        var rows = [Row?](repeating: nil, count: changes.count)
        let derivations = cachedDerivations()
        var affected = Derivations.Affected()
        if !derivations.isEmpty {
            derivations.collect(
                changes.lazy.filter { $0.kind != .insert }.compactMap { self.entry($0.id) }, into: &affected)
        }
        // All rows first: relationships may connect any of them. New objects of the same entity are mostly adjacent.
        var blank: (layout: EntityLayout?, row: Row?)
        var made: [MemoryObject] = []
        for change in changes where change.kind == .insert {
            guard let key = change.id.rowKey else { continue }
            if blank.layout !== change.layout { blank = (change.layout, Row.blank(change.layout, version: 0)) }
            guard let row = blank.row else { continue }
            let entry = MemoryObject(id: change.id, layout: change.layout, row: row, table: table)
            table.insert(entry, key)
            made.append(entry)
        }
        var deleted: [MemoryObject] = []
        var number = -1
        changes.forEachUncounted { change in
            number += 1
            guard let key = change.id.rowKey, let entry = entry(withKey: key) else { return }
            if change.kind == .delete {
                write(nil, over: entry)
                leaveMembers(entry)
                entry.isDeleted = true
                deleted.append(entry)
                table.remove(key)
            } else if change.changesRow {
                // The row that the context created serves as its snapshot and as the store's row.
                let version = entry.row.version + 1
                let row = change.row.version == version ? change.row : Row.make(change.row.values, version: version)
                write(row, over: entry)
                rows[number] = row
            }
        }
        // Listed with their current values.
        list(made)
        for change in changes where change.kind != .delete && !change.members.isEmpty {
            guard let entry = entry(change.id) else { continue }
            for members in change.members { write(members, of: entry) }
        }
        dropDeleted(changes)
        forgetMembers(deleted)
        guard !derivations.isEmpty else { return SaveResult(rows: rows) }
        let written = changes.map { $0.kind == .delete ? nil : entry($0.id) }
        derivations.collect(written.lazy.compactMap { $0 }, into: &affected)
        derivations.recompute(written.compactMap { $0 }, affected)
        for object in written.compactMap({ $0 }) + affected.objects where !object.isDeleted {
            lists[object.layout.name]?.recordValues(of: object)
        }
        for (number, entry) in written.enumerated() {
            guard let entry else { continue }
            rows[number] = entry.row
            affected.remove(entry)
        }
        return SaveResult(rows: rows, derived: Dictionary(affected.objects.map { ($0.id, $0.row) }) { $1 })
    }

    private func cachedDerivations() -> Derivations {
        if let derivations { return derivations }
        let made = Derivations(host?.managedObjectModel.entities ?? [])
        derivations = made
        return made
    }

    /// Sets a row, or removes it if `nil`, and updates what follows from its to-one relationships.
    private func write(_ row: Row?, over entry: MemoryObject) {
        for index in entry.layout.toOneSlots {
            guard entry.layout.slots[index].inverseIsToMany, entry.layout.slots[index].inverse >= 0 else { continue }
            let inverse = entry.layout.slots[index].inverse
            let old = Self.reference(entry.row[index])
            let new = row.flatMap { Self.reference($0[index]) }
            guard old?.rowKey != new?.rowKey else { continue }
            if let old, let owner = self.entry(old) { owner.changeMembers(at: inverse) { $0.remove(entry.id) } }
            if let new, let owner = self.entry(new) {
                // The only relationship with this inverse: without a previous owner, the object cannot be a member yet.
                owner.changeMembers(at: inverse) { old == nil ? $0.append(entry.id) : $0.add(entry.id) }
            }
        }
        if let row {
            entry.row = row
            if entry.isListed { lists[entry.layout.name]?.recordValues(of: entry) }
        }
    }

    /// Adds new objects to their entities' lists. Those of the same entity are mostly adjacent.
    private func list(_ new: [MemoryObject]) {
        var rest = new[...]
        while let first = rest.first {
            let end = rest.firstIndex { $0.layout !== first.layout } ?? rest.endIndex
            lists[first.layout.name, default: MemoryList()].append(rest[..<end])
            rest = rest[end...]
        }
    }

    /// Removes an object from many-to-many relationships, as a database removes the rows of a join table.
    private func leaveMembers(_ entry: MemoryObject) {
        for index in entry.layout.toManySlots {
            let slot = entry.layout.slots[index]
            guard slot.inverseIsToMany, slot.inverse >= 0 else { continue }
            for id in entry.ids(at: index) {
                self.entry(id)?.changeMembers(at: slot.inverse) { $0.remove(entry.id) }
            }
        }
    }

    private static func reference(_ value: SlotValue) -> NSManagedObjectID? {
        if case .reference(let id) = value { id } else { nil }
    }

    private func write(_ change: ObjectChange.MemberChange, of entry: MemoryObject) {
        let slot = entry.layout.slots[change.slot]
        entry.changeMembers(at: change.slot) { list in
            if slot.inverse < 0 || slot.inverseIsToMany {
                for id in change.removed { list.remove(id) }
                for id in change.added { list.add(id) }
            }
            if let order = change.order { list.sort(by: order) }
        }
    }

    private func dropDeleted(_ changes: [ObjectChange]) {
        let names = Set(changes.lazy.filter { $0.kind == .delete }.map(\.layout.name))
        for name in names { lists[name]?.removeDeleted() }
    }
}
