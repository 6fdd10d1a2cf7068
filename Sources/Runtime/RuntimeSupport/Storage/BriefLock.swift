public import CCoreDataSupport

/// A spin lock for short, rarely contended critical sections. A waiting thread yields and retries.
public struct BriefLock: ~Copyable, @unchecked Sendable {
    @usableFromInline let isTaken: UnsafeMutablePointer<Bool>

    /// Creates a lock that is not taken.
    @inlinable
    public init() {
        isTaken = .allocate(capacity: 1)
        isTaken.initialize(to: false)
    }

    @inlinable
    deinit {
        isTaken.deallocate()
    }

    /// Waits for the lock and takes it.
    @inlinable @inline(__always)
    public func lock() { cd_lock(isTaken) }

    /// Releases the lock.
    @inlinable @inline(__always)
    public func unlock() { cd_unlock(isTaken) }
}
