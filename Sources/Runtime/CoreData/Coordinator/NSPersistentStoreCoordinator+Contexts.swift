/// The contexts that are notified of saves.
extension NSPersistentStoreCoordinator {
    struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// Registers a context to be notified of saves by other contexts and programs.
    func register(_ context: NSManagedObjectContext) {
        lock.withLock {
            contexts.removeAll { $0.context == nil }
            contexts.append(WeakContext(context: context))
        }
    }

    func unregister(_ context: NSManagedObjectContext) {
        lock.withLock { contexts.removeAll { $0.context == nil || $0.context === context } }
    }

    /// Notifies all other contexts of what one has saved.
    ///
    /// - Parameter saver: The context that has saved; `nil` for another program.
    func didSave(_ ids: SavedIDs, by saver: NSManagedObjectContext?) {
        for context in lock.withLock({ contexts.compactMap(\.context) }) where context !== saver {
            context.parentDidSave(ids)
        }
    }
}
