import CoreData

/// An incremental store in the style of Apple's Incremental Store Programming Guide: it overrides the designated
/// initializer, without `required`.
class GuideIncrementalStore: NSIncrementalStore, @unchecked Sendable {
    static let storeType = "GuideIncrementalStore"
    let cache: NSMutableDictionary
    /// The number of requests to write only the metadata.
    var metadataSaves = 0

    override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        cache = NSMutableDictionary()
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    override var type: String { Self.storeType }

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: "GUIDE", NSStoreTypeKey: type]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        if let save = request as? NSSaveChangesRequest, save.insertedObjects == nil { metadataSaves += 1 }
        return [Any]()
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        NSIncrementalStoreNode(
            objectID: objectID, withValues: ["text": "\(referenceObject(for: objectID))"], version: 1)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        NSNull()
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}
    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}
    override class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }
    override func didAdd(to coordinator: NSPersistentStoreCoordinator) { super.didAdd(to: coordinator) }
    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { super.willRemove(from: coordinator) }
}

/// An atomic store in the style of Apple's Atomic Store Programming Topics, which keeps its metadata in a property.
class GuideAtomicStore: NSAtomicStore, @unchecked Sendable {
    static let storeType = "GuideAtomicStore"
    var savedMetadata: [[String: Any]] = []
    private var lastReference = 0

    override init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?, configurationName: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url, options: options)
        metadata = [NSStoreUUIDKey: "ATOMIC", NSStoreTypeKey: Self.storeType]
    }

    override var type: String { Self.storeType }
    override func load() throws {}
    override func save() throws { savedMetadata.append(metadata) }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        lastReference += 1
        return lastReference
    }
    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    }
    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        node.setValue(managedObject.value(forKey: "text"), forKey: "text")
    }
}
