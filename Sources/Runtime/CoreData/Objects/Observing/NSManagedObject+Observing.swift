internal import Foundation
internal import RuntimeSupport

/// Types that can be observed by key path. The protocol has Apple's name, and exists so that the signature of `observe`
/// can use `Self`.
public protocol _KeyValueCodingAndObserving {}

extension NSManagedObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: NSManagedObject {
    /// Observes a property, also at the end of a path of to-one relationships: `book.observe(\.author?.name)`.
    ///
    /// The handler is called on the context's queue, immediately with each change: by accessors, `setValue(_:forKey:)`,
    /// the inverse of a relationship, undo, rollback, refresh and merge. Setting a primitive value does not call it.
    ///
    /// - Parameters:
    ///   - keyPath: A key path that consists of properties of the entity. Others trap, as they do on Apple's platforms
    ///     unless they are `@objc`.
    ///   - options: The values that the change includes. By default it only has its kind.
    ///   - changeHandler: Called with the object and the change.
    /// - Returns: The observation, which ends when it is released.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        guard let path = PropertyKeyPath.observedString(of: keyPath), path != "self" else {
            misuse(
                "NSInvalidArgumentException",
                "the key path \(keyPath) cannot be observed: it does not consist of properties of the entity \(layout.name)"
            )
        }
        return NSKeyValueObservation(
            KeyPathObservation(
                object: self, keys: path.split(separator: ".").map(String.init), options: options,
                read: { [weak self] in self.map { $0[keyPath: keyPath] } },
                handler: { [weak self] change in
                    guard let self else { return }
                    changeHandler(
                        self,
                        NSKeyValueObservedChange(
                            kind: change.difference?.kind ?? .setting, newValue: change.new as? Value,
                            oldValue: change.old as? Value, indexes: change.difference?.indexes, isPrior: change.isPrior
                        ))
                }))
    }
}

/// Notifies observers of changes. For an object without observers this costs one comparison on the slow path.
extension NSManagedObject {
    final var observers: ObjectObservers? { state.pointee.observers }

    /// Starts announcing changes. The changed fingerprint matches no layout, so generated accessors take the slow path.
    final func startAnnouncing() -> ObjectObservers {
        if let observers { return observers }
        let observers = ObjectObservers(self)
        state.pointee.observers = observers
        state.pointee.fingerprint = 0
        state.pointee.parentFingerprint = 0
        managedObjectContext?.observedObjects[ObjectIdentifier(self)] = WeakObservers(observers: observers)
        return observers
    }

    /// Stops announcing changes, after the last observer was removed.
    final func stopAnnouncing() {
        state.pointee.observers = nil
        state.pointee.fingerprint = layout.fingerprint
        state.pointee.parentFingerprint = layout.parentFingerprint
        managedObjectContext?.observedObjects[ObjectIdentifier(self)] = nil
    }

    /// Changes a property, and notifies its observers before and after.
    final func announcing(_ index: Int, difference: MemberDifference? = nil, change: () -> Void) {
        guard let observers else { return change() }
        let key = layout.slots[index].name
        observers.willChange(key, difference)
        change()
        observers.didChange(key)
    }
}

/// A weak reference to the observers of an object, which may be deallocated before its context.
struct WeakObservers {
    weak var observers: ObjectObservers?
}
