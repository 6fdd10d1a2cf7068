public import Foundation
internal import RuntimeSupport

/// Receives the changes of key paths that it observes with `addObserver(_:forKeyPath:options:context:)`.
///
/// On Apple's platforms every `NSObject` has the method. Foundation on Linux does not declare it, so there is nothing
/// to override. An observer that is not a managed object or a context conforms to this protocol and implements the
/// method without `override`:
///
/// ```swift
/// final class TitleLabel: NSObject, KeyValueObserver {
///     var text = ""
///     func observeValue(
///         forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
///         context: UnsafeMutableRawPointer?
///     ) {
///         text = change?[.newKey] as? String ?? ""
///     }
/// }
/// book.addObserver(TitleLabel(), forKeyPath: "title", options: .new, context: nil)
/// ```
public protocol KeyValueObserver: AnyObject {
    /// Called on the queue of the observed object's context, immediately with each change.
    ///
    /// - Parameters:
    ///   - keyPath: The observed key path.
    ///   - object: The observed object.
    ///   - change: The kind of the change, and the values requested by the observation's options. `NSNull` represents
    ///     nil.
    ///   - context: The pointer that was passed to `addObserver(_:forKeyPath:options:context:)`.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}

extension KeyValueObserver {
    /// Traps as a call of `super.observeValue(…)` in a subclass of `NSObject` does. Copies of sources call it in place.
    public func observeUnhandledValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        misuse(
            "NSInternalInconsistencyException",
            "\(type(of: self)): An -observeValueForKeyPath:ofObject:change:context: message was received but not "
                + "handled. Key path: \(keyPath ?? "")")
    }
}

/// The keys of an observed change. Raw values equal Foundation's on Apple's platforms.
///
/// ```swift
/// func newTitle(_ change: [NSKeyValueChangeKey: Any]) -> String? { change[.newKey] as? String }
/// ```
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The key.
    public let rawValue: String

    /// Creates a key from its raw value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The kind of the change: the raw value of an `NSKeyValueChange`.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The new value, or the objects that were added.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The old value, or the objects that were removed.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The indexes of the objects in an ordered relationship: an `IndexSet`.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// Present and `true` if the notification is sent before the change; otherwise absent.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// An observer that was added to an object.
///
/// Confined to the queue of the object's context.
struct AddedObserver {
    /// The identity of the observer, which is only compared and never dereferenced.
    let identifier: ObjectIdentifier
    let keyPath: String
    let context: UnsafeMutableRawPointer?
    let observation: KeyPathObservation
}

extension NSManagedObject: KeyValueObserver {}

/// Observers that are identified by object and key path.
extension NSManagedObject {
    /// Adds an observer: see `addObserver(_:forKeyPath:options:context:)`.
    final func add(
        _ observer: NSObject, keyPath: String, options: NSKeyValueObservingOptions,
        context: UnsafeMutableRawPointer?
    ) {
        guard let receiver = observer as? any KeyValueObserver else {
            misuse(
                "NSInvalidArgumentException",
                "the observer \(type(of: observer)) of “\(keyPath)” has to conform to KeyValueObserver: on Linux NSObject has no "
                    + "observeValue(forKeyPath:of:change:context:)")
        }
        let observation = KeyPathObservation(
            object: self, keys: keyPath.split(separator: ".").map(String.init), options: options,
            read: { [weak self] in self?.value(forKeyPath: keyPath) },
            handler: { [weak self, weak receiver] change in
                receiver?.observeValue(
                    forKeyPath: keyPath, of: self, change: Self.dictionary(change, options), context: context)
            })
        startAnnouncing().added.append(
            AddedObserver(
                identifier: ObjectIdentifier(observer), keyPath: keyPath, context: context, observation: observation))
    }

    /// Ends an observer's most recent observation of a key path that satisfies a condition.
    final func remove(_ observer: NSObject, _ keyPath: String, isRight: (AddedObserver) -> Bool) {
        let identifier = ObjectIdentifier(observer)
        guard let observers,
            let index = observers.added.lastIndex(where: {
                $0.identifier == identifier && $0.keyPath == keyPath && isRight($0)
            })
        else {
            misuse(
                "NSRangeException",
                "Cannot remove an observer \(type(of: observer)) for the key path “\(keyPath)” from \(debugName) because it is "
                    + "not registered as an observer.")
        }
        observers.added.remove(at: index).observation.end()
    }

    /// Returns the dictionary with which an observer is notified of a change.
    static func dictionary(
        _ change: KeyPathObservation.Change, _ options: NSKeyValueObservingOptions
    ) -> [NSKeyValueChangeKey: Any] {
        let kind = change.difference?.kind ?? .setting
        var result: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: kind.rawValue)]
        if options.contains(.new), !change.isPrior, kind != .removal {
            result[.newKey] = Unwrapping.value(change.new) ?? NSNull()
        }
        if options.contains(.old), kind != .insertion {
            result[.oldKey] = Unwrapping.value(change.old) ?? NSNull()
        }
        result[.indexesKey] = change.difference?.indexes
        if change.isPrior { result[.notificationIsPriorKey] = NSNumber(value: true) }
        return result
    }
}

/// Announcing changes by Swift key paths.
extension _KeyValueCodingAndObserving where Self: NSManagedObject {
    /// Announces that a property is about to change: `willChangeValue(for: \.title)`.
    ///
    /// A key path that does not consist of properties of the entity is ignored, because it cannot be observed either.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        if let key = PropertyKeyPath.observedString(of: keyPath) { willChangeValue(forKey: key) }
    }

    /// Announces that a property has changed.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        if let key = PropertyKeyPath.observedString(of: keyPath) { didChangeValue(forKey: key) }
    }

    /// Announces that an ordered to-many relationship is about to change at indexes.
    public func willChange<Value>(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
    ) {
        guard let key = PropertyKeyPath.observedString(of: keyPath) else { return }
        willChange(changeKind, valuesAt: indexes, forKey: key)
    }

    /// Announces that an ordered to-many relationship has changed at indexes.
    public func didChange<Value>(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
    ) {
        guard let key = PropertyKeyPath.observedString(of: keyPath) else { return }
        didChange(changeKind, valuesAt: indexes, forKey: key)
    }

    /// Announces that objects are about to be added to or removed from a to-many relationship.
    public func willChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>, withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<AnyHashable>
    ) {
        guard let key = PropertyKeyPath.observedString(of: keyPath) else { return }
        willChangeValue(forKey: key, withSetMutation: mutation, using: set)
    }

    /// Announces that objects were added to or removed from a to-many relationship.
    public func didChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>, withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<AnyHashable>
    ) {
        guard let key = PropertyKeyPath.observedString(of: keyPath) else { return }
        didChangeValue(forKey: key, withSetMutation: mutation, using: set)
    }
}
