extension NSManagedObjectContext: KeyValueObserver {}

extension NSManagedObjectContext {
    /// Performs changes that do not go through individual properties, and notifies the observers of properties whose
    /// values differ afterwards. All properties of an object that becomes a fault count as changed, as on Apple's
    /// platforms.
    final func announcing<Result>(_ change: () throws -> Result) rethrows -> Result {
        guard !observedObjects.isEmpty else { return try change() }
        let before = observedObjects.values.compactMap { weak -> (ObjectObservers, NSManagedObject, [SlotValue])? in
            guard let observers = weak.observers, let owner = observers.owner, let slots = owner.copiedSlots() else {
                return nil
            }
            return (observers, owner, slots)
        }
        for (observers, _, _) in before { for key in observers.links.keys { observers.willChange(key, isSure: false) } }
        defer {
            for (observers, object, slots) in before {
                // Only now is it known whether values have changed.
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
    /// Returns whether a slot still has the value that was copied from it. A fault does not.
    fileprivate final func hasValue(_ value: SlotValue, at index: Int) -> Bool {
        guard let slots = loadedSlots else { return false }
        switch (slots[index], value) {
        case (.null, .null): return true
        case (.many(let members), .many(let other)): return members.storage.hasSameMembers(as: other.storage)
        // The relationship was not fetched again yet.
        case (.null, .many(let other)): return toMany(at: index).hasSameMembers(as: other.storage)
        default: return slots[index].isEqual(value)
        }
    }
}
