internal import Foundation

/// What a context holds in addition to unsaved changes and registered objects; only a reset discards it.
///
/// Confined to the queue of the context. None of its functions calls the app's code.
struct ContextContents {
    /// Further contents of the next notification of changes.
    var changes = UnpostedChanges()
    /// Faults of fetches with a batch size.
    var faultBatches = FaultBatches()
    /// The objects that are kept alive because `retainsRegisteredObjects` is set; `nil` if it is not.
    var retained: [NSManagedObject]?

    /// Discards everything.
    mutating func reset() { self = ContextContents(retained: retained.map { _ in [] }) }
}

/// The settings of a context, which neither a rollback nor a reset changes.
struct ContextSettings {
    var name: String?
    let userInfo = NSMutableDictionary()
    var mergePolicy: Any = NSErrorMergePolicy
    var propagatesDeletesAtEndOfEvent = true
    var shouldDeleteInaccessibleFaults = true
    var stalenessInterval: TimeInterval = -1
    var transactionAuthor: String?
    /// Whether saves write invalid objects, as a migration does before it has set all values.
    var skipsValidation = false
}

/// The classes of objects that were inserted into a context.
struct InsertedClasses {
    private var classes: Set<ObjectIdentifier> = []
    /// The most recently inserted of these classes.
    private var last: ObjectIdentifier?

    /// Returns whether a class is new.
    @inline(__always)
    mutating func insert(_ objectClass: NSManagedObject.Type) -> Bool {
        if last == ObjectIdentifier(objectClass) { return false }
        last = ObjectIdentifier(objectClass)
        return classes.insert(ObjectIdentifier(objectClass)).inserted
    }
}
