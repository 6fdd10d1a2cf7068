internal import Foundation

/// Copies a closed store into a new one of any type, row by row, for `modelc-store`.
///
/// Objects keep their keys and versions, and the copy has the UUID and the metadata of the original, so the URIs of
/// objects stay valid. The history is not copied. The original is read in one snapshot and not changed. Memory does not
/// grow with the values. The thread's current `Progress` reports the progress.
package struct StoreCopy {
    private let model: NSManagedObjectModel
    private let source: StoreAddress
    private let destination: StoreAddress
    private let identifier: String?

    /// - Parameters:
    ///   - model: The model of both stores.
    ///   - source: The original.
    ///   - destination: The location of the copy, where there must be no store.
    ///   - identifier: The UUID of the copy; `nil` for that of the original.
    package init(
        of model: NSManagedObjectModel, from source: StoreAddress, to destination: StoreAddress,
        identifier: String? = nil
    ) {
        self.model = model
        self.source = source
        self.destination = destination
        self.identifier = identifier
    }

    /// Copies the store.
    ///
    /// - Returns: The number of objects of each entity that has any, by name.
    /// - Throws: An error of Cocoa's domain. A database is then unchanged; the caller removes a file.
    package func run() throws -> [(entity: String, count: Int)] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try Self.open(source, in: coordinator)
        defer { try? coordinator.remove(store) }
        let rows = CopiedRows(store, layouts(coordinator))
        var metadata = store.metadata ?? [:]
        metadata[NSStoreTypeKey] = destination.type
        metadata[NSStoreUUIDKey] = identifier ?? store.identifier
        if destination.type == NSSQLiteStoreType {
            try fillFile(with: rows, metadata: metadata, coordinator)
        } else {
            try fillDatabase(with: rows, metadata: metadata, coordinator)
        }
        return rows.counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the number of objects of each entity in a store that has any, by name.
    package static func counts(
        of model: NSManagedObjectModel, in store: StoreAddress
    ) throws -> [(entity: String, count: Int)] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let added = try Self.open(store, in: coordinator)
        defer { try? coordinator.remove(added) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            try model.entities.filter { !$0.isAbstract }.compactMap { entity in
                guard let name = entity.name else { return nil }
                let request = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
                request.includesSubentities = false
                let count = try context.count(for: request)
                return count > 0 ? (name, count) : nil
            }.sorted { $0.entity < $1.entity }
        }
    }

    /// Opens a store for reading. SQLite may leave its log and the log's index beside a file: a connection that only
    /// reads does not remove them.
    private static func open(
        _ store: StoreAddress, in coordinator: NSPersistentStoreCoordinator
    ) throws -> NSPersistentStore {
        var options = store.options ?? [:]
        options[NSReadOnlyPersistentStoreOption] = true
        return try coordinator.addPersistentStore(
            ofType: store.type, configurationName: nil, at: store.url, options: options)
    }

    /// Returns the number of transactions in the history of a SQLite file.
    package static func transactionCount(ofFile path: String) throws -> Int {
        try SQLiteFile(URL(fileURLWithPath: path)).transactionCount()
    }

    private func layouts(_ coordinator: NSPersistentStoreCoordinator) -> [EntityLayout] {
        coordinator.lock.withLock {
            model.entities.compactMap(coordinator.layout(for:)).filter { !$0.entity.isAbstract }
        }
    }

    private func fillFile(
        with rows: CopiedRows, metadata: [String: Any], _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        var options = destination.options ?? [:]
        // Only the finished file matters, so there is no need to wait for the disk.
        options[NSSQLitePragmasOption] = ["journal_mode": "MEMORY", "synchronous": "OFF", "cache_size": "-65536"]
        let copy = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: destination.url, options: options)
        do {
            try coordinator.insertRows(into: copy) { try rows.write(to: $0) }
        } catch {
            try? coordinator.remove(copy)
            throw error
        }
        try coordinator.remove(copy)
        try NSPersistentStoreCoordinator.setMetadata(
            metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: destination.url, options: nil)
        try StoreFinishing.useLog(destination.url.path)
    }

    private func fillDatabase(
        with rows: CopiedRows, metadata: [String: Any], _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        let filling = StoreFilling(
            identifier: metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString, metadata: metadata
        ) { try rows.write(to: $0) }
        var options = destination.options ?? [:]
        options[StoreFilling.option] = filling
        let copy = try coordinator.addPersistentStore(
            ofType: destination.type, configurationName: nil, at: destination.url, options: options)
        try? coordinator.remove(copy)
        guard filling.isDone else {
            throw CoreDataError.error(.persistentStoreOperation, text: "there is a store at the destination already")
        }
    }
}

/// The rows of an open store that are copied. Used under the coordinator's lock.
private final class CopiedRows {
    private let store: NSPersistentStore
    private let layouts: [EntityLayout]
    /// The number of objects of each entity.
    private(set) var counts: [String: Int] = [:]
    private var engine: any StoreEngine { store.engine }

    /// The most objects, and about the most bytes, that are read at once.
    private static let batch = (rows: 2000, bytes: 8 << 20)

    init(_ store: NSPersistentStore, _ layouts: [EntityLayout]) {
        self.store = store
        self.layouts = layouts
    }

