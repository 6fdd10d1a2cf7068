public import Foundation

/// What one save or batch request has done to a store. Immutable.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, KeyValueReadable, NSFetchRequestResult {
    /// When it was done.
    public let timestamp: Date
    /// Counts the transactions of the store.
    public let transactionNumber: Int64
    /// The UUID of the store.
    public let storeID: String
    /// The bundle identifier of the program, or its name.
    public let bundleID: String
    /// The name of the process.
    public let processID: String
    /// The name of the context.
    public let contextName: String?
    /// The author that the context had.
    public let author: String?
    /// The place behind the transaction.
    public let token: NSPersistentHistoryToken
    /// What was done to each object; nil when it was not asked for.
    public internal(set) var changes: [NSPersistentHistoryChange]?

    init(
        timestamp: Date, number: Int64, storeID: String, bundleID: String, processID: String, contextName: String?,
        author: String?
    ) {
        self.timestamp = timestamp
        transactionNumber = number
        self.storeID = storeID
        self.bundleID = bundleID
        self.processID = processID
        self.contextName = contextName
        self.author = author
        token = NSPersistentHistoryToken([storeID: number])
        super.init()
    }

    /// Itself: a transaction never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// A notification with the IDs of the changed objects, for `mergeChanges(fromContextDidSave:)`.
    open func objectIDNotification() -> Notification {
        func ids(_ type: NSPersistentHistoryChangeType) -> Set<NSManagedObjectID> {
            Set((changes ?? []).filter { $0.changeType == type }.map(\.changedObjectID))
        }
        return Notification(
            name: .NSManagedObjectContextDidSaveObjectIDs, object: nil,
            userInfo: [
                NSInsertedObjectIDsKey: ids(.insert), NSUpdatedObjectIDsKey: ids(.update),
                NSDeletedObjectIDsKey: ids(.delete),
            ])
    }

    /// The entity of transactions, for requests that look for some of them.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

    /// The entity of transactions.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        HistoryEntities.transaction
    }

    /// A request for transactions, to be given to `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`. Its predicate may
    /// name `author`, `bundleID`, `contextName`, `processID`, `storeID`, `timestamp` and `transactionNumber`.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = HistoryEntities.transaction
        return request
    }

    /// The value of a property that a predicate names.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "author": author
        case "bundleID": bundleID
        case "contextName": contextName
        case "processID": processID
        case "storeID": storeID
        case "timestamp": timestamp
        case "token": token
        case "transactionNumber": NSNumber(value: transactionNumber)
        default: misuse("NSUnknownKeyException", "a transaction of a history has no property “\(key)”")
        }
    }

    /// The number, author and time, for debugging.
    open override var description: String {
        "<NSPersistentHistoryTransaction: \(transactionNumber) author: \(author ?? "(null)") \(timestamp)>"
    }
}

/// What was done to an object, with the values of Apple's framework.
public enum NSPersistentHistoryChangeType: Int, Sendable {
    /// It is new.
    case insert = 0
    /// It has new values.
    case update = 1
    /// It is gone.
    case delete = 2
}

/// What a transaction has done to one object. Immutable.
open class NSPersistentHistoryChange: NSObject, NSCopying, KeyValueReadable, NSFetchRequestResult {
    /// Counts the changes of the store.
    public let changeID: Int64
    /// The object, which may be gone by now.
    public let changedObjectID: NSManagedObjectID
    /// What was done.
    public let changeType: NSPersistentHistoryChangeType
    /// The values that a deleted object had in attributes with `preservesValueInHistoryOnDeletion`; nil for other changes.
    public let tombstone: [AnyHashable: Any]?
    /// The properties that an update has changed; nil for other changes.
    public let updatedProperties: Set<NSPropertyDescription>?
    /// The transaction, while somebody keeps it.
    public internal(set) weak var transaction: NSPersistentHistoryTransaction?

    init(
        id: Int64, object: NSManagedObjectID, type: NSPersistentHistoryChangeType, tombstone: [AnyHashable: Any]?,
        properties: Set<NSPropertyDescription>?
    ) {
        changeID = id
        changedObjectID = object
        changeType = type
        self.tombstone = tombstone
        updatedProperties = properties
        super.init()
    }

    /// Itself: a change never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The entity of changes, for requests that look for some of them.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.change }

    /// The entity of changes.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        HistoryEntities.change
    }

    /// A request for changes, to be given to `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`. Its predicate may name
    /// `changeID`, `changeType`, `changedObjectID` and `changedEntity`.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = HistoryEntities.change
        return request
    }

    /// The value of a property that a predicate names.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "changeID": NSNumber(value: changeID)
        case "changeType": NSNumber(value: changeType.rawValue)
        case "changedEntity": changedObjectID.entity.name
        case "changedObjectID": changedObjectID
        default: misuse("NSUnknownKeyException", "a change in a history has no property “\(key)”")
        }
    }

    /// The object and what was done, for debugging.
    open override var description: String {
        "<NSPersistentHistoryChange: \(changeID) \(changedObjectID) \(changeType)>"
    }
}

/// The entities that requests for history name. They are in no model.
enum HistoryEntities {
    // Made once and never changed.
    nonisolated(unsafe) static let transaction = entity(
        "TRANSACTION",
        [
            ("author", .stringAttributeType), ("bundleID", .stringAttributeType), ("contextName", .stringAttributeType),
            ("processID", .stringAttributeType), ("storeID", .stringAttributeType), ("timestamp", .dateAttributeType),
            ("transactionNumber", .integer64AttributeType),
        ])
    nonisolated(unsafe) static let change = entity(
        "CHANGE",
        [
            ("changeID", .integer64AttributeType), ("changeType", .integer16AttributeType),
            ("changedEntity", .stringAttributeType), ("changedObjectID", .objectIDAttributeType),
        ])

    private static func entity(
        _ name: String, _ attributes: [(name: String, type: NSAttributeType)]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }
}
