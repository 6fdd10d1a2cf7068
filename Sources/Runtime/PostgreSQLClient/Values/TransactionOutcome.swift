/// How a transaction has ended, if it has.
package enum TransactionOutcome: Sendable, Hashable {
    case committed
    case aborted
    case inProgress
    /// The server does not know the outcome, because the transaction is too old or belongs to another server.
    case unknown
}
