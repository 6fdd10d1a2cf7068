internal import CCoreDataSupport

/// A spin lock for short, rarely contended critical sections. A waiting thread yields and retries.
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
