internal import Foundation
internal import RuntimeSupport

/// The base class of stores that keep all objects in memory and write them as a whole, for custom file formats.
///
/// A subclass overrides `load()`, `save()`, `newCacheNode(for:)`, `updateCacheNode(_:from:)` and
/// `newReferenceObject(for:)`. It reads its metadata when it is created, and overrides `type` and the class's
/// `metadataForPersistentStore(with:)` and `setMetadata(_:forPersistentStoreAt:)`.
///
/// ```swift
/// class LinesStore: NSAtomicStore {
///     override func load() throws { addCacheNodes([]) }
///     override func save() throws {}
/// }
/// NSPersistentStoreCoordinator.registerStoreClass(LinesStore.self, forStoreType: "LinesStore")
/// ```
///
/// All methods are called under the coordinator's lock, one at a time, on the thread that uses the saving context.
open class NSAtomicStore: NSPersistentStore, StoreEngine, @unchecked Sendable {
    private let cache = NodeCache()

    deinit {
        // Nodes form retain cycles.
        for node in cache.all { node.propertyCache = nil }
    }

    // MARK: Methods to override

    /// Reads all objects from the store's URL, and passes them to `addCacheNodes(_:)`. Called when the store is added;
    /// the file may not exist yet.
    ///
    /// - Throws: An error if the objects cannot be read. The store is then not added.
    open func load() throws { abstractMethod(self, "load()") }

    /// Writes all objects (`cacheNodes()`) and the metadata to the store's URL.
    ///
    /// - Throws: An error if they cannot be written. The file must then be unchanged; the nodes get their former values
    ///   back.
    open func save() throws { abstractMethod(self, "save()") }

    /// Creates the node of a new object that is being saved, with the object's ID and values. Nodes of other objects in
    /// the same save may not exist yet: `updateCacheNode(_:from:)` is called once all do.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        abstractMethod(self, "newCacheNode(for:)")
    }

    /// Sets a node's values to those of an object that is being saved. Relationships contain the nodes that
    /// `cacheNode(for:)` returns.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        abstractMethod(self, "updateCacheNode(_:from:)")
    }

    /// Called before nodes are removed, because their objects are deleted or the store is removed. Does nothing unless
    /// overridden; retain cycles of nodes are broken in any case.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    /// Returns a reference value for a new object, unique among the objects of its entity's hierarchy: a number or a
    /// string.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        abstractMethod(self, "newReferenceObject(for:)")
    }

    // MARK: Methods for subclasses

    /// Returns the nodes of all objects.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { Set(cache.all) }

    /// Adds the nodes that `load()` has read. A node replaces another with the same ID.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { cache.add(cacheNodes) }

    /// Returns the node of an object, or `nil` if the store has none.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? { cache[objectID] }

    /// Returns the ID for a reference value: the same for the same value.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        makeID(data, entity)
    }

    /// Returns the reference value of an ID. Traps on an ID of another store and on a temporary one.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { referenceValue(of: objectID) }

    /// Called before the store is removed from its coordinator. Releases the nodes.
    open override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        let nodes = cacheNodes()
        if !nodes.isEmpty { willRemoveCacheNodes(nodes) }
        super.willRemove(from: coordinator)
    }

    // MARK: Files

    override class func destroyStore(at url: URL, options: [AnyHashable: Any]) throws {
        try AtomicStoreFile(url).remove()
    }

    override class func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        try AtomicStoreFile(url).replace(with: AtomicStoreFile(source))
    }

    // MARK: Access by contexts

    override final var engine: any StoreEngine { self }

    package final var traits: StoreTraits { .copyReplacesContents }

    package final func loadContents() throws { try load() }

    package final func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? {
        guard let node = cacheNode(for: id) else { return nil }
        var values = [SlotValue](repeating: .null, count: layout.slots.count)
        for index in layout.rowSlots {
            guard let value = Unwrapping.value(node.value(forKey: layout.slots[index].name)) else { continue }
            if let stored = value as? StoredBytes {
                values[index] = .stored(stored)
            } else if case .attribute(let type) = layout.slots[index].kind {
                values[index] = try layout.stored(value, at: index, type: type, id: id)
            } else if let other = value as? NSAtomicStoreCacheNode {
                values[index] = .reference(other.objectID)
            } else {
                throw layout.wrong(value, at: index, id)
            }
        }
        return Row.make(values, version: node.version)
    }

    package final func members(
        of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout
    ) throws -> [NSManagedObjectID] {
        guard let node = cacheNode(for: id) else { return [] }
        guard let value = node.value(forKey: layout.slots[index].name) else { return [] }
        guard let members = AtomicStoreSave.members(value) else { throw layout.wrong(value, at: index, id) }
        return members.map(\.objectID)
    }

    package final func fetch(_ search: FetchSearch, ahead: AnyObject?) -> StoreAnswer {
        StoreAnswer(.ids(search.layouts.flatMap { cache.ids(ofEntity: $0.name) }), remaining: search.clauses)
    }

    package final func permanentIDs(for new: [NewObject]) -> [NSManagedObjectID] {
        let objects = new.map(\.handle.object)
        return checked(
            objects.map { objectID(for: $0.entity, withReferenceObject: newReferenceObject(for: $0)) }, for: objects)
    }

    package final func prepare(_ save: StoreSave) throws -> PreparedSave {
        try AtomicReferenceCheck(store: self, changes: save.changes).run()
        var transaction = AtomicStoreSave(store: self, cache: cache, changes: save.changes)
        transaction.apply()
        let file: StagedFile?
        do {
            file = try stage()
        } catch {
            transaction.rollBack()
            throw error
        }
        return PreparedSave(isWritten: file != nil) { [self] in
            do {
                if let file { try file.commit() } else { try self.save() }
            } catch {
                transaction.rollBack()
                throw error
            }
            return SaveResult(rows: transaction.finish())
        } rollBack: {
            file?.discard()
            transaction.rollBack()
        }
    }

    /// Writes all objects and the metadata next to the store's file, and returns the new file, which replaces it when
    /// the save is committed. Returns `nil` for subclasses of the app, which only have `save()`.
    func stage() throws -> StagedFile? { nil }
}
