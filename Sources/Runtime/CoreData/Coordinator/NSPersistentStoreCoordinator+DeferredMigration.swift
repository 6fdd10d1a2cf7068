internal import Foundation

extension NSPersistentStoreCoordinator {
    /// Finishes the lightweight migrations of all stores whose cleanup was deferred with
    /// `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: 134110 if the file cannot be written, 134090 if it stays locked.
    public final func finishDeferredLightweightMigration() throws {
        while try finishOneTask() {}
    }

    /// Executes one step of `finishDeferredLightweightMigration()`: drops one table. A no-op if nothing is left.
    ///
    /// - Throws: An `NSError` of Cocoa's domain: 134110 if the file cannot be written, 134090 if it stays locked.
    public final func finishDeferredLightweightMigrationTask() throws {
        _ = try finishOneTask()
    }

    private func finishOneTask() throws -> Bool {
        try lock.withLock {
            try persistentStores.contains { try $0.engine.finishMigrationStep() }
        }
    }
}
