/// How a transaction sees the changes of others.
package enum IsolationLevel: String, Sendable, Hashable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
}

/// What became of a transaction.
package enum TransactionOutcome: Sendable, Hashable {
    case committed
    case aborted
    case inProgress
    /// The server no longer knows, as the transaction is too old, or belongs to another server.
    case unknown
}
