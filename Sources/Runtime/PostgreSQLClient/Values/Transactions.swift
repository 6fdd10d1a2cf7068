/// Which changes of other transactions a transaction sees.
package enum IsolationLevel: String, Sendable, Hashable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
}

package enum TransactionOutcome: Sendable, Hashable {
    case committed
    case aborted
    case inProgress
    /// The server does not know the outcome, because the transaction is too old or belongs to another server.
    case unknown
}
