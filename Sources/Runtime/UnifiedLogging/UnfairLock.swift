internal import Foundation

/// A lock: a mutex of the system.
public struct os_unfair_lock_s {
    fileprivate var mutex = pthread_mutex_t()

    /// Creates an unlocked lock.
    public init() {}
}

/// A lock.
public typealias os_unfair_lock = os_unfair_lock_s
/// A pointer to a lock.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

/// Locks a lock, and waits until it is free.
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) { pthread_mutex_lock(&lock.pointee.mutex) }

/// Locks a lock if it is free; returns whether it was.
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool { pthread_mutex_trylock(&lock.pointee.mutex) == 0 }

/// Unlocks a lock.
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) { pthread_mutex_unlock(&lock.pointee.mutex) }

/// A value that one thread at a time uses.
///
/// ```swift
/// let count = OSAllocatedUnfairLock(initialState: 0)
/// count.withLock { $0 += 1 }
/// ```
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    fileprivate let storage: Storage

    fileprivate final class Storage {
        let lock = NSLock()
        var state: State

        init(_ state: State) {
            self.state = state
        }
    }

    /// Creates a lock with a value.
    public init(uncheckedState initialState: State) {
        storage = Storage(initialState)
    }

    /// Creates a lock with a value.
    public init(initialState: State) where State: Sendable {
        storage = Storage(initialState)
    }

    /// Creates a lock.
    public init() where State == Void {
        storage = Storage(())
    }

    /// Runs a block that may change the value.
    public func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        storage.lock.lock()
        defer { storage.lock.unlock() }
        return try body(&storage.state)
    }

    /// Runs a block that may change the value.
    public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try withLock(body)
    }

    /// Runs a block if the lock is free; returns `nil` if it is not.
    public func withLockIfAvailable<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
        guard storage.lock.try() else { return nil }
        defer { storage.lock.unlock() }
        return try body(&storage.state)
    }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Runs a block.
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try withLock { _ in try body() } }

    /// Locks the lock, and waits until it is free.
    public func lock() { storage.lock.lock() }

    /// Locks the lock if it is free; returns whether it was.
    public func lockIfAvailable() -> Bool { storage.lock.try() }

    /// Unlocks the lock.
    public func unlock() { storage.lock.unlock() }
}
