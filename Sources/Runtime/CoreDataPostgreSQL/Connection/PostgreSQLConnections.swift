internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// The connections of a store: a pool for the server, one for a standby, and the connection that a transaction or a
/// query generation holds.
///
/// The pools may be used by any thread; everything else under the coordinator's lock.
final class PostgreSQLConnections: @unchecked Sendable {
    private let lock = NSLock()
    private var pools: (main: ConnectionPool, standby: ConnectionPool?)?
    private var isClosed = false
    private var commits = 0
    private var lastCommit = CommitPosition.none
    /// The connection that executes all statements: that of the open transaction, or of a query generation.
    var held: PostgreSQLConnection?
    /// Whether reads must see the latest commit, so that a standby cannot be used.
    var readsMain = false
    /// The run of the server in which all transactions so far have begun; `nil` if it is unknown.
    var serverRun: String?
    /// The time in seconds for which the outcome of a transaction is asked for.
    var patience: TimeInterval = 30
    /// The version of the schema when the store was opened; `nil` before, and for a store that is being created.
    var version: Version?

    struct Version: Sendable, Equatable {
        /// The stamp of the last migration; `nil` if there was none.
        var stamp: String?
        /// Whether it is the version of a migration that had not ended yet.
        var isUpcoming = false
    }

    /// A row that the open transaction writes; `nil` if none is known.
    var witness: PostgreSQLWitness?

    /// Returns the pools, creating them on first use.
    func pools(_ store: PostgreSQLStore) throws -> (main: ConnectionPool, standby: ConnectionPool?) {
        try lock.withLock {
            if let pools { return pools }
            guard !isClosed else { throw PostgreSQLError(.other, "the store has been removed") }
            guard let url = store.url else { throw PostgreSQLError(.other, "the store has no URL") }
            let settings = store.settings
            func pool(_ uri: String) throws -> ConnectionPool {
                try ConnectionPool(uri, limit: settings.connections, settings)
            }
            let made = (main: try pool(url.absoluteString), standby: try settings.standby.map(pool))
            pools = made
            return made
        }
    }

    /// The number of committed transactions. A read that began before the last one may not have seen it.
    var commitCount: Int { lock.withLock { commits } }

    /// The position of a commit in the server's log.
    enum CommitPosition {
        /// There is no commit, or no standby that needs the position.
        case none
        case known(String)
        /// The server did not say. A standby is not used until a later commit is known.
        case unknown
    }

    /// The position of the last commit in the server's log.
    var lastCommitPosition: CommitPosition { lock.withLock { lastCommit } }

    func recordCommit(at position: CommitPosition) {
        lock.withLock {
            commits += 1
            lastCommit = position
        }
    }

    /// The number of times that the idle connections have waited for a server.
    var roundTrips: Int { lock.withLock { pools.map { $0.main.roundTrips + ($0.standby?.roundTrips ?? 0) } } ?? 0 }

    func close() {
        let pools = lock.withLock {
            isClosed = true
            return self.pools.take()
        }
        pools?.main.close()
        pools?.standby?.close()
    }
}

extension PostgreSQLStore {
    /// The maximum number of attempts at a transaction that the server cannot serialize with other transactions.
    private static let attempts = 10

    /// The statement that numbers a transaction.
    private static let start = "SELECT txid_current()"

    /// Returns the statement that begins a transaction, followed by a query for the version of the schema. It locks the
    /// metadata against a migration, which would otherwise change the tables between two statements.
    private func start(repeats: Bool) -> String {
        let start = repeats ? Self.limitedStart : Self.start + ", NULL"
        return connections.version == nil ? start : "\(start), \(stampQuery)"
    }

    /// The subquery for the stamp that a migration changes. That of the upcoming version stays the same when it becomes
    /// the version of the store.
    var stampQuery: String {
        guard let version = connections.version, version.isUpcoming, let stamp = version.stamp else {
            return PostgreSQLVersionRecord.stamp(namespace)
        }
        return PostgreSQLVersionRecord.own("uuid", stamp: stamp, namespace)
    }

    /// Throws an error if another program has migrated the store since it was opened.
    func checkVersion(_ stamp: String?) throws {
        guard let version = connections.version, version.stamp != stamp else { return }
        throw CoreDataError.error(
            .persistentStoreIncompatibleVersionHash,
            text:
                "the store in the schema “\(namespace)” was migrated to another version of the model while it was open: open it "
                + "again with that version")
    }

