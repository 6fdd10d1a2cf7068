internal import Foundation

/// A store in a file with a given format: all objects are in memory, and a save writes the whole file.
///
/// The file is written next to its destination, synchronized and renamed, so that after a crash it has either the old
/// or the new content.
class FormatStore<Format: StoreFormat>: NSAtomicStore, @unchecked Sendable {
    /// The content of the file between `loadMetadata()` and `load()`.
    private var pending: StoredContents?
    private var isNew = false
    private var isStandalone = true
    private var lastNumber: Int64 = Format.firstNumber
    /// The positions of objects in the file, so that a save keeps their order.
    private var positions: [NSManagedObjectID: Int] = [:]
    /// The names of an object's properties in the order of the file, by number of the object.
    private var propertyOrders: [NSManagedObjectID: [String]] = [:]
    private var codecs: [ObjectIdentifier: ObjectCodec] = [:]
    private var last = LastContents()

    /// What the store last read from its file or wrote to it.
    private struct LastContents {
        /// The state of the file; `nil` if there was none.
        var version: StoreFileLocation.Version?
        var uuid = ""
        var objectsHash = contentHash(of: [])
    }

    /// More numbers than the new objects of a store in memory can need.
    private static var spareNumbers: Int64 { 1 << 40 }

    override var type: String { Format.storeType }

    private static func location(_ url: URL?) throws -> StoreFileLocation {
        try StoreFileLocation(url ?? URL(fileURLWithPath: "/dev/null"))
    }

    // MARK: Metadata

