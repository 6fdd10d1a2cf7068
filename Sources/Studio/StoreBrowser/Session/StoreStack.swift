internal import CoreData
internal import Foundation
internal import StoreFile

/// The runtime's objects for an open store: coordinator and context.
final class StoreStack {
    let context: NSManagedObjectContext
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore
    /// Whether the store was opened for writing.
    let isWritable: Bool

    /// The time, in seconds, that each attempt to read or write waits for another program.
    ///
    /// Other requests wait with it, so it is short. `StoreServiceActor` waits longer, while it answers other requests:
    /// before those that read or may fire faults, and between the attempts of those that can be repeated.
    static let timeout = 0.2

    /// Opens an existing store, which is never migrated or created.
    ///
    /// - Parameter timeout: The time, in seconds, to wait for another program.
    /// - Throws: `StoreProblem` if the store cannot be opened.
    init(url: URL, _ kind: StoreKind, _ model: StoreModel, isWritable: Bool, timeout: Double) throws(StoreProblem) {
        self.isWritable = isWritable
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.model)
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: false, NSInferMappingModelAutomaticallyOption: false,
            NSReadOnlyPersistentStoreOption: !isWritable, NSPersistentStoreTimeoutOption: timeout,
            SQLiteOptions.noTraceOption: true,
        ]
        // Editing does not change the journal mode of a store.
        if isWritable, kind == .sqlite, DatabaseInspection.isInLogMode(path: url.path) == false {
            options[NSSQLitePragmasOption] = ["journal_mode": "DELETE"]
        }
        do {
            // Edits of a store with a history are also recorded in the history.
            if isWritable, try Self.hasHistory(url, kind: kind, model: model, timeout: timeout) {
                options[NSPersistentHistoryTrackingKey] = true
            }
            store = try coordinator.addPersistentStore(
                ofType: kind.storeType, configurationName: model.configuration, at: url, options: options)
        } catch {
            throw StoreProblem(error)
        }
        guard !isWritable || !store.isReadOnly else {
            throw StoreProblem("the file cannot be written", help: "Check the permissions of the file and its folder.")
        }
        context = NSManagedObjectContext(.privateQueue)
        context.performAndWait { [context, coordinator] in
            context.persistentStoreCoordinator = coordinator
            context.mergePolicy = NSMergePolicy.error
            context.transactionAuthor = "modelc studio"
            guard isWritable else { return }
            let undoManager = UndoManager()
            undoManager.groupsByEvent = false
            context.undoManager = undoManager
        }
    }

    /// Lets the next save replace a file that another program has changed.
    func acceptOverwriting() throws { try store.acceptOverwriting() }

    /// Whether a context can keep reading one state of the store while other programs write: only with a write-ahead
    /// log.
    var keepsGenerations: Bool {
        store.type == NSSQLiteStoreType
            && store.url.flatMap { DatabaseInspection.isInLogMode(path: $0.path) } == true
    }

    /// Returns whether a store keeps a persistent history.
    private static func hasHistory(_ url: URL, kind: StoreKind, model: StoreModel, timeout: Double) throws -> Bool {
        guard kind == .sqlite else { return false }
        let stack = try StoreStack(url: url, kind, model, isWritable: false, timeout: timeout)
        return stack.context.performAndWait {
            ((try? stack.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantFuture)))
                != nil) && stack.coordinator.currentPersistentHistoryToken(fromStores: nil) != nil
        }
    }

    /// Finds an object by its URI.
    ///
    /// - Throws: If there is no such object, or if the store cannot be read.
    func object(_ uri: String) throws -> NSManagedObject {
        guard let id = id(uri) else {
            // The IDs of unsaved objects are not of the store.
            guard let object = context.insertedObjects.first(where: { $0.objectID.uriText == uri }) else {
                throw Self.missing
            }
            return object
        }
        if let edited = context.registeredObject(for: id), edited.isInserted || edited.isDeleted { return edited }
        do {
            return try context.existingObject(with: id)
        } catch let error as NSError where error.code == NSPersistentStoreTimeoutError {
            throw error
        } catch {
            throw Self.missing
        }
    }

    /// Returns an object if the context has it.
    func registeredObject(_ uri: String) -> NSManagedObject? { id(uri).flatMap { context.registeredObject(for: $0) } }

    /// Returns whether the store has an object.
    ///
    /// - Throws: If the store cannot be read.
    func contains(_ uri: String) throws -> Bool {
        guard let id = id(uri) else { return false }
        let request = NSFetchRequest<NSManagedObject>(entityName: id.entity.name ?? "")
        request.predicate = NSPredicate(format: "SELF == %@", id)
        return try context.count(for: request) > 0
    }

    /// Returns the IDs that objects of an entity or its subentities may have that are shown with a primary key.
    func ids(ofKey key: String, _ entity: NSEntityDescription) -> [NSManagedObjectID] {
        guard let base = URL(string: "x-coredata://\(store.identifier ?? "")") else { return [] }
        return Self.family(of: entity).flatMap { entity in
            ["p\(key)", key].compactMap { last in
                let url = base.appendingPathComponent(entity.name ?? "").appendingPathComponent(last)
                return coordinator.managedObjectID(forURIRepresentation: url).flatMap { $0.keyText == key ? $0 : nil }
            }
        }
    }

    private static func family(of entity: NSEntityDescription) -> [NSEntityDescription] {
        [entity] + entity.subentities.flatMap(family)
    }

    /// Finds objects by their URIs, with few queries.
    ///
    /// - Throws: If one of them does not exist, or if the store cannot be read.
    func objects(_ uris: [String]) throws -> [String: NSManagedObject] {
        var result: [String: NSManagedObject] = [:]
        let edited = context.insertedObjects.union(context.deletedObjects)
        let byURI = Dictionary(edited.map { ($0.objectID.uriText, $0) }) { first, _ in first }
        var ids: [String: [NSManagedObjectID]] = [:]
        for uri in Set(uris) {
            if let object = byURI[uri] {
                result[uri] = object
            } else if let id = id(uri) {
                ids[rootEntity(of: id.entity.name ?? ""), default: []].append(id)
            } else {
                throw Self.missing
            }
        }
        for (entity, ids) in ids {
            for part in stride(from: 0, to: ids.count, by: 500).map({ ids[$0..<min($0 + 500, ids.count)] }) {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: "SELF IN %@", Array(part))
                request.returnsObjectsAsFaults = false
                request.includesPendingChanges = false
                for object in try context.fetch(request) { result[object.objectID.uriText] = object }
            }
        }
        guard result.count == Set(uris).count else { throw Self.missing }
        return result
    }

    static let missing = StoreProblem("the object is no longer in the store", help: "Reload the list.")

    private func id(_ uri: String) -> NSManagedObjectID? {
        guard let url = URL(string: uri), url.scheme == "x-coredata" else { return nil }
        return coordinator.managedObjectID(forURIRepresentation: url)
    }

    /// Returns the entity at the top of an entity's inheritance.
    func rootEntity(of name: String) -> String {
        var entity = coordinator.managedObjectModel.entitiesByName[name]
        while let parent = entity?.superentity { entity = parent }
        return entity?.name ?? name
    }
}
