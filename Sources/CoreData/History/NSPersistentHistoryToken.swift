public import Foundation

/// A place in the history of one or several stores: behind a transaction.
///
/// Can be archived, so that a program knows at its next start what it has seen. Immutable and thread-safe.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The numbers of the last transactions by the UUIDs of the stores.
    let numbers: [String: Int64]

    private static let key = "NSPersistentHistoryTokenStores"

    init(_ numbers: [String: Int64]) {
        self.numbers = numbers
        super.init()
    }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Reads a token from an archive.
    public required init?(coder: NSCoder) {
        guard
            let stored = coder.decodeObject(
                of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: Self.key) as? [String: NSNumber]
        else { return nil }
        numbers = stored.mapValues(\.int64Value)
        super.init()
    }

    /// Writes the token into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(numbers.mapValues { NSNumber(value: $0) } as NSDictionary, forKey: Self.key)
    }

    /// Itself: a token never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both are the same place.
    open override func isEqual(_ object: Any?) -> Bool { (object as? NSPersistentHistoryToken)?.numbers == numbers }

    /// Of the numbers.
    open override var hash: Int { numbers.hashValue }

    /// The numbers of the transactions, for debugging.
    open override var description: String { "<NSPersistentHistoryToken \(numbers)>" }
}

/// The key of the token in a notification of `NSPersistentStoreRemoteChange`.
public let NSPersistentHistoryTokenKey = "historyToken"
/// The key of the store's URL in a notification of `NSPersistentStoreRemoteChange`.
public let NSPersistentStoreURLKey = "storeURL"

extension Notification.Name {
    /// A store has been written to, by this program or another one: the object is the coordinator, the keys are
    /// `NSStoreUUIDKey`, `NSPersistentStoreURLKey` and, if the store keeps a history, `NSPersistentHistoryTokenKey`.
    ///
    /// Posted for stores with the option `NSPersistentStoreRemoteChangeNotificationPostOptionKey`, on any thread.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

extension NSPersistentStoreCoordinator {
    /// The place at which the history of stores ends now; nil when none of them keeps one.
    ///
    /// - Parameter stores: nil for all.
    public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let wanted = stores.map { $0.compactMap { $0 as? NSPersistentStore } } ?? persistentStores
        return lock.withLock {
            var numbers: [String: Int64] = [:]
            for case let store as SQLiteStore in wanted {
                guard let number = try? store.lastTransaction() else { continue }
                numbers[store.identifier] = number
            }
            return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
        }
    }
}