    override final class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        let contents = try existingContents(StoreFileLocation(url))
        return contents.metadata.merging([NSStoreTypeKey: Format.storeType, NSStoreUUIDKey: contents.uuid]) { $1 }
    }

    override final class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        let location = try StoreFileLocation(url)
        var contents = try existingContents(location)
        let metadata = metadata ?? [:]
        if let uuid = metadata[NSStoreUUIDKey] as? String, !uuid.isEmpty { contents.uuid = uuid }
        contents.metadata = try FormatMetadata.stored(
            StoreMetadata.metadata(metadata, keepingVersionOf: contents.metadata), in: Format.self)
        try location.replace(with: Format.bytes(of: contents))
    }

    /// Returns the content of a file. Throws an error if it does not exist.
    private static func existingContents(_ location: StoreFileLocation) throws -> StoredContents {
        if let contents = try contents(location) { return contents }
        throw CoreDataError.error(
            .fileReadNoSuchFile, text: "there is no store at \(location.url.path)",
            userInfo: [NSURLErrorKey: location.url, NSFilePathErrorKey: location.url.path])
    }

    /// Returns the content of a file, or `nil` if the file is missing or empty.
    ///
    /// - Throws: An error of Cocoa's domain: 259 for a damaged file or one of another format, 134080 for anything but a
    ///   regular file.
    private static func contents(_ location: StoreFileLocation) throws -> StoredContents? {
        guard let prefix = try location.prefix(Format.prefixLength) else { return nil }
        guard Format.recognizes(prefix) else { throw foreign(location, .fileReadCorruptFile) }
        guard let bytes = try location.read() else { return nil }
        do {
            return try Format.contents(of: bytes)
        } catch let error as StoredContentsError {
            throw damaged(location, error)
        }
    }

    private static func damaged(_ location: StoreFileLocation, _ reason: StoredContentsError) -> NSError {
        CoreDataError.error(
            .fileReadCorruptFile, text: "the store at \(location.url.path) is damaged: \(reason)",
            userInfo: [
                NSURLErrorKey: location.url, NSFilePathErrorKey: location.url.path, "reason": reason.description,
            ])
    }

    private static func foreign(_ location: StoreFileLocation, _ code: CocoaError.Code) -> NSError {
        CoreDataError.error(
            code, text: "the file at \(location.url.path) is not \(Format.title) store that this framework can read",
            userInfo: [NSURLErrorKey: location.url, NSFilePathErrorKey: location.url.path])
    }

    override final func loadMetadata() throws {
        let location = try Self.location(url)
        // Before the content, so that a later one is not taken for it.
        last = LastContents(version: location.version)
        guard let contents = try Self.contents(location) else {
            guard !isReadOnly else {
                throw CoreDataError.error(
                    .persistentStoreOpen,
                    text: "there is no store at \(location.url.path), and a read-only one cannot be created",
                    userInfo: [NSURLErrorKey: location.url])
            }
            isNew = true
            metadata = FormatMetadata.initial
            return
        }
        last.uuid = contents.uuid
        last.objectsHash = contentHash(of: contents.objects)
        isStandalone = contents.isStandalone
        lastNumber = max(contents.lastNumber, Format.firstNumber)
        var metadata = contents.metadata
        metadata[NSStoreUUIDKey] = contents.uuid.isEmpty ? nil : contents.uuid
        self.metadata = metadata
        pending = contents
    }

    // MARK: Reading

    override final func load() throws {
        guard let contents = pending else {
            if isNew, let url {
                try StoreFolder.create(for: url)
                try save()
            }
            return
        }
        pending = nil
        let entities = entityNames
        var nodes: [Int64: NSAtomicStoreCacheNode] = [:]
        var codecs: [Int64: ObjectCodec] = [:]
        do {
            for (index, object) in contents.objects.enumerated() {
                guard let entity = entities.entity(object.entity) else {
                    throw StoredContentsError("the model has no entity for the object type “\(object.entity)”")
                }
                let node = NSAtomicStoreCacheNode(
                    objectID: objectID(for: entity, withReferenceObject: NSNumber(value: object.number)))
                guard nodes.updateValue(node, forKey: object.number) == nil else {
                    throw StoredContentsError("two objects have the number \(object.number)")
                }
                codecs[object.number] = codec(for: entity)
                positions[node.objectID] = index
                lastNumber = max(lastNumber, object.number)
            }
            guard lastNumber < Int64.max - Self.spareNumbers else {
                throw StoredContentsError("the number \(lastNumber) leaves none for new objects")
            }
            var orders: [String: [String]] = [:]
            for object in contents.objects {
                guard let node = nodes[object.number], let codec = codecs[object.number] else { continue }
                let names = try codec.fill(node, with: object, nodes)
                // Most objects of an entity have the same names in the same order, so they share one array.
                let key = names.joined(separator: "/")
                propertyOrders[node.objectID] = orders[key] ?? names
                orders[key] = orders[key] ?? names
            }
        } catch let error as StoredContentsError {
            throw Self.damaged(try Self.location(url), error)
        }
        addCacheNodes(Set(nodes.values))
    }

    private lazy var entityNames = StoredEntityNames(
        persistentStoreCoordinator?.managedObjectModel.entities(forConfigurationName: requestedConfiguration) ?? [],
        isFolded: Format.foldsNames)

    private func codec(for entity: NSEntityDescription) -> ObjectCodec {
        if let codec = codecs[ObjectIdentifier(entity)] { return codec }
        let codec = ObjectCodec(entity, entityNames)
        codecs[ObjectIdentifier(entity)] = codec
        return codec
    }

    // MARK: Saving

    override final func save() throws { try stage()?.commit() }

    override final func stage() throws -> StagedFile? {
        let location = try Self.location(url)
        guard !isDestroyed else {
            throw CoreDataError.error(
                .persistentStoreSave, text: "the store at \(location.url.path) was destroyed",
                userInfo: [NSAffectedStoresErrorKey: [self], NSURLErrorKey: location.url])
        }
        // A file that has been put there since must not be lost.
        if let prefix = try location.prefix(Format.prefixLength), !Format.recognizes(prefix) {
            throw Self.foreign(location, .persistentStoreSave)
        }
        let nodes = cacheNodes().sorted { first, second in
            switch (positions[first.objectID], positions[second.objectID]) {
            case (let first?, let second?): first < second
            case (nil, nil): number(first) < number(second)
            case (let first, _): first != nil
            }
        }
        let version = location.version
        let metadata = try currentMetadata(location, version)
        var contents = StoredContents(
            uuid: identifier, metadata: try FormatMetadata.stored(metadata, in: Format.self), lastNumber: lastNumber)
        contents.isStandalone = isStandalone
        contents.objects = try nodes.map {
            try codec(for: $0.objectID.entity).object($0, number(_:), order: propertyOrders[$0.objectID] ?? [])
        }
        let hash = contentHash(of: contents.objects)
        let isUnchanged = { location.version == version }
        let staged = try location.stage(Format.bytes(of: contents)) { [self] in
            guard isUnchanged() else { throw changedElsewhere(location) }
        }
        // Not that of the file after the save, which another program may have replaced already.
        let written = staged.version
        return staged.then { [self] in
            last = LastContents(version: written, uuid: identifier, objectsHash: hash)
            recordSavedMetadata(metadata)
        }
    }

    /// Returns the metadata to write: those that another program may have written since this store read or wrote the
    /// file, with the changes made here.
    ///
    /// - Throws: An error if the file has other objects than those that the store knows: a save would remove them.
    private func currentMetadata(
        _ location: StoreFileLocation, _ version: StoreFileLocation.Version?
    ) throws -> [String: Any] {
        guard version != last.version, let current = try Self.contents(location) else { return metadata ?? [:] }
        try checkVersion(of: current, location)
        guard current.uuid == last.uuid, contentHash(of: current.objects) == last.objectsHash else {
            throw changedElsewhere(location)
        }
        return metadata(changing: current.metadata)
    }

    /// Throws an error if another program or coordinator has migrated the file.
    private func checkVersion(of contents: StoredContents, _ location: StoreFileLocation) throws {
        guard StoreMetadata.entityHashes(in: contents.metadata) != StoreMetadata.entityHashes(in: metadata ?? [:])
        else { return }
        throw CoreDataError.migratedElsewhere(location.url)
    }

    private func changedElsewhere(_ location: StoreFileLocation) -> NSError {
        CoreDataError.error(
            .persistentStoreSave,
            text:
                "another program or coordinator has changed the store at \(location.url.path) since it was read, and a save writes "
                + "the whole file: remove the store from the coordinator and add it again, then save again",
            userInfo: [
                NSAffectedStoresErrorKey: [self], NSURLErrorKey: location.url, NSFilePathErrorKey: location.url.path,
            ])
    }

    override package final func acceptOverwriting() throws {
        let location = try Self.location(url)
        let version = location.version
        guard let contents = try Self.contents(location) else { return }
        try checkVersion(of: contents, location)
        last = LastContents(version: version, uuid: contents.uuid, objectsHash: contentHash(of: contents.objects))
    }

    private func number(_ node: NSAtomicStoreCacheNode) -> Int64 {
        if case .number(let number) = node.objectID.reference { number } else { 0 }
    }

    // MARK: Nodes

    override final func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        lastNumber += 1
        return NSNumber(value: lastNumber)
    }

    override final func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    override final func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        codec(for: managedObject.entity).update(node, from: managedObject, nodeOf: cacheNode(for:), number: number(_:))
    }

    override final func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        for node in cacheNodes {
            positions[node.objectID] = nil
            propertyOrders[node.objectID] = nil
        }
    }

    // MARK: Stores that are not open

    override final class func destroyStore(at url: URL, options: [AnyHashable: Any]) throws {
        let location = try StoreFileLocation(url)
        try checkMayReplace(location)
        try location.remove()
    }

    override final class func replaceStore(
        at url: URL, options: [AnyHashable: Any], withStoreAt source: URL, sourceOptions: [AnyHashable: Any]
    ) throws {
        let (location, source) = (try StoreFileLocation(url), try StoreFileLocation(source))
        try checkMayReplace(location)
        _ = try existingContents(source)
        guard let bytes = try source.read() else { return }
        try location.replace(with: bytes, mode: FileMode.of(source.url))
    }

    /// Returns whether a file is a store of the format, valid or damaged.
    static func isStore(at url: URL) -> Bool {
        (try? StoreFileLocation(url).prefix(Format.prefixLength)).map(Format.recognizes) ?? false
    }

    /// Throws an error if a file that is not a store of the format would be replaced.
    private static func checkMayReplace(_ location: StoreFileLocation) throws {
        switch location.kind {
        case .folder, .other: throw location.notAFile(.persistentStoreOperation)
        case .missing: return
        case .regularFile:
            guard let prefix = try location.prefix(Format.prefixLength), !Format.recognizes(prefix) else { return }
            throw foreign(location, .persistentStoreOperation)
        }
    }
}

/// Returns a hash of the objects as both file formats store them.
private func contentHash(of objects: [StoredObject]) -> Int {
    var hasher = Hasher()
    for object in objects {
        hasher.combine(object.entity)
        hasher.combine(object.number)
        hasher.combine(object.attributes)
        for relationship in object.relationships {
            hasher.combine(relationship.name)
            hasher.combine(relationship.numbers)
        }
    }
    return hasher.finalize()
}

/// A store in an XML file in Apple's format.
final class XMLStore: FormatStore<XMLStoreFormat>, @unchecked Sendable {}

/// A store in a binary file in this project's format.
final class BinaryStore: FormatStore<BinaryStoreFormat>, @unchecked Sendable {}
