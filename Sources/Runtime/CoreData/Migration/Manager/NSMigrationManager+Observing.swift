public import Foundation
internal import RuntimeSupport

/// The observers of a migration manager's progress. Used on the thread that migrates.
struct MigrationObservers {
    /// Reads the observed value before a change, and returns a closure that reports the change.
    typealias Observer = () -> () -> Void

    private var observers: [(id: Int, observer: Observer)] = []
    private var lastID = 0

    /// Adds an observer, and returns its number.
    mutating func add(_ observer: @escaping Observer) -> Int {
        lastID += 1
        observers.append((lastID, observer))
        return lastID
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
