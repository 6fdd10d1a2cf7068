internal import CCoreDataSupport

/// A lock for a few steps that threads hardly ever take at once. Whoever waits for it gives way to others and tries again.
struct BriefLock: ~Copyable, @unchecked Sendable {
    private let isTaken: UnsafeMutablePointer<Bool>

    init() {
        isTaken = .allocate(capacity: 1)
        isTaken.initialize(to: false)
    }

    deinit {
        isTaken.deallocate()
    }

    @inline(__always)
    func lock() { cd_lock(isTaken) }

    @inline(__always)
    func unlock() { cd_unlock(isTaken) }
}
