package import Foundation

/// A limited number of connections to a server, shared by any number of threads.
///
/// A connection is lent to a closure on the calling thread, for its exclusive use until it returns. Connections are
/// opened on demand and reused. A connection that is broken, or that the server has closed while it was idle, is
/// discarded and replaced. A transaction that a closure leaves open is rolled back.
///
/// **Threads.** All methods may be called from any thread. The lock is not held while a connection is opened or used. A
/// second connection requested by a closure counts toward the same limit, so nested use can exhaust a small pool. The
/// waiting limit then results in an error rather than a deadlock.
package final class ConnectionPool: @unchecked Sendable {
    /// The parameters that connections are opened with.
    package let parameters: ConnectionParameters
    /// How the connections prepare statements.
    private let preparation: PostgreSQLConnection.Preparation
    private let limit: Int
    private let waitingLimit: TimeInterval
    private let observer: ClientObserver?
    /// Called once for each new connection, for example to execute `SET search_path`.
    private let configure: @Sendable (PostgreSQLConnection) throws -> Void

    private let condition = NSCondition()
    private var idle: [PostgreSQLConnection] = []
    /// The number of connections that are lent, idle or being opened.
    private var openCount = 0
    private var isClosed = false
    private var roundTripsOfClosed = 0

    /// Creates a pool without opening a connection.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of connections, at least 1.
    ///   - waitingLimit: The maximum time in seconds to wait for a connection when all are lent.
    ///   - observer: Receives slow round trips and waits for connections.
    ///   - configure: Called once for each new connection. If it throws, the connection is closed, and the caller that
    ///     requested it receives the error.
    package init(
        _ parameters: ConnectionParameters, limit: Int = 8, waitingLimit: TimeInterval = 30,
        preparation: PostgreSQLConnection.Preparation = .standard, observer: ClientObserver? = nil,
        configure: @escaping @Sendable (PostgreSQLConnection) throws -> Void = { _ in }
    ) {
        self.parameters = parameters
        self.limit = max(1, limit)
        self.waitingLimit = waitingLimit
        self.preparation = preparation
        self.observer = observer
        self.configure = configure
    }

    /// Lends a connection to a body.
    ///
    /// - Throws: The error of the body; an error of kind `cannotConnect` if a connection cannot be opened, or `timeout`
    ///   if none became free in time.
    @discardableResult
    package func withConnection<Value>(_ body: (PostgreSQLConnection) throws -> Value) throws -> Value {
        let connection = try checkOut()
        defer { checkIn(connection) }
        return try body(connection)
    }

    /// Runs a body in a transaction on one of the connections, and repeats it after a serialization failure or
    /// deadlock.
    ///
    /// Between attempts it waits for a random time with a limit that grows from 1 ms, so that conflicting transactions
    /// do not collide again.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of times to run the body.
    ///   - body: May run several times, and must discard anything it has read in a failed attempt.
    /// - Throws: The error of the last attempt. After an error of kind `connectionLost` the outcome may be unknown.
    @discardableResult
    package func transaction<Value>(
        _ isolation: IsolationLevel = .readCommitted, readOnly: Bool = false, attempts: Int = 10,
        _ body: (PostgreSQLConnection) throws -> Value
    ) throws -> Value {
        var attempt = 1
        while true {
            do {
                return try withConnection { try $0.transaction(isolation, readOnly: readOnly, body) }
            } catch let error as PostgreSQLError where error.isRetryable && attempt < attempts {
                Thread.sleep(forTimeInterval: Self.delay(beforeAttempt: attempt + 1))
                attempt += 1
            }
        }
    }

    /// Returns a random time to wait before an attempt. The upper bound is 1 ms before the second attempt, and doubles
    /// with each further attempt up to 0.25 s.
    package static func delay(beforeAttempt attempt: Int) -> TimeInterval {
        .random(in: 0...min(0.25, 0.001 * Double(1 << min(max(0, attempt - 2), 10))))
    }

    /// Returns the outcome of a transaction whose connection was lost during its commit.
    ///
    /// Waits while the server is still running the transaction, and reconnects until the server is available again.
    ///
    /// - Parameter limit: The time in seconds after which the last answer counts.
    package func outcome(ofTransaction id: Int64, limit: TimeInterval = 30) -> TransactionOutcome {
        let end = Date(timeIntervalSinceNow: limit)
        var outcome = TransactionOutcome.unknown
        var attempt = 1
        repeat {
            do {
                outcome = try withConnection { try $0.outcome(ofTransaction: id) }
                if outcome != .inProgress { return outcome }
            } catch {
                outcome = .unknown
            }
            attempt += 1
            Thread.sleep(forTimeInterval: Self.delay(beforeAttempt: attempt + 4))
        } while Date() < end
        return outcome
    }

    /// The number of round trips of all connections that are idle or closed.
    package var roundTrips: Int {
        condition.withLock { idle.reduce(roundTripsOfClosed) { $0 + $1.roundTrips } }
    }

    /// Closes the idle connections, and the others when they are returned. Callers that wait for a connection receive
    /// an error.
    package func close() {
        condition.lock()
        isClosed = true
        let connections = idle
        idle = []
        openCount -= connections.count
        roundTripsOfClosed = connections.reduce(roundTripsOfClosed) { $0 + $1.roundTrips }
        condition.broadcast()
        condition.unlock()
        // Releasing `connections` closes them here, outside of the lock.
        withExtendedLifetime(connections) {}
    }

    /// Takes an idle connection, or opens one. The caller returns it with ``checkIn(_:)``.
    package func checkOut() throws -> PostgreSQLConnection {
        if let connection = try idleConnection() { return connection }
        do {
            return try openConnection()
        } catch {
            condition.withLock {
                openCount -= 1
                condition.signal()
            }
            throw error
        }
    }

    /// Returns an idle connection that is usable, or `nil` if the caller may open a new one.
    private func idleConnection() throws(PostgreSQLError) -> PostgreSQLConnection? {
        let start = ClientObserver.now
        var hasWaited = false
        defer { if hasWaited { observer?.waitEnded(start: start, limit: limit) } }
        while let connection = try checkOutIdle(&hasWaited) {
            guard connection.hasBeenClosed() else { return connection }
            discard(connection)
        }
        return nil
    }

    /// Opens a connection that does not count as one of the pool.
    package func openConnection() throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(parameters, preparation: preparation)
        connection.observer = observer
        try configure(connection)
        return connection
    }

    /// Returns an idle connection, or `nil` if the caller may open a new one, which is already counted as open.
    ///
    /// - Parameter hasWaited: Set to `true` if all connections were lent.
    private func checkOutIdle(_ hasWaited: inout Bool) throws(PostgreSQLError) -> PostgreSQLConnection? {
        let end = Date(timeIntervalSinceNow: waitingLimit)
        condition.lock()
        defer { condition.unlock() }
        while true {
            guard !isClosed else { throw PostgreSQLError(.cannotConnect, "the store has been removed") }
            if let connection = idle.popLast() { return connection }
            if openCount < limit {
                openCount += 1
                return nil
            }
            hasWaited = true
            guard condition.wait(until: end) else {
                throw PostgreSQLError(
                    .timeout,
                    "all \(limit) connections of the pool have been in use for \(waitingLimit) seconds")
            }
        }
    }

    /// Takes a connection back, and rolls back a transaction that is open.
    package func checkIn(_ connection: PostgreSQLConnection) {
        connection.rollback()
        guard !connection.isBroken else { return discard(connection) }
        let isKept = condition.withLock {
            guard !isClosed else { return false }
            idle.append(connection)
            condition.signal()
            return true
        }
        if !isKept { discard(connection) }
    }

    private func discard(_ connection: PostgreSQLConnection) {
        condition.withLock {
            openCount -= 1
            roundTripsOfClosed += connection.roundTrips
            condition.signal()
        }
    }
}
