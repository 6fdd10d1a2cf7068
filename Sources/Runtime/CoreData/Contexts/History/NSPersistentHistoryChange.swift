public import Foundation

/// The change of one object in the history of a store.
///
/// ```swift
/// func titles(in transaction: NSPersistentHistoryTransaction) -> [NSManagedObjectID] {
///     (transaction.changes ?? []).filter { $0.updatedProperties?.contains { $0.name == "title" } == true }
///         .map(\.changedObjectID)
/// }
/// ```
///
/// Immutable.
open class NSPersistentHistoryChange: NSObject, NSCopying, KeyValueReadable {
    private let record: HistoryRecord.Change
    private let owner: NSPersistentHistoryTransaction

    init(_ record: HistoryRecord.Change, _ owner: NSPersistentHistoryTransaction) {
        self.record = record
        self.owner = owner
        super.init()
    }

    /// Returns the description of changes in a context's stores.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// The description of changes, for fetch requests of `fetchHistory(withFetch:)`.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.change }

    /// A new request for changes: give it a predicate, and set it as the `fetchRequest` of an
    /// `NSPersistentHistoryChangeRequest`.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entityDescription
        return request
    }

    /// The change's number, which increases with each change of a store.
    open var changeID: Int64 { record.number }

    /// The ID of the changed object.
    open var changedObjectID: NSManagedObjectID { record.id }

    /// The kind of change.
    open var changeType: NSPersistentHistoryChangeType { record.kind }

    /// For a deletion, the preserved attribute values (`preservesValueInHistoryOnDeletion`) by attribute name; `nil` if
    /// there are none.
    open var tombstone: [AnyHashable: Any]? { record.tombstone }

    /// The transaction that the change belongs to.
    open var transaction: NSPersistentHistoryTransaction? { owner }

    /// For an update, the changed properties; otherwise `nil`.
    open var updatedProperties: Set<NSPropertyDescription>? {
        guard record.kind == .update, let slots = record.slots else { return nil }
        let entity = record.id.entity
        let layout = entity.objectLayout()
        return Set(
            slots.compactMap { slot in
                layout.slots.indices.contains(slot) ? entity.propertiesByName[layout.slots[slot].name] : nil
            })
    }

    /// Returns the change itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both are the same change of the same store.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryChange else { return false }
        return other.record.number == record.number && other.owner.isEqual(owner)
    }

    /// The hash of the change's number.
    open override var hash: Int { record.number.hashValue }

    /// Returns the value of a property, for predicates. Traps on an unknown key.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "self": self
        case "changeID": NSNumber(value: changeID)
        case "changedObjectID": changedObjectID
        case "changedEntity": changedObjectID.entity
        case "changeType": NSNumber(value: changeType.rawValue)
        case "tombstone": tombstone
        case "transaction": transaction
        case "updatedProperties": updatedProperties
        default: misuseOfUndefinedKey(key, type: "NSPersistentHistoryChange", description: "a change")
        }
    }

    /// The kind of change and the object, for debugging.
    open override var description: String {
        "<NSPersistentHistoryChange: \(record.number) \(record.kind) \(record.id.uriRepresentation().absoluteString)>"
    }
}
