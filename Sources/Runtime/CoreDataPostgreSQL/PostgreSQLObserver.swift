public import Foundation
internal import PostgreSQLClient

/// Reports slow statements, repeated transactions and waits for connections of a PostgreSQL store, for logs and
/// metrics.
///
/// ```swift
/// let observer = PostgreSQLObserver(slowStatementLimit: 0.5) { event in
///     switch event {
///     case .slowStatements(let sql, let seconds): logger.warning("\(seconds) s: \(sql.joined(separator: "; "))")
///     case .retry(let attempt, let state): retries.increment()
///     case .connectionWait(let seconds, _): waits.record(seconds)
///     }
/// }
/// description.setOption(observer, forKey: NSPostgreSQLObserverOption)
/// ```
///
/// An observer may be used for several stores.
public final class PostgreSQLObserver: NSObject, Sendable {
    /// An event of a store.
    public enum Event: Sendable, Equatable {
        /// A round trip with these statements took longer than the limit. Values are parameters, which are not
        /// included.
        case slowStatements([String], seconds: TimeInterval)
        /// A transaction is tried again after a serialization failure, a deadlock or a lost connection.
        ///
        /// The number of the new attempt is at least 2. The SQLSTATE is empty if the connection was lost.
        case retry(attempt: Int, sqlState: String)
        /// A thread has waited because all connections of the store, whose maximum number is given, were in use.
        case connectionWait(seconds: TimeInterval, limit: Int)
    }

    private let slowStatementLimit: TimeInterval
    private let onEvent: @Sendable (Event) -> Void

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - slowStatementLimit: The time, in seconds, from which a round trip is reported.
    ///   - onEvent: Receives the events, on any thread, mostly under the coordinator's lock: it must return soon, and
    ///     not use the store.
    public init(slowStatementLimit: TimeInterval = 1, onEvent: @escaping @Sendable (Event) -> Void) {
        self.slowStatementLimit = slowStatementLimit
        self.onEvent = onEvent
    }

    func report(_ event: Event) { onEvent(event) }

    /// What the client of the server reports to.
    var client: ClientObserver {
        ClientObserver(slowLimit: slowStatementLimit) { [onEvent] event in
            switch event {
            case .slow(let statements, let seconds): onEvent(.slowStatements(statements, seconds: seconds))
            case .waited(let seconds, let limit): onEvent(.connectionWait(seconds: seconds, limit: limit))
            }
        }
    }
}
