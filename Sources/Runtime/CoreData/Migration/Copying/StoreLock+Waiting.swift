internal import Foundation

extension StoreLock {
    /// Waits until no other process writes to a store, or a time has passed. A store that cannot be locked for another
    /// reason is not waited for.
    ///
    /// - Parameters:
    ///   - path: The path of the store's file.
    ///   - timeout: The time, in seconds.
    ///   - onWait: Called after one second with the names of the processes that are waited for, if they are known.
    package static func awaitWriters(ofStoreAt path: String, timeout: Double, onWait: (_ holders: String?) -> Void) {
        let url = URL(fileURLWithPath: path)
        var settings = SQLiteOptions([:])
        settings.timeout = min(timeout, 1)
        do {
            try WriterLock(url, settings).close()
        } catch {
            guard (error as NSError).code == CocoaError.Code.persistentStoreTimeout.rawValue, timeout > 1 else {
                return
            }
            onWait(holders(ofStoreAt: path))
            settings.timeout = timeout - 1
            try? WriterLock(url, settings).close()
        }
    }
}
