public import Foundation
internal import RuntimeSupport

/// The observers of a migration manager's progress. Used on the thread that migrates.
struct MigrationObservers {
    /// Reads the observed value before a change, and returns a closure that reports the change.
    typealias Observer = () -> () -> Void

    /// The identity of an observer that was added with a key path and a context.
    struct Key: Equatable {
        var observer: ObjectIdentifier
        var keyPath: String
        var context: UnsafeMutableRawPointer?
    }

    private var observers: [(id: Int, key: Key?, observer: Observer)] = []
    private var lastID = 0

    /// Adds an observer, and returns its number.
    @discardableResult
    mutating func add(_ key: Key? = nil, _ observer: @escaping Observer) -> Int {
        lastID += 1
        observers.append((lastID, key, observer))
        return lastID
    }

    /// Removes the last observer whose key satisfies a condition.
    ///
    /// - Returns: Whether there is one.
    mutating func removeLast(where isRight: (Key) -> Bool) -> Bool {
        guard let index = observers.lastIndex(where: { $0.key.map(isRight) ?? false }) else { return false }
        observers.remove(at: index)
        return true
    }

    mutating func remove(_ id: Int) { observers.removeAll { $0.id == id } }

    /// Returns closures that report a change, to be called after it.
    func willChange() -> [() -> Void] { observers.map { $0.observer() } }
}

extension NSMigrationManager: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: NSMigrationManager {
    /// Observes `migrationProgress` or `currentEntityMapping`.
    ///
    /// ```swift
    /// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    /// let observation = manager.observe(\.migrationProgress, options: .new) { manager, change in
    ///     print(change.newValue ?? 0)
    /// }
    /// ```
    ///
    /// The handler is called on the thread that migrates, when the value differs. Other properties never change.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: The values that the change includes. `prior` has no effect.
    ///   - changeHandler: Called with the manager and the change.
    /// - Returns: The observation, which ends when it is released.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        func report(_ manager: Self, new: Value, old: Value?) {
            changeHandler(
                manager,
                NSKeyValueObservedChange(
                    kind: .setting, newValue: options.contains(.new) ? new : nil,
                    oldValue: options.contains(.old) ? old : nil, indexes: nil, isPrior: false))
        }
        if options.contains(.initial) { report(self, new: self[keyPath: keyPath], old: nil) }
        let id = observers.add { [weak self] in
            guard let self else { return {} }
            let old = self[keyPath: keyPath]
            return {
                let new = self[keyPath: keyPath]
                if let old = old as? AnyHashable, let new = new as? AnyHashable, old == new { return }
                report(self, new: new, old: old)
            }
        }
        return NSKeyValueObservation { [weak self] in self?.observers.remove(id) }
    }
}

/// Observers that are identified by object and key path.
extension NSMigrationManager {
    /// Calls an observer when `migrationProgress` or `currentEntityMapping` has changed. Other properties never change.
    ///
    /// - Parameters:
    ///   - observer: An object that conforms to `KeyValueObserver`; others trap. Not retained.
    ///   - keyPath: The property.
    ///   - options: The values that the change includes. `prior` has no effect.
    ///   - context: A pointer that is passed to the observer.
    public func addObserver(
        _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer?
    ) {
        guard let receiver = observer as? any KeyValueObserver else {
            misuse(
                "NSInvalidArgumentException",
                "the observer \(type(of: observer)) of “\(keyPath)” has to conform to KeyValueObserver")
        }
        func report(_ manager: NSMigrationManager, _ receiver: (any KeyValueObserver)?, new: Any?, old: Any?) {
            let change = NSManagedObject.dictionary(KeyPathObservation.Change(new: new, old: old), options)
            receiver?.observeValue(forKeyPath: keyPath, of: manager, change: change, context: context)
        }
        if options.contains(.initial) { report(self, receiver, new: value(forKey: keyPath), old: nil) }
        let key = MigrationObservers.Key(observer: ObjectIdentifier(observer), keyPath: keyPath, context: context)
        observers.add(key) { [weak self, weak receiver] in
            guard let self, ["migrationProgress", "currentEntityMapping"].contains(keyPath) else { return {} }
            let old = self.value(forKey: keyPath)
            return {
                let new = self.value(forKey: keyPath)
                if old as? NSObject != new as? NSObject { report(self, receiver, new: new, old: old) }
            }
        }
    }

    /// Ends the observation of a key path by an observer. Traps if the observer was not added.
    public func removeObserver(_ observer: NSObject, forKeyPath keyPath: String) {
        remove(observer, keyPath) { _ in true }
    }

    /// Ends the observation of a key path by an observer that was added with a context. Traps if the observer was not
    /// added.
    public func removeObserver(_ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?) {
        remove(observer, keyPath) { $0.context == context }
    }

    private func remove(_ observer: NSObject, _ keyPath: String, isRight: (MigrationObservers.Key) -> Bool) {
        let identifier = ObjectIdentifier(observer)
        let isRemoved = observers.removeLast {
            $0.observer == identifier && $0.keyPath == keyPath && isRight($0)
        }
        guard isRemoved else {
            misuse(
                "NSRangeException",
                "Cannot remove an observer \(type(of: observer)) for the key path “\(keyPath)” from the migration manager "
                    + "because it is not registered as an observer.")
        }
    }
}
