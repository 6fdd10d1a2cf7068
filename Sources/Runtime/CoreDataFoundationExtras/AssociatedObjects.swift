internal import Foundation

/// How `objc_setAssociatedObject(_:_:_:_:)` keeps a value. Raw values equal Apple's.
public enum objc_AssociationPolicy: UInt, Sendable {
    /// Without retaining it: the value is `nil` once it is released.
    case OBJC_ASSOCIATION_ASSIGN = 0
    /// Retained.
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    /// Retained as a copy. Values of Swift are copied anyway; objects that are `NSCopying` are copied.
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    /// Retained. Associations are thread-safe with every policy.
    case OBJC_ASSOCIATION_RETAIN = 769
    /// Retained as a copy.
    case OBJC_ASSOCIATION_COPY = 771
}

/// The values associated with objects, by the identity of the object.
private final class Associations: @unchecked Sendable {
    static let shared = Associations()

    private struct Value {
        var strong: Any?
        weak var weak: AnyObject?
        var value: Any? { strong ?? weak }
    }

    private struct Entry {
        /// Distinguishes the object from a later one at the same address.
        weak var object: AnyObject?
        var values: [UnsafeRawPointer: Value] = [:]
    }

    // Recursive: to see whether an object is alive can release it, and its end can use associations.
    private let lock = NSRecursiveLock()
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries from which on those of deallocated objects are removed.
    private var limit = 64

    func value(of object: AnyObject, _ key: UnsafeRawPointer) -> Any? {
        lock.withLock {
            guard let entry = entries[ObjectIdentifier(object)], entry.object === object else { return nil }
            return entry.values[key]?.value
        }
    }

    func set(_ value: Any?, of object: AnyObject, _ key: UnsafeRawPointer, _ policy: objc_AssociationPolicy) {
        let new = value.map { Self.value($0, policy) }
        // Values are released outside of the lock, because that can call any code.
        var released: [Any] = []
        lock.withLock {
            let id = ObjectIdentifier(object)
            var entry = entries[id] ?? Entry(object: object)
            if entry.object !== object {
                released.append(entry)
                entry = Entry(object: object)
            }
            if let old = entry.values[key] { released.append(old) }
            entry.values[key] = new
            entries[id] = entry.values.isEmpty ? nil : entry
            guard entries.count > limit else { return }
            for (id, entry) in entries where entry.object == nil {
                released.append(entry)
                entries[id] = nil
            }
            limit = max(64, 2 * entries.count)
        }
        withExtendedLifetime(released) {}
    }

    func removeAll(of object: AnyObject) {
        let removed = lock.withLock { entries.removeValue(forKey: ObjectIdentifier(object)) }
        withExtendedLifetime(removed) {}
    }

    private static func value(_ value: Any, _ policy: objc_AssociationPolicy) -> Value {
        switch policy {
        case .OBJC_ASSOCIATION_ASSIGN: Value(weak: value as AnyObject)
        case .OBJC_ASSOCIATION_RETAIN, .OBJC_ASSOCIATION_RETAIN_NONATOMIC: Value(strong: value)
        case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
            Value(strong: (value as? NSObject as? any NSCopying)?.copy(with: nil) ?? value)
        }
    }
}

/// Associates a value with an object, or removes it if the value is `nil`.
///
/// ```swift
/// private nonisolated(unsafe) var tagKey: UInt8 = 0
/// extension NSManagedObjectContext {
///     var tag: String? {
///         get { objc_getAssociatedObject(self, &tagKey) as? String }
///         set { objc_setAssociatedObject(self, &tagKey, newValue, .OBJC_ASSOCIATION_RETAIN) }
///     }
/// }
/// ```
///
/// On Linux, values are released some time after the object, not with it.
///
/// - Parameters:
///   - object: The object. It is not retained.
///   - key: The address of a global variable.
///   - value: The value.
///   - policy: How the value is kept.
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    Associations.shared.set(value, of: object as AnyObject, key, policy)
}

/// Returns the value that is associated with an object, or `nil`.
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
    Associations.shared.value(of: object as AnyObject, key)
}

/// Removes all values that are associated with an object.
public func objc_removeAssociatedObjects(_ object: Any) {
    Associations.shared.removeAll(of: object as AnyObject)
}
