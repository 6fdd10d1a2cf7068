/// What engines of stores ask of the coordinator.
extension NSPersistentStoreCoordinator: StoreHost {
    package final func checkVersion(ofStoreIn environment: StoreEnvironment) throws {
        for case let store as NSPersistentStore in environment.affectedStores {
            try checkVersion(of: store, environment.options)
        }
    }

    package final func withStoreLock<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

    package final func othersDidSave(_ ids: SavedIDs) { didSave(ids, by: nil) }
}
