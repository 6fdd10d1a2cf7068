package import Foundation
package import PostgreSQLValues

/// A bounded number of connections to one server, for any number of threads.
///
/// A connection is lent to a closure, on the calling thread, and belongs to it until it returns. Connections are opened when they
/// are needed, and kept. One that is broken, or that the server has closed while it was idle, is thrown away; the next closure
/// gets a new one. A transaction that a closure leaves open is rolled back.
///
/// **Threads.** All methods may be called from any thread. The lock is not held while a connection is opened or used. A closure
/// that asks for a second connection takes it from the same limit, so nested use can exhaust a small pool; the waiting limit then
/// ends the wait with an error rather than a deadlock.
package final class ConnectionPool: @unchecked Sendable {
    /// What the connections are opened with.
    package let parameters: ConnectionParameters
    /// How the connections keep statements on the server.
    package let preparation: PostgreSQLConnection.Preparation
    private let limit: Int
    private let waitingLimit: TimeInterval
    /// Runs once on each new connection, as for `SET search_path`.
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
    ///   - limit: the number of connections, at least 1.
    ///   - waitingLimit: the seconds to wait for a connection when all are lent.
    ///   - configure: runs once on each new connection. If it throws, the connection is closed, and the closure that needed it
    ///     gets the error.
    package init(
        _ parameters: ConnectionParameters, limit: Int = 8, waitingLimit: TimeInterval = 30,
        preparation: PostgreSQLConnection.Preparation = .standard,
        configure: @escaping @Sendable (PostgreSQLConnection) throws -> Void = { _ in }
    ) {
        self.parameters = parameters
        self.limit = max(1, limit)
        self.waitingLimit = waitingLimit
        self.preparation = preparation
        self.configure = configure
    }

    /// Lends a connection to a body.
    ///
    /// - Throws: The error of the body; of kind `cannotConnect` if a connection cannot be opened; of kind `timeout` if none became
    ///   free in time.
    @discardableResult
    package func withConnection<Value>(_ body: (PostgreSQLConnection) throws -> Value) throws -> Value {
        let connection = try checkOut()
        defer { checkIn(connection) }
        return try body(connection)
    }

    /// Runs a body in a transaction on one of the connections, again from the start after a serialization failure or deadlock.
    ///
    /// Between attempts it waits for a random time that grows from 1 ms, so that transactions that collide get out of step.
    ///
    /// - Parameters:
    ///   - attempts: how often the body runs at most.
    ///   - body: may run several times, and must not keep what it has read in an attempt that fails.
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

    /// Returns a random time to wait before another attempt: up to 1 ms before the second, doubled each time, at most 0.25 s.
    package static func delay(beforeAttempt attempt: Int) -> TimeInterval {
        .random(in: 0...min(0.25, 0.001 * Double(1 << min(max(0, attempt - 2), 10))))
    }

    /// Returns what became of a transaction whose connection was lost while it committed.
    ///
    /// Waits while the server still runs the transaction, and reconnects until the server is back.
    ///
    /// - Parameter limit: the seconds after which the outcome counts as unknown.
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
        return outcome == .inProgress ? .unknown : outcome
    }

    /// The number of round trips of all connections that are idle or closed.
    package var roundTrips: Int {
        condition.withLock { idle.reduce(roundTripsOfClosed) { $0 + $1.roundTrips } }
    }

    /// Closes the idle connections, and the others when they are returned. Closures that wait for a connection get an error.
    package func close() {
        condition.lock()
        isClosed = true
        let connections = idle
        idle = []
        openCount -= connections.count
        roundTripsOfClosed = connections.reduce(roundTripsOfClosed) { $0 + $1.roundTrips }
        condition.broadcast()
        condition.unlock()
        // `connections` closes them here, outside of the lock.
        withExtendedLifetime(connections) {}
    }

    /// Takes an idle connection, or opens one.
    private func checkOut() throws -> PostgreSQLConnection {
        while let connection = try takeIdle() {
            guard connection.hasBeenClosed() else { return connection }
            discard(connection)
        }
        do {
            let connection = try PostgreSQLConnection(parameters, preparation: preparation)
            try configure(connection)
            return connection
        } catch {
            condition.withLock {
                openCount -= 1
                condition.signal()
            }
            throw error
        }
    }

    /// Returns an idle connection, or `nil` if the caller may open another, which counts as open from now on.
    private func takeIdle() throws(PostgreSQLError) -> PostgreSQLConnection? {
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
            guard condition.wait(until: end) else {
                throw PostgreSQLError(
                    .timeout,
                    "all \(limit) connections of the pool have been in use for \(waitingLimit) seconds")
            }
        }
    }

    private func checkIn(_ connection: PostgreSQLConnection) {
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