    /// Runs statements after the query for the version of the schema, which locks it until they are done.
    func checkingVersion(
        _ commands: [Statement], _ run: ([Statement]) throws -> [Rows]
    ) throws -> [Rows] {
        guard connections.version != nil else { return try run(commands) }
        let stamp = Statement("SELECT \(stampQuery)")
        do {
            let results = try run([stamp] + commands)
            try checkVersion(results[0].string(0, 0))
            return Array(results.dropFirst())
        } catch let failure as PostgreSQLError {
            try checkVersion(after: failure)
            throw failure
        }
    }

    /// Throws an error if a statement may have failed because another program has migrated the store.
    private func checkVersion(after failure: PostgreSQLError) throws {
        guard connections.version != nil, connections.held == nil, failure.isOfSchema,
            let results = try? runOutsideTransaction([Statement("SELECT \(stampQuery)")])
        else { return }
        try checkVersion(results[0].string(0, 0))
    }

    /// The statement that numbers a transaction during which the program waits only for the server.
    ///
    /// If the link is cut, the server waits for COMMIT until TCP gives up, two hours by default, and the locks of the
    /// transaction keep other programs from saving. An administrator's limit stays in force.
    private static let limitedStart =
        start + ", CASE WHEN current_setting('idle_in_transaction_session_timeout') = '0' "
        + "THEN set_config('idle_in_transaction_session_timeout', '60s', true) END"

    /// Runs statements in one round trip, on the connection of the open transaction if there is one.
    func run(_ commands: [Statement]) throws -> [Rows] {
        if let held = connections.held { return try held.run(commands) }
        return try runOutsideTransaction(commands)
    }

    /// Runs statements in one round trip on a connection of the pool. May be called without the coordinator's lock.
    ///
    /// Read-only statements may be executed by a standby, once it has received this store's writes.
    func runOutsideTransaction(_ commands: [Statement], isRead: Bool = false) throws -> [Rows] {
        let pools = try connections.pools(self)
        if isRead, let standby = pools.standby, let results = runOnStandby(commands, standby) { return results }
        do {
            return try pools.main.withConnection { try $0.run(commands) }
        } catch let failure as PostgreSQLError where failure.isLost {
            // The server has closed the connection while it was idle, or was restarted; none of these statements
            // commits anything that must not happen twice.
            return try pools.main.withConnection { try $0.run(commands) }
        }
    }

    /// Runs read-only statements: on the connection of the open transaction or query generation, a standby, or the
    /// server.
    func read(_ commands: [Statement]) throws -> [Rows] {
        if let held = connections.held { return try held.run(commands) }
        return try checkingVersion(commands) { try runOutsideTransaction($0, isRead: !connections.readsMain) }
    }

    /// Runs statements that read, on a standby if there is one. May be called without the coordinator's lock.
    func readAhead(_ command: Statement) throws -> Rows? {
        try checkingVersion([command]) { try runOutsideTransaction($0, isRead: true) }.first
    }

    /// Runs statements on a standby. Returns `nil` if it lags behind or cannot execute them.
    private func runOnStandby(
        _ commands: [Statement], _ pool: ConnectionPool
    ) -> [Rows]? {
        var all = commands
        var position: String?
        switch connections.lastCommitPosition {
        case .none: break
        case .known(let known): position = known
        case .unknown: return nil
        }
        if let position {
            all.insert(
                Statement(
                    "SELECT coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, true)",
                    [PostgreSQLValue(position)]),
                at: 0)
        }
        guard let results = try? pool.withConnection({ try $0.run(all) }) else { return nil }
        guard position != nil else { return results }
        return results.first?.isTrue == true ? Array(results.dropFirst()) : nil
    }

    /// Runs statements in a transaction, which ends with the closure. Serialization failures and deadlocks start it
    /// over.
    ///
    /// If the connection is lost before the commit, the transaction starts over, too. If it is lost during the commit,
    /// the server is asked for the outcome of the transaction.
    ///
    /// - Parameters:
    ///   - repeats: Whether the closure may run several times.
    ///   - check: Receives the results of the statements, and may run others.
    /// - Throws: What the closure throws, after everything was rolled back; `PostgreSQLError`.
    func transaction<Result>(
        _ commands: [Statement], repeats: Bool = true, _ check: ([Rows]) throws -> Result
    ) throws -> Result {
        try repeating(repeats) { try commit(begin(commands, repeats: repeats, check)) }
    }

