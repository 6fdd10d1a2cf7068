internal import Foundation

/// The locks that `objc_sync_enter(_:)` holds, by the identity of the object.
private final class ObjectLocks: @unchecked Sendable {
    static let shared = ObjectLocks()

    private final class Entry {
        let lock = NSRecursiveLock()
        /// The number of calls that hold or await the lock.
        var users = 0
    }

    private let lock = NSLock()
    private var entries: [ObjectIdentifier: Entry] = [:]

    func enter(_ id: ObjectIdentifier) {
        let entry = lock.withLock {
            let entry = entries[id] ?? Entry()
            entry.users += 1
            entries[id] = entry
            return entry
        }
        entry.lock.lock()
    }

    /// Returns whether the object was locked.
    func exit(_ id: ObjectIdentifier) -> Bool {
        let entry: Entry? = lock.withLock {
            guard let entry = entries[id] else { return nil }
            entry.users -= 1
            if entry.users == 0 { entries[id] = nil }
            return entry
        }
        entry?.lock.unlock()
        return entry != nil
    }
}

/// The result of `objc_sync_enter(_:)` and `objc_sync_exit(_:)` for success.
public let OBJC_SYNC_SUCCESS: Int32 = 0

/// The result of `objc_sync_exit(_:)` for an object that is not locked.
public let OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int32 = -1

/// Locks an object for the current thread, which may lock it several times, as on Apple's platforms.
///
/// ```swift
/// objc_sync_enter(cache)
/// defer { objc_sync_exit(cache) }
/// ```
///
/// - Parameter obj: The object, which the caller retains until it is unlocked.
@discardableResult
public func objc_sync_enter(_ obj: Any) -> Int32 {
    ObjectLocks.shared.enter(ObjectIdentifier(obj as AnyObject))
    return OBJC_SYNC_SUCCESS
}

/// Unlocks an object that the current thread has locked.
@discardableResult
public func objc_sync_exit(_ obj: Any) -> Int32 {
    ObjectLocks.shared.exit(ObjectIdentifier(obj as AnyObject)) ? OBJC_SYNC_SUCCESS : OBJC_SYNC_NOT_OWNING_THREAD_ERROR
}
