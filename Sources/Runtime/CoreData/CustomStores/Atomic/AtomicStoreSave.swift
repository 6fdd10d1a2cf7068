internal import Foundation
internal import RuntimeSupport

/// A save of an atomic store: applies changes to its nodes, and can revert them.
struct AtomicStoreSave {
    private let store: NSAtomicStore
    private let cache: NodeCache
    private let changes: [ObjectChange]
    /// The existing nodes, with their values before the save.
    private var former: [NSManagedObjectID: Former] = [:]
    /// The nodes that did not exist before the save.
    private var created: Set<NSManagedObjectID> = []
    private var removed: [NSAtomicStoreCacheNode] = []
    private let deleted: Set<NSManagedObjectID>

    /// The state of a node before the save.
    private struct Former {
        var node: NSAtomicStoreCacheNode
        var names: [String]
        var values: [String: Any] = [:]

        /// The paths of elements of composite attributes whose values cannot be read, which the node keeps separately.
        var elementPaths: [String] { names.filter { $0.contains(".") } }

        /// Returns the IDs in a relationship.
        func ids(_ name: String) -> [NSManagedObjectID] {
            guard let value = values[name] else { return [] }
            if let node = value as? NSAtomicStoreCacheNode { return [node.objectID] }
            return AtomicStoreSave.members(value)?.map(\.objectID) ?? []
        }
    }

    init(store: NSAtomicStore, cache: NodeCache, changes: [ObjectChange]) {
        self.store = store
        self.cache = cache
        self.changes = changes
        deleted = Set(changes.lazy.filter { $0.kind == .delete }.map(\.id))
    }

    /// Returns the nodes of a to-many relationship, or `nil` if the value is not a collection of nodes.
    static func members(_ value: Any) -> [NSAtomicStoreCacheNode]? {
        guard let elements = StoredCollection.elements(value) else { return nil }
        let nodes = elements.compactMap { $0 as? NSAtomicStoreCacheNode }
        return nodes.count == elements.count ? nodes : nil
    }

    /// Applies the changes to the nodes.
    mutating func apply() {
        for change in changes { remember(change.id) }
        var members = MemberChanges(changes) { [former] id, name in former[id]?.ids(name).first }
        for id in members.owners { remember(id) }
        for change in changes where change.kind == .insert { insert(change) }
        for change in changes where change.kind != .delete {
            guard let node = store.cacheNode(for: change.id) else { continue }
            change.object.keepingFaults { store.updateCacheNode(node, from: change.object) }
            if change.kind == .update, !change.changesRow { keepRow(of: node, change) }
            members.recordUpdate(of: change)
        }
        removed = changes.filter { $0.kind == .delete }.compactMap { store.cacheNode(for: $0.id) }
        for (key, change) in members.changes { correct(key, change) }
        guard !removed.isEmpty else { return }
        forgetRemoved()
        store.willRemoveCacheNodes(Set(removed))
        cache.remove(removed.map(\.objectID))
    }

