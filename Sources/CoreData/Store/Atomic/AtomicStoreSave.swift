internal import Foundation

/// One save of an atomic store: brings changes into its nodes, and can take them back.
struct AtomicStoreSave {
    private let store: NSAtomicStore
    private let cache: NodeCache
    private let changes: [ObjectChange]
    /// The nodes that were there before, with their values.
    private var former: [(node: NSAtomicStoreCacheNode, layout: EntityLayout, values: [String: Any])] = []
    private var inserted: [NSManagedObjectID] = []
    private var removed: [NSAtomicStoreCacheNode] = []
    /// The members of to-many relationships before, by object and slot.
    private var formerMembers: [NSManagedObjectID: [Int: [NSManagedObjectID]]] = [:]

    init(_ store: NSAtomicStore, _ cache: NodeCache, _ changes: [ObjectChange]) {
        self.store = store
        self.cache = cache
        self.changes = changes
    }

    /// The nodes of a to-many relationship; nil when the value is no collection of nodes.
    static func members(_ value: Any) -> [NSAtomicStoreCacheNode]? {
        guard let elements = StoredCollection.elements(value) else { return nil }
        let nodes = elements.compactMap { $0 as? NSAtomicStoreCacheNode }
        return nodes.count == elements.count ? nodes : nil
    }

    /// Brings the changes into the nodes.
    mutating func apply() {
        for change in changes {
            guard let node = store.cacheNode(for: change.id) else { continue }
            remember(node, change.layout)
        }
        for change in changes where change.kind == .insert { insert(change) }
        for change in changes where change.kind != .delete {
            guard let node = store.cacheNode(for: change.id) else { continue }
            store.updateCacheNode(node, from: change.object)
            for index in change.layout.toManySlots where !change.layout.slots[index].isTransient {
                correct(node, change, index)
            }
        }
        removed = changes.filter { $0.kind == .delete }.compactMap { store.cacheNode(for: $0.id) }
        if !removed.isEmpty {
            store.willRemoveCacheNodes(Set(removed))
            cache.remove(removed.map(\.objectID))
        }
    }

    private mutating func remember(_ node: NSAtomicStoreCacheNode, _ layout: EntityLayout) {
        var values: [String: Any] = [:]
        for index in layout.rowSlots { values[layout.slots[index].name] = node.value(forKey: layout.slots[index].name) }
        for index in layout.toManySlots {
            guard let value = node.value(forKey: layout.slots[index].name) else { continue }
            // A collection may be changed in its place.
            values[layout.slots[index].name] = (value as? NSObject)?.copy() ?? value
            formerMembers[node.objectID, default: [:]][index] = Self.members(value)?.map(\.objectID)
        }
        former.append((node, layout, values))
    }

    private mutating func insert(_ change: ObjectChange) {
        // The store may have made it for another object that leads to it.
        if store.cacheNode(for: change.id) == nil {
            let node = store.newCacheNode(for: change.object)
            guard node.objectID == change.id else {
                misuse(
                    "\(type(of: store)) gives a node with the ID \(node.objectID.uriRepresentation()) for the new object "
                        + "\(change.id.uriRepresentation())")
            }
            if store.cacheNode(for: change.id) == nil { cache.add(node) }
        }
        inserted.append(change.id)
    }

    /// Sees to it that members which this context does not know of, because others have saved them since, stay.
    private func correct(_ node: NSAtomicStoreCacheNode, _ change: ObjectChange, _ index: Int) {
        let name = change.layout.slots[index].name
        let former = formerMembers[change.id]?[index] ?? []
        let members = change.members.first { $0.slot == index }
        var wanted = former
        if let members {
            let removed = Set(members.removed)
            let known = Set(former)
            wanted = former.filter { !removed.contains($0) } + members.added.filter { !known.contains($0) }
            if let order = members.order {
                let rest = Set(wanted)
                let listed = Set(order)
                wanted = order.filter(rest.contains) + wanted.filter { !listed.contains($0) }
            }
        }
        let isOrdered = change.layout.slots[index].kind == .toMany(isOrdered: true)
        let actual = node.value(forKey: name).flatMap(Self.members)?.map(\.objectID) ?? []
        guard isOrdered ? actual != wanted : Set(actual) != Set(wanted) else { return }
        let nodes = wanted.compactMap { store.cacheNode(for: $0) }
        node.setValue(isOrdered ? NSOrderedSet(array: nodes) : NSSet(array: nodes), forKey: name)
    }

    /// Takes the changes back after the store could not be written.
    func takeBack() {
        let known = Set(former.map(\.node.objectID))
        cache.remove(inserted.filter { !known.contains($0) })
        for (node, layout, values) in former {
            cache.add(node)
            for index in layout.rowSlots + layout.toManySlots {
                node.setValue(values[layout.slots[index].name], forKey: layout.slots[index].name)
            }
        }
    }

    /// Counts the versions of what was written. Gives the rows as they are now.
    func finish() -> [NSManagedObjectID: Row] {
        for node in removed { node.propertyCache = nil }
        var rows: [NSManagedObjectID: Row] = [:]
        for change in changes where change.kind != .delete && change.changesRow {
            guard let node = store.cacheNode(for: change.id) else { continue }
            if change.kind == .update { node.version += 1 }
            rows[change.id] = Row(values: change.row.values, version: node.version)
        }
        return rows
    }
}
