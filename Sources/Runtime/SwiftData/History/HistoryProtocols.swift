public import Foundation

/// A position in the history of stores.
public protocol HistoryToken: Comparable, Codable, Hashable, Sendable {
    /// The type of the position.
    associatedtype TokenType: Hashable
    /// The position; `nil` before the first transaction.
    var tokenValue: TokenType? { get }
}

/// A save in the history of a store: its author, time and changes.
public protocol HistoryTransaction: Hashable, Identifiable {
    /// The type of positions.
    associatedtype TokenType: HistoryToken
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Codable, CustomStringConvertible
    /// The author that the context had (`ModelContext.author`).
    var author: String? { get }
    /// The identifier of the program's bundle.
    var bundleIdentifier: String { get }
    /// The name of the program.
    var processIdentifier: String { get }
    /// The UUID of the store.
    var storeIdentifier: String { get }
    /// The time of the save.
    var timestamp: Date { get }
    /// The position after the transaction.
    var token: TokenType { get }
    /// The identifier, by which the transactions of a store are ordered.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The changes, in order.
    var changes: [HistoryChange] { get }
}

/// What all changes in the history have.
public protocol HistoryChangeRecord<Model>: Hashable {
    /// The class of the changed model.
    associatedtype Model: PersistentModel
    /// The type of the change's identifier.
    associatedtype ChangeIdentifier: Comparable, Hashable, Codable, CustomStringConvertible
    /// The type of the transaction's identifier.
    associatedtype TransactionIdentifier: Comparable, Hashable, Codable, CustomStringConvertible
    /// The identifier, by which the changes of a store are ordered.
    var changeIdentifier: ChangeIdentifier { get }
    /// The identifier of the transaction that made the change.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The identifier of the changed model.
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// The insertion of a model.
public protocol HistoryInsert<Model>: HistoryChangeRecord {}

/// A change of a model.
public protocol HistoryUpdate<Model>: HistoryChangeRecord {
    /// The changed attributes and relationships.
    var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// The deletion of a model.
public protocol HistoryDelete<Model>: HistoryChangeRecord {
    /// The values that the history keeps: those of attributes with `.preserveValueOnDeletion`.
    var tombstone: HistoryTombstone<Model> { get }
}

/// A change in the history of a store.
///
/// ```swift
/// switch change {
/// case .insert(let insert as DefaultHistoryInsert<Book>): print(insert.changedPersistentIdentifier)
/// case .delete(let deletion as DefaultHistoryDelete<Book>): print(deletion.tombstone[\.title] ?? "")
/// default: break
/// }
/// ```
public enum HistoryChange {
    /// A new model.
    case insert(any HistoryInsert)
    /// A changed model.
    case update(any HistoryUpdate)
    /// A deleted model.
    case delete(any HistoryDelete)

    /// The identifier of the changed model.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }
}

/// The values of a deleted model that the history keeps.
public struct HistoryTombstone<Model: PersistentModel>: Sequence {
    /// A kept value.
    public typealias Element = (key: PartialKeyPath<Model>, value: any Sendable)

    private let values: [Element]

    init(_ values: [Element]) { self.values = values }

    /// Returns the value of an attribute; `nil` if it was not kept.
    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
        values.first { $0.key == keyPath }?.value
    }

    /// Returns an iterator over the kept values.
    public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }
}

/// A query for transactions in the history.
///
/// ```swift
/// let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
/// let transactions = try context.fetchHistory(descriptor)
/// ```
public struct HistoryDescriptor<T: HistoryTransaction> {
    /// The condition; `nil` for all transactions.
    public var predicate: Predicate<T>?
    /// The order; that of the transactions if empty.
    public var sortBy: [SortDescriptor<T>]
    /// The greatest number of transactions; 0 for all.
    public var fetchLimit: UInt64 = 0

    /// Creates a query.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

/// A store that has a history.
public protocol HistoryProviding {
    /// The type in which the store returns its transactions.
    associatedtype HistoryType: HistoryTransaction
    /// Returns the transactions that meet a condition.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
    /// Deletes the transactions that meet a condition.
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}