    private mutating func remember(_ id: NSManagedObjectID) {
        guard former[id] == nil, !created.contains(id), let node = store.cacheNode(for: id) else { return }
        let properties = id.entity.properties.filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) }
        var entry = Former(node: node, names: properties.map(\.name))
        for property in properties {
            let value = node.value(forKey: property.name)
            // A collection may be mutated in place.
            let isToMany = (property as? NSRelationshipDescription)?.isToMany == true
            entry.values[property.name] = isToMany ? (value as? NSObject)?.copy() ?? value : value
        }
        for case let path as String in node.propertyCache?.allKeys ?? [] where path.contains(".") {
            entry.names.append(path)
            entry.values[path] = node.value(forKey: path)
        }
        former[id] = entry
    }

    private mutating func insert(_ change: ObjectChange) {
        // The store may have created it for another object that refers to it.
        if store.cacheNode(for: change.id) == nil {
            let node = change.object.keepingFaults { store.newCacheNode(for: change.object) }
            guard node.objectID == change.id else {
                misuse(
                    "\(type(of: store)) gives a node with the ID \(node.objectID.uriRepresentation()) for the new object "
                        + "\(change.id.uriRepresentation())")
            }
            if store.cacheNode(for: change.id) == nil { cache.add(node) }
        }
        if former[change.id] == nil { created.insert(change.id) }
    }

    /// Restores the attributes and to-one relationships of a node of which only to-many relationships change. The
    /// version of such an object is not compared, so the saving context may not know values that another context has
    /// saved since.
    private func keepRow(of node: NSAtomicStoreCacheNode, _ change: ObjectChange) {
        guard let entry = former[change.id] else { return }
        for index in change.layout.rowSlots where !change.layout.derivedSlots.contains(index) {
            let name = change.layout.slots[index].name
            let value = entry.values[name]
            let isRemoved = (value as? NSAtomicStoreCacheNode).map { deleted.contains($0.objectID) } ?? false
            node.setValue(isRemoved ? nil : value, forKey: name)
        }
        for path in entry.elementPaths { node.setValue(entry.values[path], forKey: path) }
    }

    /// Sets a to-many relationship to its previous members with the changes applied. The saving context may not know
    /// members that another context has saved since.
    private func correct(_ key: MemberChanges.Key, _ change: MemberChanges.Change) {
        guard let node = store.cacheNode(for: key.owner) else { return }
        let requested = change.applied(to: former[key.owner]?.ids(key.name) ?? [])
        let actual = node.value(forKey: key.name).flatMap(Self.members)?.map(\.objectID) ?? []
        guard change.isOrdered ? actual != requested : Set(actual) != Set(requested) else { return }
        let nodes = requested.compactMap { store.cacheNode(for: $0) }
        node.setValue(change.isOrdered ? NSOrderedSet(array: nodes) : NSSet(array: nodes), forKey: key.name)
    }

    /// Takes the removed nodes out of the relationships of the remaining ones: of to-many relationships without an
    /// inverse or whose changes the saving context did not know, and of those with the delete rule No Action. A file
    /// with a reference to a missing object could not be read.
    private mutating func forgetRemoved() {
        let ids = Set(removed.map(\.objectID))
        for node in store.cacheNodes() where !ids.contains(node.objectID) {
            let layout = node.objectID.layout
            for index in layout.toOneSlots + layout.toManySlots where !layout.slots[index].isTransient {
                let name = layout.slots[index].name
                guard let value = node.value(forKey: name) else { continue }
                if let target = value as? NSAtomicStoreCacheNode {
                    guard ids.contains(target.objectID) else { continue }
                    remember(node.objectID)
                    node.setValue(nil, forKey: name)
                } else if let members = Self.members(value), members.contains(where: { ids.contains($0.objectID) }) {
                    remember(node.objectID)
                    let rest = members.filter { !ids.contains($0.objectID) }
                    let new: NSObject = value is NSOrderedSet ? NSOrderedSet(array: rest) : NSSet(array: rest)
                    node.setValue(new, forKey: name)
                }
            }
        }
    }

    /// Reverts the changes after the store could not be written.
    func rollBack() {
        cache.remove(Array(created))
        for entry in former.values {
            cache.add(entry.node)
            for name in entry.names { entry.node.setValue(entry.values[name], forKey: name) }
        }
    }

    /// Increments the versions of the written nodes. Returns the current rows.
    func finish() -> [Row?] {
        for node in removed { node.propertyCache = nil }
        return changes.map { change in
            guard change.kind != .delete, change.changesRow, let node = store.cacheNode(for: change.id) else {
                return nil
            }
            if change.kind == .update { node.version += 1 }
            var values = Array(change.row.values)
            for slot in change.layout.bytesSlots {
                if let stored = node.value(forKey: change.layout.slots[slot].name) as? StoredBytes {
                    values[slot] = .stored(stored)
                }
            }
            return Row.make(values, version: node.version)
        }
    }
}

extension NSManagedObject {
    /// Calls a store's method that reads the object's values, and turns the relationships that it has loaded into
    /// faults again: what a context knows of its objects, and so what it saves later, must not depend on the type of
    /// the store.
    fileprivate final func keepingFaults<Result>(_ body: () -> Result) -> Result {
        let (toOne, toMany) = (layout.toOneSlots, layout.toManySlots)
        let before = loadedSlots.map { slots in (toOne + toMany).map { slots[$0] } }
        let result = body()
        guard let before, let slots = loadedSlots else { return result }
        for (index, former) in zip(toOne + toMany, before) {
            switch (former, slots[index]) {
            case (.reference, .managed): writableSlots()[index] = former
            case (.null, .many(let members)) where !members.storage.isChanged: writableSlots()[index] = former
            default: continue
            }
        }
        return result
    }
}