    /// Runs a closure again after failures that have committed nothing and may not occur again.
    ///
    /// - Parameters:
    ///   - repeats: Whether the closure may run several times.
    ///   - isTemporary: Whether a failure may not occur again.
    func repeating<Result>(
        _ repeats: Bool = true, upon isTemporary: (PostgreSQLError) -> Bool = \.isRepeatable,
        _ body: () throws -> Result
    ) throws -> Result {
        var attempt = 1
        while true {
            do {
                return try body()
            } catch let failure as PostgreSQLError
                where isTemporary(failure) && repeats && attempt < Self.attempts
            {
                // Random delays keep colliding transactions from colliding again.
                Thread.sleep(forTimeInterval: .random(in: 0...min(0.25, 0.001 * Double(1 << min(attempt, 10)))))
                attempt += 1
                settings.observer?.report(.retry(attempt: attempt, sqlState: failure.code))
            } catch let failure as PostgreSQLError
                where failure.isLost && !failure.hasUnknownOutcome && repeats && attempt == 1
                && connections.held == nil
            {
                // The server has committed nothing. It may have closed the connection while it was idle.
                attempt += 1
                settings.observer?.report(.retry(attempt: attempt, sqlState: failure.code))
            }
        }
    }

    /// A transaction whose statements have run. Until it ends, its connection runs all statements of the store.
    struct OpenTransaction<Result> {
        fileprivate let session: PostgreSQLConnection
        fileprivate let pool: ConnectionPool
        fileprivate let number: Int64
        fileprivate let witness: PostgreSQLWitness?
        /// What the closure returned that ran in the transaction.
        let result: Result
    }

    /// Runs statements in a transaction, which the caller ends with `commit(_:)` or `rollBack(_:)`.
    ///
    /// - Throws: As `transaction(_:repeats:_:)`, after the first attempt.
    func begin<Result>(
        _ commands: [Statement], repeats: Bool = true, _ check: ([Rows]) throws -> Result
    ) throws -> OpenTransaction<Result> {
        let pool = try connections.pools(self).main
        let session = try pool.checkOut()
        connections.held = session
        do {
            let results = try session.run(
                [Statement("BEGIN ISOLATION LEVEL READ COMMITTED")]
                    + [Statement(start(repeats: repeats))] + commands)
            if connections.version != nil { try checkVersion(results[1].string(0, 2)) }
            guard let number = results[1].integer(0, 0) else {
                throw PostgreSQLError(.other, "the server did not number the transaction")
            }
            let result = try check(Array(results.dropFirst(2)))
            return OpenTransaction(
                session: session, pool: pool, number: number, witness: connections.witness.take(), result: result)
        } catch {
            end(session, pool)
            if let failure = error as? PostgreSQLError { try checkVersion(after: failure) }
            throw error
        }
    }

    private func end(_ session: PostgreSQLConnection, _ pool: ConnectionPool) {
        connections.held = nil
        connections.witness = nil
        pool.checkIn(session)
    }

    /// Takes everything back that a transaction has written.
    func rollBack<Result>(_ transaction: OpenTransaction<Result>) { end(transaction.session, transaction.pool) }

    /// Commits a transaction. If the connection is lost, the server is asked for the outcome.
    ///
    /// - Throws: `PostgreSQLError`, after which nothing is committed, unless the failure is in doubt.
    func commit<Result>(_ transaction: OpenTransaction<Result>) throws -> Result {
        do {
            defer { end(transaction.session, transaction.pool) }
            _ = try transaction.session.run([Statement("COMMIT")])
            connections.recordCommit(at: settings.standby == nil ? .none : Self.commitPosition(transaction.session))
        } catch let failure as PostgreSQLError where failure.isLost {
            // The connection was returned before the outcome is asked for: it may be the only one.
            try checkIsCommitted(
                transaction.number, witness: transaction.witness, pool: transaction.pool, lost: failure)
        }
        return transaction.result
    }

    /// Returns the position in the server's log after a commit. No failure may make the save fail, as it is committed.
    private static func commitPosition(_ session: PostgreSQLConnection) -> PostgreSQLConnections.CommitPosition {
        let results = try? session.run([Statement("SELECT pg_current_wal_insert_lsn()::text")])
        return results?.first?.string(0, 0).map { .known($0) } ?? .unknown
    }

    /// Asks the server whether it has committed a transaction whose connection was lost.
    ///
    /// - Throws: The failure with what is known, unless the transaction was committed.
    private func checkIsCommitted(
        _ number: Int64, witness: PostgreSQLWitness?, pool: ConnectionPool, lost: PostgreSQLError
    ) throws {
        var failure = lost
        switch outcome(ofTransaction: number, witness, pool) {
        case .committed:
            return connections.recordCommit(at: settings.standby == nil ? .none : .unknown)
        case .aborted:
            failure.message += "; the server has committed nothing"
        case .unknown, .inProgress:
            failure.message += "; it could not be determined whether the server has committed the changes"
            failure.unknownTransaction = number
        }
        throw failure
    }
}
