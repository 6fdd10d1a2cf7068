public import Foundation

/// A dictionary of objects that keeps its keys or values with weak references, as on Apple's platforms.
///
/// ```swift
/// let names = NSMapTable<NSString, NSObject>.strongToWeakObjects()
/// names.setObject(NSObject(), forKey: NSString(string: "main"))
/// ```
///
/// Strong keys are compared by value if they are `NSObject`s; weak keys of other classes by identity. An entry
/// disappears when a weak key or value is released. Not thread-safe.
public class NSMapTable<KeyType: AnyObject, ObjectType: AnyObject> {
    /// How keys or values are kept.
    public struct Options: OptionSet, Sendable {
        /// The raw value, which equals Apple's.
        public let rawValue: UInt

        /// Creates options.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Strong references.
        public static var strongMemory: Options { Options([]) }
        /// Weak references.
        public static var weakMemory: Options { Options(rawValue: 5) }
        /// Comparison by identity.
        public static var objectPointerPersonality: Options { Options(rawValue: 512) }
        /// Strong references to copies; keys are not copied here.
        public static var copyIn: Options { Options(rawValue: 65536) }
    }

    /// A reference to a key or value.
    private struct Reference {
        private var strong: AnyObject?
        private weak var weak: AnyObject?

        init(_ object: AnyObject, isWeak: Bool) {
            if isWeak { weak = object } else { strong = object }
        }

        var object: AnyObject? { strong ?? weak }
    }

    /// The identity or the value of a key. The hash does not change when a weak key is released.
    private enum Key: Hashable {
        case identity(ObjectIdentifier)
        case value(NSObject)
    }

    private let keyOptions: Options
    private let valueOptions: Options
    private var entries: [Key: (key: Reference, value: Reference)] = [:]
    /// The number of entries at which released ones are dropped.
    private var sweepCount = 64

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - keyOptions: How keys are kept.
    ///   - valueOptions: How values are kept.
    ///   - initialCapacity: Ignored.
    public init(keyOptions: Options, valueOptions: Options, capacity initialCapacity: Int = 0) {
        self.keyOptions = keyOptions
        self.valueOptions = valueOptions
    }

    /// Creates a table with strong keys and values.
    public class func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .strongMemory, valueOptions: .strongMemory)
    }

    /// Creates a table with strong keys and weak values.
    public class func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .strongMemory, valueOptions: .weakMemory)
    }

    /// Creates a table with weak keys and strong values.
    public class func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .strongMemory)
    }

    /// Creates a table with weak keys and values.
    public class func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    private func key(_ object: KeyType) -> Key {
        // A weak key cannot be compared by value once it is released.
        if let object = object as? NSObject, !keyOptions.contains(.weakMemory),
            !keyOptions.contains(.objectPointerPersonality)
        {
            return .value(object)
        }
        return .identity(ObjectIdentifier(object))
    }

    /// Returns the value for a key, or `nil` if there is none or it was released.
    public func object(forKey aKey: KeyType?) -> ObjectType? {
        guard let aKey, let entry = entries[key(aKey)], entry.key.object === aKey || !keyOptions.contains(.weakMemory)
        else { return nil }
        return entry.value.object as? ObjectType
    }

    /// Sets the value for a key; `nil` removes it.
    public func setObject(_ anObject: ObjectType?, forKey aKey: KeyType?) {
        guard let aKey else { return }
        guard let anObject else { return removeObject(forKey: aKey) }
        entries[key(aKey)] = (
            Reference(aKey, isWeak: keyOptions.contains(.weakMemory)),
            Reference(anObject, isWeak: valueOptions.contains(.weakMemory))
        )
        guard entries.count >= sweepCount else { return }
        entries = entries.filter { $0.value.key.object != nil && $0.value.value.object != nil }
        sweepCount = max(64, entries.count * 2)
    }

    /// Removes the value for a key.
    public func removeObject(forKey aKey: KeyType?) {
        if let aKey { entries[key(aKey)] = nil }
    }

    /// Removes all keys and values.
    public func removeAllObjects() { entries = [:] }

    private var live: [(key: KeyType, value: ObjectType)] {
        entries.values.compactMap { entry in
            guard let key = entry.key.object as? KeyType, let value = entry.value.object as? ObjectType else {
                return nil
            }
            return (key, value)
        }
    }

    /// The number of entries whose key and value exist.
    public var count: Int { live.count }

    /// Returns the keys, as they are now.
    public func keyEnumerator() -> NSEnumerator { NSArray(array: live.map(\.key)).objectEnumerator() }

    /// Returns the values, as they are now; `nil` if there are none.
    public func objectEnumerator() -> NSEnumerator? {
        let values = live.map(\.value)
        return values.isEmpty ? nil : NSArray(array: values).objectEnumerator()
    }
}

/// A set of objects that keeps its members with weak references, as on Apple's platforms.
///
/// ```swift
/// let delegates = NSHashTable<NSObject>.weakObjects()
/// delegates.add(NSObject())
/// for delegate in delegates.allObjects { print(delegate) }
/// ```
///
/// Members are compared by identity. Not thread-safe.
public class NSHashTable<ObjectType: AnyObject> {
    private let table = NSMapTable<ObjectType, ObjectType>.weakToWeakObjects()

    private init() {}

    /// Creates a set of weak references.
    public class func weakObjects() -> NSHashTable<ObjectType> { NSHashTable() }

    /// Adds an object.
    public func add(_ object: ObjectType?) { table.setObject(object, forKey: object) }

    /// Removes an object.
    public func remove(_ object: ObjectType?) { table.removeObject(forKey: object) }

    /// Removes all objects.
    public func removeAllObjects() { table.removeAllObjects() }

    /// Returns whether an object is a member.
    public func contains(_ anObject: ObjectType?) -> Bool { table.object(forKey: anObject) != nil }

    /// The members that exist.
    public var allObjects: [ObjectType] { table.keyEnumerator().compactMap { $0 as? ObjectType } }

    /// One of the members; `nil` if there are none.
    public var anyObject: ObjectType? { allObjects.first }

    /// The number of members that exist.
    public var count: Int { table.count }
}
