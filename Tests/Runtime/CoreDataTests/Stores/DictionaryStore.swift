import CoreData

/// The backing of a `DictionaryStore`: records in memory, which others may also change.
final class Server: @unchecked Sendable {
    /// A record.
    struct Record {
        var entity: String
        var values: [String: Any] = [:]
        /// The numbers of records by relationship.
        var links: [String: [Int]] = [:]
        var version: UInt64 = 1
    }

    var records: [Int: Record] = [:]
    var metadata: [String: Any]?
    /// Whether values cannot be read for a while.
    var isUnreachable = false
    /// The requests to the store.
    var log: [String] = []
    /// The IDs in use, with the number of contexts that use them.
    var inUse: [NSManagedObjectID: Int] = [:]
    private var last = 0

    func newKey() -> Int {
        last += 1
        return last
    }

    @discardableResult
    func add(_ entity: String, _ values: [String: Any] = [:]) -> Int {
        let key = newKey()
        records[key] = Record(entity: entity, values: values)
        return key
    }
}

/// A store backed by a `Server`, as a program might write it with the public API.
class DictionaryStore: NSIncrementalStore, @unchecked Sendable {
    static let storeType = "Dictionary"
    static let serverOption = "server"

    var server: Server { options?[Self.serverOption] as? Server ?? Server() }

    /// Whether nodes contain to-many relationships, which are otherwise requested.
    var givesMembersWithNodes: Bool { options?["members"] as? Bool ?? false }

    /// Whether references are texts, some of which look like numbers.
    var usesTexts: Bool { options?["texts"] as? Bool ?? false }

    override var type: String { Self.storeType }

    override class func identifierForNewStore(at storeURL: URL) -> Any { "DICTIONARY-\(storeURL.lastPathComponent)" }

    override func loadMetadata() throws {
        metadata =
            server.metadata ?? [
                NSStoreTypeKey: type,
                NSStoreUUIDKey: Self.identifierForNewStore(at: url ?? URL(fileURLWithPath: "/dev/null")),
            ]
    }

    // MARK: References

    func id(_ key: Int) -> NSManagedObjectID? {
        guard let name = server.records[key]?.entity,
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[name]
        else { return nil }
        return newObjectID(for: entity, referenceObject: usesTexts ? "\(key)" as Any : key as Any)
    }

    func key(_ id: NSManagedObjectID) -> Int {
        let reference = referenceObject(for: id)
        return (reference as? String).flatMap { Int($0) } ?? reference as? Int ?? 0
    }

    private var missing: CocoaError { CocoaError(CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError)) }

    // MARK: Requests

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        switch request.requestType {
        case .fetchRequestType:
            guard let request = request as? NSFetchRequest<any NSFetchRequestResult>, let context else { break }
            return try fetch(request, context)
        case .saveRequestType:
            guard let request = request as? NSSaveChangesRequest else { break }
            try save(request)
            return [Any]()
        default: break
        }
        throw CocoaError(CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError))
    }

    func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext) throws -> Any {
        server.log.append("fetch \(request.entityName ?? "") \(request.fetchOffset) \(request.fetchLimit)")
        guard let entity = request.entity else { return [Any]() }
        var found = server.records.filter { _, record in
            guard record.entity == entity.name || isSubentity(record.entity, entity) && request.includesSubentities
            else {
                return false
            }
            return request.predicate?.evaluate(with: record.values) ?? true
        }.sorted { $0.key < $1.key }
        for descriptor in (request.sortDescriptors ?? []).reversed() {
            let key = descriptor.key ?? ""
            found.sort { one, other in
                let texts = [one, other].map { "\($0.value.values[key] ?? "")" }
                return descriptor.ascending ? texts[0] < texts[1] : texts[0] > texts[1]
            }
        }
        found = Array(found.dropFirst(request.fetchOffset))
        if request.fetchLimit > 0 { found = Array(found.prefix(request.fetchLimit)) }
        switch request.resultType {
        case .countResultType: return [NSNumber(value: found.count)]
        case .dictionaryResultType: return found.map { $0.value.values as NSDictionary }
        case .managedObjectIDResultType: return found.compactMap { id($0.key) }
        default: return found.compactMap { id($0.key).map(context.object(with:)) }
        }
    }

    private func isSubentity(_ name: String, _ entity: NSEntityDescription) -> Bool {
        entity.subentities.contains { $0.name == name || isSubentity(name, $0) }
    }

    func save(_ request: NSSaveChangesRequest) throws {
        guard let inserted = request.insertedObjects, let updated = request.updatedObjects,
            let deleted = request.deletedObjects
        else {
            server.log.append("metadata")
            server.metadata = metadata
            return
        }
        server.log.append(
            "save \(inserted.count) \(updated.count) \(deleted.count) \(request.lockedObjects?.count ?? 0)")
        for object in inserted.union(updated) {
            let key = key(object.objectID)
            var record = Server.Record(entity: object.entity.name ?? "")
            record.version = (server.records[key]?.version ?? 0) + 1
            for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
                record.values[name] = object.value(forKey: name)
            }
            for name in object.entity.relationshipsByName.keys {
                record.links[name] = object.objectIDs(forRelationshipNamed: name).map(self.key)
            }
            server.records[key] = record
        }
        for object in deleted { server.records[key(object.objectID)] = nil }
        if server.metadata == nil { server.metadata = metadata }
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        if server.isUnreachable { throw CocoaError(.fileReadUnknown) }
        guard let record = server.records[key(objectID)] else { throw missing }
        server.log.append("load \(record.entity)")
        var values = record.values
        for (name, relationship) in objectID.entity.relationshipsByName {
            let ids = (record.links[name] ?? []).compactMap(id)
            if relationship.isToMany {
                if givesMembersWithNodes { values[name] = relationship.isOrdered ? ids as Any : Set(ids) }
            } else if name != "prequel" {
                values[name] = ids.first ?? NSNull()
            }
        }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: record.version)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        guard let record = server.records[key(objectID)] else { throw missing }
        server.log.append("relationship \(relationship.name)")
        let ids = (record.links[relationship.name] ?? []).compactMap(id)
        return relationship.isToMany ? ids as Any : ids.first ?? NSNull()
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            let key = server.newKey()
            return newObjectID(for: object.entity, referenceObject: usesTexts ? "\(key)" as Any : key as Any)
        }
    }

    // MARK: Use

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs { server.inUse[id, default: 0] += 1 }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs {
            server.inUse[id, default: 0] -= 1
            if server.inUse[id] == 0 { server.inUse[id] = nil }
        }
    }
}

/// A stack over a server.
struct ServerStack {
    let server: Server
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore

    init(
        _ server: Server = Server(), _ options: [String: Any] = [:], of storeClass: AnyClass = DictionaryStore.self
    ) throws {
        self.server = server
        let type = "\(storeClass)"
        NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: type)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        var options: [AnyHashable: Any] = options
        options[DictionaryStore.serverOption] = server
        store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: URL(fileURLWithPath: "/server"), options: options)
    }

    func context() throws -> NSManagedObjectContext { try Library.context(coordinator) }
}
