public import Foundation

/// A position in the history of a container's stores. Encode it to continue there after a restart of the program.
public struct DefaultHistoryToken: HistoryToken, CustomDebugStringConvertible {
    /// The number of the last transaction, by the identifiers of the stores.
    public let tokenValue: [String: Int64]?

    init(_ numbers: [String: Int64]) { tokenValue = numbers }

    /// Returns whether a position is before another: fewer transactions precede it.
    public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        let (left, right) = (lhs.tokenValue ?? [:], rhs.tokenValue ?? [:])
        let (before, after) = (total(left), total(right))
        if before != after { return before < after }
        return left.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            .lexicographicallyPrecedes(right.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    }

    /// Returns the number of transactions. A decoded token may have numbers that no store has.
    private static func total(_ numbers: [String: Int64]) -> Int64 {
        numbers.values.reduce(0) { total, number in
            let (sum, isOverflow) = total.addingReportingOverflow(number)
            return isOverflow ? .max : sum
        }
    }

    /// The numbers.
    public var debugDescription: String { "DefaultHistoryToken(\(tokenValue ?? [:]))" }
}

/// A save in the history of a container's stores.
public struct DefaultHistoryTransaction: HistoryTransaction, @unchecked Sendable {
    /// The author that the context had (`ModelContext.author`).
    public let author: String?
    /// The identifier of the program's bundle.
    public let bundleIdentifier: String
    /// The name of the program.
    public let processIdentifier: String
    /// The identifier of the store.
    public let storeIdentifier: String
    /// The time of the save.
    public let timestamp: Date
    /// The position after the transaction.
    public let token: DefaultHistoryToken
    /// The number of the transaction in its store.
    public let transactionIdentifier: Int64
    /// The changes, in order.
    public let changes: [HistoryChange]

    /// The store and number.
    public var id: String { "\(storeIdentifier)/\(transactionIdentifier)" }

    /// Returns whether both are the same transaction.
    public static func == (lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction) -> Bool { lhs.id == rhs.id }
    /// Hashes the store and number.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The insertion of a model.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, @unchecked Sendable {
    /// The number of the change.
    public let changeIdentifier: Int64
    /// The number of the transaction.
    public let transactionIdentifier: Int64
    /// The identifier of the model.
    public let changedPersistentIdentifier: PersistentIdentifier
}

/// A change of a model.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, @unchecked Sendable {
    /// The number of the change.
    public let changeIdentifier: Int64
    /// The number of the transaction.
    public let transactionIdentifier: Int64
    /// The identifier of the model.
    public let changedPersistentIdentifier: PersistentIdentifier
    let paths: [PartialKeyPath<Model>]

    /// The changed attributes and relationships.
    public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
        // Key paths of stored properties capture nothing, and `Sendable` has no representation.
        paths.map { unsafeBitCast($0, to: (any PartialKeyPath<Model> & Sendable).self) }
    }
}

/// The deletion of a model.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, @unchecked Sendable {
    /// The number of the change.
    public let changeIdentifier: Int64
    /// The number of the transaction.
    public let transactionIdentifier: Int64
    /// The identifier of the model.
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The values that the history keeps.
    public let tombstone: HistoryTombstone<Model>

    /// Returns whether both are the same change.
    public static func == (lhs: DefaultHistoryDelete, rhs: DefaultHistoryDelete) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }
    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(changeIdentifier) }
}
