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

    /// Opens an existing store, which is never migrated or created.
    ///
    /// - Throws: `StoreProblem` if the store cannot be opened.
    init(url: URL, _ kind: StoreKind, _ model: StoreModel, isWritable: Bool) throws(StoreProblem) {
        self.isWritable = isWritable
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.model)
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: false, NSInferMappingModelAutomaticallyOption: false,
            NSReadOnlyPersistentStoreOption: !isWritable, NSPersistentStoreTimeoutOption: 2.0,
            SQLiteOptions.noTraceOption: true,
        ]
        // Editing does not change the journal mode of a store.
        if isWritable, kind == .sqlite, (try? DatabaseInspection(path: url.path))?.isInLogMode == false {
            options[NSSQLitePragmasOption] = ["journal_mode": "DELETE"]
        }
        do {
            // Edits of a store with a history are also recorded in the history.
            if isWritable, try Self.hasHistory(url, kind, model) { options[NSPersistentHistoryTrackingKey] = true }
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

    /// Returns whether a store keeps a persistent history.
    private static func hasHistory(_ url: URL, _ kind: StoreKind, _ model: StoreModel) throws -> Bool {
        guard kind == .sqlite else { return false }
        let stack = try StoreStack(url: url, kind, model, isWritable: false)
        return stack.context.performAndWait {
            ((try? stack.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantFuture)))
                != nil) && stack.coordinator.currentPersistentHistoryToken(fromStores: nil) != nil
        }
    }

    /// Finds an object by its URI.
    ///
    /// - Throws: If there is no such object.
    func object(_ uri: String) throws -> NSManagedObject {
        let inserted = context.insertedObjects.first { $0.objectID.uriText == uri }
        if let inserted { return inserted }
        let deleted = context.deletedObjects.first { $0.objectID.uriText == uri }
        if let deleted { return deleted }
        guard let url = URL(string: uri), url.scheme == "x-coredata",
            let id = coordinator.managedObjectID(forURIRepresentation: url),
            let object = try? context.existingObject(with: id)
        else { throw StoreProblem("the object is no longer in the store", help: "Reload the list.") }
        return object
    }
}
