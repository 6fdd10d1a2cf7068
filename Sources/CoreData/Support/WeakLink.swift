internal import CCoreDataSupport
internal import Foundation

/// A weak reference to an object that is referred to strongly all the time.
///
/// An object that has Swift's own weak references counts all its references the slow way from then on, which takes ten times as
/// long. Thread-safe as these are: reading while the object is being destroyed gives nil.
@propertyWrapper
struct WeakLink<Target: WeakLinkTarget> {
    private var anchor: WeakLinkAnchor?

    init(wrappedValue: Target?) {
        anchor = wrappedValue?.weakLinkAnchor
    }

    var wrappedValue: Target? {
        get { anchor?.target.map { unsafeDowncast($0, to: Target.self) } }
        set { anchor = newValue?.weakLinkAnchor }
    }
}

/// An object with weak links to it. It tells its anchor when it comes and when it goes.
protocol WeakLinkTarget: AnyObject {
    var weakLinkAnchor: WeakLinkAnchor { get }
}

/// What weak links refer to: knows the object for as long as it lives.
final class WeakLinkAnchor: @unchecked Sendable {
    private let lock = NSLock()
    private var pointer: UnsafeMutableRawPointer?

    /// Says which object it is.
    func hold(_ target: AnyObject) { lock.withLock { pointer = Unmanaged.passUnretained(target).toOpaque() } }

    /// Says that the object is being destroyed. Called by its deinitialiser: until then its memory is there.
    func release() { lock.withLock { pointer = nil } }

    /// The object with one reference more; nil when it is gone, or just being destroyed.
    fileprivate var target: AnyObject? {
        lock.withLock {
            pointer.flatMap { cd_try_retain($0) }.map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
        }
    }
}
