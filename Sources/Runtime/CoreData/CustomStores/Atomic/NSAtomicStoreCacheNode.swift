public import Foundation

/// The values of one object in an atomic store.
///
/// ```swift
/// func copyValues(of object: NSManagedObject, to node: NSAtomicStoreCacheNode) {
///     for name in object.entity.attributesByName.keys { node.setValue(object.value(forKey: name), forKey: name) }
/// }
/// ```
///
/// Not thread-safe: only its store uses a node, under the coordinator's lock.
nonisolated open class NSAtomicStoreCacheNode: NSObject {
    private let id: NSManagedObjectID
    private var properties: NSMutableDictionary?
    /// The number of times that the values were saved.
    final var version = 1

    /// Creates a node without values.
    ///
    /// - Parameter moid: The object's ID, created with the store's `objectID(for:withReferenceObject:)`.
    public init(objectID moid: NSManagedObjectID) {
        id = moid
        super.init()
    }

    /// The object's ID.
    open var objectID: NSManagedObjectID { id }

    /// The values by property name. Set it to `nil` to break retain cycles of nodes.
    open var propertyCache: NSMutableDictionary? {
        get { properties }
        set { properties = newValue }
    }

    /// Returns the value of a property: for an attribute its value, for a to-one relationship the node of the other
    /// object, for a to-many relationship a set, an ordered set or an array of nodes; `nil` if there is none.
    open func value(forKey key: String) -> Any? { properties?[key] }

    /// Sets the value of a property, in the form that `value(forKey:)` returns, or removes it if `nil`.
    open func setValue(_ value: Any?, forKey key: String) {
        let properties = self.properties ?? NSMutableDictionary()
        self.properties = properties
        if let value { properties[key] = value } else { properties.removeObject(forKey: key) }
    }
}