    /// Writes all rows, and then the relationships between them.
    func write(to restoration: any RowRestoration) throws {
        try inSnapshot {
            let ids = try layouts.map(ids)
            counts = Dictionary(zip(layouts.map(\.name), ids.map(\.count))) { first, _ in first }
            // Each object counts twice: for its row, and for its relationships.
            let progress = Progress(totalUnitCount: Int64(ids.reduce(0) { $0 + $1.count } * 2))
            for (layout, ids) in zip(layouts, ids) { try copyRows(ids, of: layout, progress, to: restoration) }
            for (layout, ids) in zip(layouts, ids) {
                try copyMembers(ids, layout, to: restoration)
                progress.completedUnitCount += Int64(ids.count)
                if progress.isCancelled { throw CocoaError(.userCancelled) }
                if let key = try engine.lastKey(layout) { try restoration.recordLastKey(key, layout) }
            }
        }
    }

    private func inSnapshot(_ body: () throws -> Void) throws {
        if let generation = try engine.pinGeneration() { return try engine.reading(generation, body) }
        guard let file = engine as? SQLiteStore else {
            throw CoreDataError.error(.persistentStoreOperation, text: "a store of this type cannot be copied by rows")
        }
        // Without a log, a reader keeps other connections from writing.
        let connection = try file.connection()
        try connection.execute("BEGIN DEFERRED")
        defer { try? connection.execute("COMMIT") }
        try body()
    }

    private func ids(_ layout: EntityLayout) throws -> [NSManagedObjectID] {
        var request = FetchSettings()
        request.entity = layout.entity
        request.includesSubentities = false
        let search = FetchSearch(settings: request, layout: layout, layouts: [layout])
        return try engine.fetch(search, ahead: nil).ids().sorted { $0.creationOrder < $1.creationOrder }
    }

    private func copyRows(
        _ ids: [NSManagedObjectID], of layout: EntityLayout, _ progress: Progress, to restoration: any RowRestoration
    ) throws {
        let slots = Array(layout.slots.indices)
        // The first rows show how large the next ones may be.
        var (start, count) = (0, 16)
        while start < ids.count {
            let part = Array(ids[start..<min(ids.count, start + count)])
            let rows = try zip(part, try engine.rows(for: part)).map { id, row -> (key: Int64, row: Row) in
                // Large rows may have displaced each other in the cache.
                guard case .number(let key) = id.reference, let row = try row ?? engine.row(for: id, layout) else {
                    throw CoreDataError.error(
                        .persistentStoreOperation, text: "the row of \(id.uriRepresentation()) cannot be read")
                }
                return (key, try readable(row, of: id, layout))
            }
            try restoration.insert(rows, layout)
            let size = rows.reduce(0) { $0 + $1.row.memorySize(slots) }
            count = min(max(1, Self.batch.bytes / max(1, size / rows.count)), Self.batch.rows, count * 16)
            start += part.count
            progress.completedUnitCount += Int64(part.count)
            if progress.isCancelled { throw CocoaError(.userCancelled) }
        }
    }

    /// Returns a row with its large values. Transformable ones stay as they are stored, because their transformers are
    /// code of the app.
    private func readable(_ row: Row, of id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row {
        var values: [SlotValue]?
        for slot in layout.rowSlots {
            guard case .stored = row[slot], layout.slots[slot].kind != .attribute(.transformableAttributeType) else {
                continue
            }
            if values == nil { values = Array(row.values) }
            values?[slot] = try row[slot].readable(layout.slots[slot].name, of: id)
        }
        return values.map { Row.make($0, version: row.version) } ?? row
    }

    private func copyMembers(
        _ ids: [NSManagedObjectID], _ layout: EntityLayout, to restoration: any RowRestoration
    ) throws {
        for slot in layout.toManySlots
        where !layout.slots[slot].isTransient && restoration.needsMembers(at: slot, layout) {
            for start in stride(from: 0, to: ids.count, by: Self.batch.rows) {
                let part = Array(ids[start..<min(ids.count, start + Self.batch.rows)])
                var members = [[NSManagedObjectID]](repeating: [], count: part.count)
                let storeIdentity = store.storeIdentity
                try engine.forEachMember(of: part, at: slot, layout) { owner, key, layout, _ in
                    members[owner].append(NSManagedObjectID(key: key, layout: layout, storeIdentity: storeIdentity))
                }
                let owners = zip(part, members).compactMap {
                    id, members -> (key: Int64, members: [NSManagedObjectID])? in
                    guard case .number(let key) = id.reference, !members.isEmpty else { return nil }
                    return (key, members)
                }
                if !owners.isEmpty { try restoration.link(owners, at: slot, layout) }
            }
        }
    }
}

extension SQLiteFile {
    /// Returns the number of transactions in the history.
    func transactionCount() throws -> Int {
        guard let connection = try inspect(SQLiteOptions([:])) else { return 0 }
        defer { connection.close() }
        guard try connection.hasTable("ATRANSACTION") else { return 0 }
        return Int(try connection.integer("SELECT count(*) FROM ATRANSACTION") ?? 0)
    }
}

extension NSPersistentStoreCoordinator {
    /// Changes the UUID of a closed SQLite store.
    package static func setIdentifier(_ identifier: String, ofStoreAt path: String) throws {
        let url = URL(fileURLWithPath: path)
        var metadata = try metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url, options: nil)
        metadata[NSStoreUUIDKey] = identifier
        try setMetadata(metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: url, options: nil)
    }
}
