import CoreData
import Synchronization

/// A store in a JSON file, as a program might write it with the public API.
final class JSONStore: NSAtomicStore, @unchecked Sendable {
    static let storeType = "JSON"

    /// The URLs of files for which saving fails.
    static let refusesToSave = Mutex<Set<URL>>([])

    private struct Object: Codable {
        var entity: String
        var reference: Int
        var attributes: [String: String] = [:]
        /// References by the entity's name.
        var relationships: [String: [Link]] = [:]
    }

    private struct Link: Codable {
        var entity: String
        var reference: Int
    }

    private struct File: Codable {
        var metadata: Data
        var objects: [Object]
    }

    private var lastReference = 0

    override var type: String { Self.storeType }

    // MARK: Metadata

    private static func file(at url: URL) throws -> File {
        try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
    }

    private static func plist(_ data: Data) throws -> [String: Any] {
        try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] ?? [:]
    }

    private static func data(_ plist: [String: Any]) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0)
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try plist(file(at: url).metadata)
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        var file = try file(at: url)
        file.metadata = try data(metadata ?? [:])
        try JSONEncoder().encode(file).write(to: url)
    }

    override func loadMetadata() throws {
        guard let url, FileManager.default.fileExists(atPath: url.path) else {
            metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: type]
            return
        }
        metadata = try Self.metadataForPersistentStore(with: url)
    }

    // MARK: The file

    override func load() throws {
        guard let url, FileManager.default.fileExists(atPath: url.path) else { return }
        let objects = try Self.file(at: url).objects
        var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
        for object in objects {
            let id = try id(object.entity, object.reference)
            nodes[id] = NSAtomicStoreCacheNode(objectID: id)
            lastReference = max(lastReference, object.reference)
        }
        for object in objects {
            let id = try id(object.entity, object.reference)
            for (name, text) in object.attributes {
                guard let type = id.entity.attributesByName[name]?.attributeType else { continue }
                nodes[id]?.setValue(Self.value(text, type), forKey: name)
            }
            for (name, links) in object.relationships {
                guard let relationship = id.entity.relationshipsByName[name] else { continue }
                let others = try links.compactMap { nodes[try self.id($0.entity, $0.reference)] }
                if relationship.isOrdered {
                    nodes[id]?.setValue(NSOrderedSet(array: others), forKey: name)
                } else {
                    nodes[id]?.setValue(relationship.isToMany ? Set(others) : others.first, forKey: name)
                }
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    private func id(_ entity: String, _ reference: Int) throws -> NSManagedObjectID {
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return objectID(for: entity, withReferenceObject: reference)
    }

    override func save() throws {
        guard let url else { return }
        if Self.refusesToSave.withLock({ $0.contains(url) }) { throw CocoaError(.fileWriteOutOfSpace) }
        let objects = cacheNodes().map { node in
            let entity = node.objectID.entity
            var object = Object(entity: entity.name ?? "", reference: reference(node))
            for (name, attribute) in entity.attributesByName where !attribute.isTransient {
                object.attributes[name] = node.value(forKey: name).flatMap { Self.text($0, attribute.attributeType) }
            }
            for (name, relationship) in entity.relationshipsByName {
                object.relationships[name] = Self.nodes(node.value(forKey: name), relationship).map {
                    Link(entity: $0.objectID.entity.name ?? "", reference: reference($0))
                }
            }
            return object
        }
        let file = File(metadata: try Self.data(metadata ?? [:]), objects: objects)
        try JSONEncoder().encode(file).write(to: url, options: .atomic)
    }

    private func reference(_ node: NSAtomicStoreCacheNode) -> Int {
        referenceObject(for: node.objectID) as? Int ?? 0
    }

    private static func nodes(_ value: Any?, _ relationship: NSRelationshipDescription) -> [NSAtomicStoreCacheNode] {
        if !relationship.isToMany { return (value as? NSAtomicStoreCacheNode).map { [$0] } ?? [] }
        if relationship.isOrdered { return (value as? NSOrderedSet)?.array as? [NSAtomicStoreCacheNode] ?? [] }
        return Array(value as? Set<NSAtomicStoreCacheNode> ?? [])
    }

    // MARK: Values

    private static func text(_ value: Any, _ type: NSAttributeType) -> String? {
        switch value {
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let data as Data: data.base64EncodedString()
        case let uuid as UUID: uuid.uuidString
        case let url as URL: url.absoluteString
        default: type == .transformableAttributeType ? nil : "\(value)"
        }
    }

    private static func value(_ text: String, _ type: NSAttributeType) -> Any? {
        switch type {
        case .stringAttributeType: text
        case .booleanAttributeType: text == "1" || text == "true"
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: Int(text)
        case .doubleAttributeType, .floatAttributeType: Double(text)
        case .decimalAttributeType: NSDecimalNumber(string: text)
        case .dateAttributeType: Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .binaryDataAttributeType: Data(base64Encoded: text)
        case .UUIDAttributeType: UUID(uuidString: text)
        case .URIAttributeType: URL(string: text)
        default: nil
        }
    }

    // MARK: Nodes

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        lastReference += 1
        return lastReference
    }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for (name, attribute) in managedObject.entity.attributesByName where !attribute.isTransient {
            node.setValue(managedObject.value(forKey: name), forKey: name)
        }
        for (name, relationship) in managedObject.entity.relationshipsByName {
            let value = managedObject.value(forKey: name)
            if let set = value as? NSOrderedSet {
                let nodes = set.array.compactMap { ($0 as? NSManagedObject).flatMap { cacheNode(for: $0.objectID) } }
                node.setValue(NSOrderedSet(array: nodes), forKey: name)
            } else if relationship.isToMany {
                let objects = (value as? NSSet)?.allObjects.compactMap { $0 as? NSManagedObject } ?? []
                node.setValue(Set(objects.compactMap { cacheNode(for: $0.objectID) }), forKey: name)
            } else {
                node.setValue((value as? NSManagedObject).flatMap { cacheNode(for: $0.objectID) }, forKey: name)
            }
        }
    }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        for node in cacheNodes { node.propertyCache = nil }
    }
}

/// A stack with a JSON file in a separate folder.
struct JSONStack {
    let url: URL
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore

    init(_ url: URL? = nil, _ model: NSManagedObjectModel = Library.model()) throws {
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: JSONStore.storeType)
        self.url = url ?? FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID()).json")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        store = try coordinator.addPersistentStore(
            ofType: JSONStore.storeType, configurationName: nil, at: self.url, options: nil)
    }

    func context() throws -> NSManagedObjectContext { try Library.context(coordinator) }

    func removeFile() { try? FileManager.default.removeItem(at: url) }
}
