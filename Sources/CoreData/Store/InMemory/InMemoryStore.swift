internal import Foundation

/// A store in memory: gone with its coordinator.
///
/// To-many relationships whose inverse is to-one are not written but follow from the inverse, as in a database: two contexts
/// that save different objects of one relationship do not disturb each other.
final class InMemoryStore: NSPersistentStore, @unchecked Sendable {
    /// An object.
    private final class Entry {
        let id: NSManagedObjectID
        let layout: EntityLayout
        var row: Row
        /// The members of to-many relationships by slot.
        var members: [Int: MemberList] = [:]

        init(id: NSManagedObjectID, layout: EntityLayout, row: Row) {
            self.id = id
            self.layout = layout
            self.row = row
        }
    }

    private var entries: [Int64: Entry] = [:]
    /// The objects of each entity in the order of their insertion, some of them deleted since.
    private var keysByEntity: [String: [Int64]] = [:]
    private var lastKey: Int64 = 0

    override var type: String { NSInMemoryStoreType }

    /// Nothing is left of a store that is not open.
    override static func destroyStore(at url: URL) {}

    private static func key(_ id: NSManagedObjectID) -> Int64? {
        if case .number(let key) = id.reference { key } else { nil }
    }

    private func entry(_ id: NSManagedObjectID) -> Entry? { Self.key(id).flatMap { entries[$0] } }

    // MARK: Reading

    override func row(
        for id: NSManagedObjectID, _ layout: EntityLayout, for context: NSManagedObjectContext
    ) -> Row? { entry(id)?.row }

    override func members(
        of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout, for context: NSManagedObjectContext
    ) -> [NSManagedObjectID] {
        entry(id)?.members[index]?.ids ?? []
    }

    override func candidates(
        _ request: FetchSettings, _ layouts: [EntityLayout], for context: NSManagedObjectContext
    ) -> [NSManagedObjectID] {
        layouts.flatMap { layout in (keysByEntity[layout.name] ?? []).compactMap { entries[$0]?.id } }
    }

    override func newIDs(for objects: [NSManagedObject]) -> [NSManagedObjectID] {
        objects.map { object in
            lastKey += 1
            return NSManagedObjectID(.number(lastKey), entity: object.layout.entity, store: self)
        }
    }

    // MARK: Writing

    override func save(
        _ changes: [ObjectChange], locked: [NSManagedObject], for context: NSManagedObjectContext
    ) throws -> [Row?] {
        var rows = [Row?](repeating: nil, count: changes.count)
        // All rows first: relationships may lead from any to any.
        for change in changes where change.kind == .insert {
            guard let key = Self.key(change.id) else { continue }
            let blank = Row(values: change.layout.defaults.map { _ in .null }, version: 0)
            entries[key] = Entry(id: change.id, layout: change.layout, row: blank)
            keysByEntity[change.layout.name, default: []].append(key)
        }
        for (number, change) in changes.enumerated() {
            guard let key = Self.key(change.id), let entry = entries[key] else { continue }
            if change.kind == .delete {
                write(nil, over: entry)
                leaveMembers(entry)
                entries[key] = nil
            } else if change.changesRow {
                // The row that the context made serves as its snapshot and as ours.
                let version = entry.row.version + 1
                let row = change.row.version == version ? change.row : Row(values: change.row.values, version: version)
                write(row, over: entry)
                rows[number] = row
            }
        }
        for change in changes where change.kind != .delete {
            guard let entry = entry(change.id) else { continue }
            for members in change.members { write(members, of: entry) }
        }
        dropDeletedKeys(changes)
        return rows
    }

    /// Sets a row, nil for none, and what follows from its to-one relationships.
    private func write(_ row: Row?, over entry: Entry) {
        for index in entry.layout.toOneSlots {
            let slot = entry.layout.slots[index]
            guard slot.inverseIsToMany, slot.inverse >= 0 else { continue }
            let old = Self.reference(entry.row.values[index])
            let new = row.flatMap { Self.reference($0.values[index]) }
            guard old.flatMap(Self.key) != new.flatMap(Self.key) else { continue }
            if let old, let owner = self.entry(old) { owner.members[slot.inverse]?.remove(entry.id) }
            if let new, let owner = self.entry(new) { owner.members[slot.inverse, default: MemberList()].add(entry.id) }
        }
        if let row { entry.row = row }
    }

    /// Takes an object out of the relationships of many to many, as a database removes the rows of a join table.
    private func leaveMembers(_ entry: Entry) {
        for (index, list) in entry.members {
            let slot = entry.layout.slots[index]
            guard slot.inverseIsToMany, slot.inverse >= 0 else { continue }
            for id in list.ids { self.entry(id)?.members[slot.inverse]?.remove(entry.id) }
        }
    }

    private static func reference(_ value: SlotValue) -> NSManagedObjectID? {
        if case .reference(let id) = value { id } else { nil }
    }

    private func write(_ change: ObjectChange.MemberChange, of entry: Entry) {
        let slot = entry.layout.slots[change.slot]
        var list = entry.members[change.slot] ?? MemberList()
        if slot.inverse < 0 || slot.inverseIsToMany {
            for id in change.removed { list.remove(id) }
            for id in change.added { list.add(id) }
        }
        if let order = change.order { list.sort(by: order) }
        entry.members[change.slot] = list
    }

    private func dropDeletedKeys(_ changes: [ObjectChange]) {
        let names = Set(changes.filter { $0.kind == .delete }.map(\.layout.name))
        for name in names { keysByEntity[name]?.removeAll { entries[$0] == nil } }
    }
}

/// The members of a to-many relationship in a store: each once, in order. A removal leaves a hole, so that it takes no longer
/// for many members than for few.
private struct MemberList {
    private var places: [NSManagedObjectID: Int] = [:]
    private var slots: [NSManagedObjectID?] = []

    var ids: [NSManagedObjectID] { slots.compactMap { $0 } }

    mutating func add(_ id: NSManagedObjectID) {
        guard places[id] == nil else { return }
        places[id] = slots.count
        slots.append(id)
    }

    mutating func remove(_ id: NSManagedObjectID) {
        guard let place = places.removeValue(forKey: id) else { return }
        slots[place] = nil
        if slots.count > 16, places.count < slots.count / 2 { set(ids) }
    }

    /// Puts the members into an order; those that are not in it stay behind the others.
    mutating func sort(by order: [NSManagedObjectID]) {
        let known = order.filter { places[$0] != nil }
        let listed = Set(known)
        set(known + ids.filter { !listed.contains($0) })
    }

    private mutating func set(_ ids: [NSManagedObjectID]) {
        slots = ids
        places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
    }
}
