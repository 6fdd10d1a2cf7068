internal import Foundation

/// What can be observed by key path. Apple's name of the protocol; it exists so that `observe` can speak of `Self`.
public protocol _KeyValueCodingAndObserving {}

extension NSManagedObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: NSManagedObject {
    /// Observes a property, also at the end of a path of to-one relationships: `book.observe(\.author?.name)`.
    ///
    /// The handler is called on the context's queue, at once with each change: by accessors, `setValue(_:forKey:)`, the other
    /// side of a relationship, undo, rollback, refresh and merge. Values of primitives are set without it.
    ///
    /// - Parameters:
    ///   - keyPath: properties of the entity. Others trap, as they do on Apple's platforms unless they are `@objc`.
    ///   - options: what the change has; nothing but its kind unless set.
    ///   - changeHandler: is given the object and the change.
    /// - Returns: the observation; it ends when this is released.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        guard let path = PropertyKeyPath.string(of: keyPath), path != "self" else {
            misuse(
                "NSInvalidArgumentException",
                "the key path \(keyPath) cannot be observed: it does not consist of properties of the entity \(layout.name)"
            )
        }
        return NSKeyValueObservation(
            KeyPathObservation(
                self, path.split(separator: ".").map(String.init), options,
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

/// Notifies observers of changes. An object without observers pays for one comparison on the slow path.
extension NSManagedObject {
    final var observers: ObjectObservers? { state.pointee.observers }

    /// Begins to announce changes: generated accessors are led to the slow way, because no layout has this fingerprint.
    final func startAnnouncing() -> ObjectObservers {
        if let observers { return observers }
        let observers = ObjectObservers(self)
        state.pointee.observers = observers
        state.pointee.fingerprint = 0
        state.pointee.parentFingerprint = 0
        managedObjectContext?.observedObjects[ObjectIdentifier(self)] = WeakObservers(observers: observers)
        return observers
    }

    /// The last observer was removed.
    final func stopAnnouncing() {
        state.pointee.observers = nil
        state.pointee.fingerprint = layout.fingerprint
        state.pointee.parentFingerprint = layout.parentFingerprint
        managedObjectContext?.observedObjects[ObjectIdentifier(self)] = nil
    }

    /// Makes a change of a property, and tells its observers before and after.
    final func announcing(_ index: Int, _ difference: MemberDifference? = nil, _ change: () -> Void) {
        guard let observers else { return change() }
        let key = layout.slots[index].name
        observers.willChange(key, difference)
        change()
        observers.didChange(key)
    }
}

/// The observers of an object that may go away before its context does.
struct WeakObservers {
    weak var observers: ObjectObservers?
}

extension NSManagedObjectContext {
    /// Makes changes to objects that are not made property by property, and tells observers of properties whose values differ
    /// afterwards. An object that becomes a fault counts as changed in all properties, as on Apple's platforms.
    final func announcing<Result>(_ change: () throws -> Result) rethrows -> Result {
        guard !observedObjects.isEmpty else { return try change() }
        let before = observedObjects.values.compactMap { weak -> (ObjectObservers, NSManagedObject, [SlotValue])? in
            guard let observers = weak.observers, let slots = observers.owner.copiedSlots() else { return nil }
            return (observers, observers.owner, slots)
        }
        for (observers, _, _) in before { for key in observers.links.keys { observers.willChange(key, isSure: false) } }
        defer {
            for (observers, object, slots) in before {
                // Whether values change is known only now.
                if let subscribers = observers.subscribers,
                    !slots.indices.allSatisfy({ object.hasValue(slots[$0], at: $0) })
                {
                    subscribers.send()
                }
                for key in observers.links.keys {
                    let isChanged = object.layout.index(of: key).map { !object.hasValue(slots[$0], at: $0) } ?? false
                    if isChanged { observers.didChange(key) } else { observers.didNotChange(key) }
                }
            }
        }
        return try change()
    }
}

extension NSManagedObject {
    /// Returns whether a slot still has a value that was copied from it. A fault has none.
    fileprivate final func hasValue(_ value: SlotValue, at index: Int) -> Bool {
        guard let slots = loadedSlots else { return false }
        switch (slots[index], value) {
        case (.null, .null): return true
        case (.many(let storage), .many(let other)): return storage.hasSameMembers(as: other)
        // Not looked up again yet.
        case (.null, .many(let other)): return toMany(at: index).hasSameMembers(as: other)
        default: return slots[index].isEqual(value)
        }
    }
}
