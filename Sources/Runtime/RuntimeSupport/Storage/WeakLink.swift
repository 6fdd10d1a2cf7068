internal import CCoreDataSupport
internal import Foundation

/// A weak reference to an object whose strong references change often.
///
/// Once an object has a Swift weak reference, all its reference counting uses a slow path that takes ten times as long.
/// Thread-safe like Swift's weak references: reading during the object's deinitialization returns `nil`.
@propertyWrapper
package struct WeakLink<Target: WeakLinkTarget> {
    @usableFromInline var anchor: WeakLinkAnchor?

    /// Creates a link to a target.
    @inlinable
    package init(wrappedValue: Target?) {
        anchor = wrappedValue?.weakLinkAnchor
    }

    /// Creates the link of an anchor, which must be a target's of this type.
    @inlinable package init(anchor: WeakLinkAnchor?) {
        self.anchor = anchor
    }

    /// The target, or `nil` if it was or is being destroyed.
    @inlinable package var wrappedValue: Target? {
        get { anchor?.target.map { unsafeDowncast($0, to: Target.self) } }
        set { anchor = newValue?.weakLinkAnchor }
    }
}

/// An object that can be the target of weak links. It notifies its anchor when it is created and destroyed.
package protocol WeakLinkTarget: AnyObject {
    /// The object that refers to this one for all links.
    var weakLinkAnchor: WeakLinkAnchor { get }
}

/// The object that weak links refer to. It knows the target while the target exists.
package final class WeakLinkAnchor: @unchecked Sendable {
    private let lock = NSLock()
    private var pointer: UnsafeMutableRawPointer?

    /// Creates an anchor without a target.
    package init() {}

    /// Sets the target.
    package func hold(_ target: AnyObject) { lock.withLock { pointer = Unmanaged.passUnretained(target).toOpaque() } }

    /// Clears the target. Called by the target's deinitializer; until then its memory is valid.
    package func release() { lock.withLock { pointer = nil } }

    /// The retained target, or `nil` if it was or is being destroyed.
    @usableFromInline var target: AnyObject? {
        lock.withLock {
            pointer.flatMap { cd_try_retain($0) }.map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
        }
    }
}
