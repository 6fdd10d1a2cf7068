internal import Foundation

/// The base class of stores that hold all objects in memory and write them as a whole, for custom file formats.
///
/// A subclass overrides `load()`, `save()`, `newCacheNode(for:)`, `updateCacheNode(_:from:)` and `newReferenceObject(for:)`. It
/// reads its metadata when it is created, and overrides `type` and the class's `metadataForPersistentStore(with:)` and
/// `setMetadata(_:forPersistentStoreAt:)`.
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
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
    private let cache = NodeCache()

    deinit {
        // Nodes refer to each other in circles.
        for node in cache.all { node.propertyCache = nil }
    }

    // MARK: What a subclass overrides

    /// Reads all objects from the store's URL, and hands them to `addCacheNodes(_:)`. Called when the store is added; there may
    /// be no file yet.
    ///
    /// - Throws: why the objects cannot be read. The store is not added then.
    open func load() throws { abstractMethod(self, "load()") }

    /// Writes all objects, `cacheNodes()`, and the metadata to the store's URL.
    ///
    /// - Throws: why they cannot be written. The file must be as it was; the nodes get their former values back.
    open func save() throws { abstractMethod(self, "save()") }

    /// Makes the node of a new object, which is being saved and has its ID, with the values of the object. Nodes of other
    /// objects of the same save may not exist yet: `updateCacheNode(_:from:)` is called when all do.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        abstractMethod(self, "newCacheNode(for:)")
    }

    /// Gives a node the values of an object that is being saved. Relationships lead to the nodes that `cacheNode(for:)` gives.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        abstractMethod(self, "updateCacheNode(_:from:)")
    }

    /// Says that nodes are going to be removed, because their objects are deleted or the store is. Does nothing unless
    /// overridden; circles of nodes are broken in any case.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    /// Returns a value that stands for a new object, unique among the objects of its entity's hierarchy: a number or a
    /// text.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        abstractMethod(self, "newReferenceObject(for:)")
    }

    // MARK: What a subclass uses

    /// Returns the nodes of all objects.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { Set(cache.all) }

    /// Adds the nodes that `load()` has read. One whose ID is known replaces the other.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { cache.add(cacheNodes) }

    /// Returns the node of an object, or nil if the store has none.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? { cache[objectID] }

    /// Returns the ID of the object that a value stands for: the same for the same value.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        makeID(data, entity)
    }

    /// Returns the value that an ID was made of. An ID of another store, or a temporary one, traps.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { referenceValue(of: objectID) }

    /// Called before the store is removed from its coordinator; lets the nodes go.
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

    // MARK: What contexts ask for

    override final func loadContents() throws { try load() }

    override final var copyReplacesContents: Bool { true }

    override final func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? {
        guard let node = cacheNode(for: id) else { return nil }
        var values = [SlotValue](repeating: .null, count: layout.slots.count)
        for index in layout.rowSlots {
            guard let value = ValueConversion.unwrapped(node.value(forKey: layout.slots[index].name)) else { continue }
            if case .attribute(let type) = layout.slots[index].kind {
                values[index] = try layout.stored(value, at: index, type, id)
            } else if let other = value as? NSAtomicStoreCacheNode {
                values[index] = .reference(other.objectID)
            } else {
                throw layout.wrong(value, at: index, id)
            }
        }
        return Row.make(values, version: node.version)
    }

    override final func members(
        of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout
    ) throws -> [NSManagedObjectID] {
        guard let node = cacheNode(for: id) else { return [] }
        guard let value = node.value(forKey: layout.slots[index].name) else { return [] }
        guard let members = AtomicStoreSave.members(value) else { throw layout.wrong(value, at: index, id) }
        return members.map(\.objectID)
    }

    override final func fetch(_ search: FetchSearch) -> StoreAnswer {
        StoreAnswer(.ids(search.layouts.flatMap { cache.ids(ofEntity: $0.name) }), remaining: search.parts)
    }

    override final func newIDs(for objects: [NSManagedObject]) -> [NSManagedObjectID] {
        checked(
            objects.map { objectID(for: $0.entity, withReferenceObject: newReferenceObject(for: $0)) }, for: objects)
    }

    override final func save(_ save: StoreSave) throws -> [Row?] {
        var transaction = AtomicStoreSave(self, cache, save.changes)
        do {
            transaction.apply()
            try self.save()
        } catch {
            transaction.takeBack()
            throw error
        }
        return transaction.finish()
    }
}
