public import Foundation

/// A save or batch request in the history of a store: its author, time and changes.
///
/// ```swift
/// func log(_ transaction: NSPersistentHistoryTransaction) {
///     print(transaction.timestamp, transaction.author ?? "unknown", transaction.changes?.count ?? 0)
/// }
/// ```
///
/// Immutable. Predicates and sort descriptors of a request with `fetchRequest` may use its properties.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, KeyValueReadable {
    let record: HistoryRecord

    init(_ record: HistoryRecord) {
        self.record = record
        super.init()
    }

    /// Returns the description of transactions in a context's stores.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }

    /// The description of transactions, for fetch requests of `fetchHistory(withFetch:)`.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

    /// A new request for transactions: give it a predicate, and set it as the `fetchRequest` of an
    /// `NSPersistentHistoryChangeRequest`.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entityDescription
        return request
    }

    /// The time at which the transaction was written.
    open var timestamp: Date { record.timestamp }

    /// The changes; `nil` if the request did not ask for them.
    open var changes: [NSPersistentHistoryChange]? {
        // Changes retain their transaction, so it must not retain them.
        record.changes?.map { NSPersistentHistoryChange($0, self) }
    }

    /// The transaction's number, which increases with each transaction of a store.
    open var transactionNumber: Int64 { record.number }

    /// The UUID of the store.
    open var storeID: String { record.storeUUID }

    /// The bundle identifier of the program; empty if it has none.
    open var bundleID: String { record.bundleID }

    /// The name of the program's process.
    open var processID: String { record.processID }

    /// The `name` of the context.
    open var contextName: String? { record.contextName }

    /// The `transactionAuthor` of the context.
    open var author: String? { record.author }

    /// The position after this transaction.
    open var token: NSPersistentHistoryToken { NSPersistentHistoryToken([record.storeUUID: record.number]) }

    /// Returns the IDs of inserted, updated and deleted objects as a notification, for
    /// `mergeChanges(fromContextDidSave:)`.
    open func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in record.changes ?? [] { ids[change.kind, default: []].insert(change.id) }
        var userInfo: [String: Any] = [:]
        userInfo[NSInsertedObjectIDsKey] = ids[.insert]
        userInfo[NSUpdatedObjectIDsKey] = ids[.update]
        userInfo[NSDeletedObjectIDsKey] = ids[.delete]
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: userInfo)
    }

    /// Returns the transaction itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both are the same transaction of the same store.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = (object as? NSPersistentHistoryTransaction)?.record else { return false }
        return other.number == record.number && other.storeUUID == record.storeUUID
    }

    /// The hash of the transaction's number.
    open override var hash: Int { record.number.hashValue }

    /// Returns the value of a property, for predicates. Traps on an unknown key.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "self": self
        case "timestamp": timestamp
        case "author": author
        case "contextName": contextName
        case "bundleID": bundleID
        case "processID": processID
        case "storeID": storeID
        case "transactionNumber": NSNumber(value: transactionNumber)
        case "token": token
        case "changes": changes
        default: misuseOfUndefinedKey(key, type: "NSPersistentHistoryTransaction", description: "a transaction")
        }
    }

    /// Number, time and author, for debugging.
    open override var description: String {
        "<NSPersistentHistoryTransaction: \(record.number) of \(record.storeUUID), \(record.timestamp), "
            + "author: \(record.author ?? "(null)"), context: \(record.contextName ?? "(null)"), "
            + "changes: \(record.changes.map { "\($0.count)" } ?? "(null)")>"
    }
}
