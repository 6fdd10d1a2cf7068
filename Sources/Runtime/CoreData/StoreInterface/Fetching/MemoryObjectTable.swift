internal import RuntimeSupport

/// The objects of an in-memory store by key, each retained by the table. They find each other in it.
///
/// Guarded by the lock of the store's coordinator.
final class MemoryObjectTable {
    private let entries = KeyPages<MemoryObject>()

    deinit {
        entries.forEach { $1.release() }
    }

    func entry(_ id: NSManagedObjectID) -> MemoryObject? { id.rowKey.flatMap { entry(withKey: $0) } }

    @inline(__always)
    func entry(withKey key: Int64) -> MemoryObject? { entries[key]?.takeUnretainedValue() }

    /// Adds an object, in place of any other with the key.
    func insert(_ entry: MemoryObject, _ key: Int64) { entries.set(.passRetained(entry), key)?.release() }

    func remove(_ key: Int64) { entries.remove(key)?.release() }
}
