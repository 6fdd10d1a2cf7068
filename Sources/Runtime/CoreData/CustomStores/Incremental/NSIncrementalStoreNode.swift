public import Foundation

/// The values of one object in an incremental store, and their version.
///
/// ```swift
/// func node(for id: NSManagedObjectID) -> NSIncrementalStoreNode {
///     NSIncrementalStoreNode(objectID: id, withValues: ["title": "Emma"], version: 1)
/// }
/// ```
///
/// Not thread-safe: a node is used by the store that created it, and by the coordinator only while it calls the store.
nonisolated open class NSIncrementalStoreNode: NSObject {
    private let id: NSManagedObjectID
    private var values: [String: Any]
    private var revision: UInt64

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - objectID: The object's ID, created with `newObjectID(for:referenceObject:)`.
    ///   - values: The values by property name. For attributes: values; a missing one is `nil`. For to-one
    ///     relationships:
    ///     the ID of the object, or `NSNull` for none; a missing one is requested with
    ///     `newValue(forRelationship:forObjectWith:with:)` when the object is loaded. For to-many relationships: a set
    ///     or an array of IDs; a missing one is requested on first use, which suits most stores.
    ///   - version: A number that increases with each change of the object. A save is a conflict if its context and the
    ///     store have different versions.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any] = [:], version: UInt64) {
        id = objectID
        self.values = values
        revision = version
        super.init()
    }

    /// Updates the values, in the initializer's form. Missing properties keep their values.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values.merge(values) { $1 }
        revision = version
    }

    /// The object's ID.
    open var objectID: NSManagedObjectID { id }

    /// The version of the values: a number that changes whenever they do.
    open var version: UInt64 { revision }

    /// Returns the value of a property, in the form that the initializer takes, or `nil` if the node does not have it.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
