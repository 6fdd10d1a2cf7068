internal import CoreData
internal import Foundation
internal import PostgreSQLClient

/// Connects stores to servers with libpq.
struct LibPQDriver: PostgreSQLDriver {
    func pool(_ settings: PostgreSQLPoolSettings) throws -> any PostgreSQLPool {
        try reporting {
            let parameters = try ConnectionParameters(settings.uri)
            // A pooler in transaction mode would pass the setting on to other clients.
            let isOwn = settings.preparesStatements
            return LibPQPool(
                ConnectionPool(parameters, limit: settings.limit, preparation: isOwn ? .standard : .never) {
                    connection in
                    if isOwn { try connection.execute(LibPQSession.searchPath) }
                })
        }
    }

    func listen(
        to channel: String, at uri: String, _ handler: @escaping @Sendable (PostgreSQLNews) -> Void
    ) throws -> any PostgreSQLListening {
        try reporting {
            let listener = try NotificationListener(ConnectionParameters(uri), channels: [channel]) { event in
                switch event {
                case .connected: handler(.connected)
                case .notified(_, let payload, _): handler(.notified(payload))
                case .disconnected: handler(.disconnected)
                }
            }
            return LibPQListener(listener: listener)
        }
    }
}

/// Runs a closure, and converts the client's errors to those of the runtime.
private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as PostgreSQLError {
        throw PostgreSQLFailure(error)
    }
}

/// Wraps a listener of the client.
private final class LibPQListener: PostgreSQLListening {
    private let listener: NotificationListener

    init(listener: NotificationListener) {
        self.listener = listener
    }

    func stop() { listener.stop() }
}

/// Wraps a pool of libpq connections.
private final class LibPQPool: PostgreSQLPool {
    private let pool: ConnectionPool

    init(_ pool: ConnectionPool) {
        self.pool = pool
    }

    func lend() throws -> any PostgreSQLSession { try reporting { LibPQSession(try pool.checkOut()) } }

    func takeBack(_ session: any PostgreSQLSession) {
        if let connection = (session as? LibPQSession)?.connection { pool.checkIn(connection) }
    }

    func openSession() throws -> any PostgreSQLSession {
        try reporting {
            let connection = try PostgreSQLConnection(pool.parameters, preparation: pool.preparation)
            try pool.configure(connection)
            return LibPQSession(connection)
        }
    }

    func outcome(ofTransaction id: Int64, limit: TimeInterval) -> PostgreSQLOutcome {
        switch pool.outcome(ofTransaction: id, limit: limit) {
        case .committed: .committed
        case .aborted: .aborted
        case .inProgress: .inProgress
        case .unknown: .unknown
        }
    }

    var roundTrips: Int { pool.roundTrips }

    func close() { pool.close() }
}

/// Wraps a libpq connection.
private final class LibPQSession: PostgreSQLSession {
    /// Keeps the functions and operators of other roles from being called: one in `public` takes precedence if its
    /// parameters fit the arguments better.
    static let searchPath = Statement("SET search_path TO pg_catalog, pg_temp", isPrepared: false)

    fileprivate private(set) var connection: PostgreSQLConnection?

    init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    var isLost: Bool { connection?.isBroken ?? true }

    private func open() throws -> PostgreSQLConnection {
        if let connection { return connection }
        throw PostgreSQLFailure(code: "", message: "the connection is closed")
    }

    func run(_ commands: [PostgreSQLCommand]) throws -> [any PostgreSQLResult] {
        let connection = try open()
        // The server answers COMMIT of a failed transaction with a rollback, without an error.
        guard !connection.isInFailedTransaction else {
            throw PostgreSQLFailure(code: "25P02", message: "a statement of the transaction has failed")
        }
        let statements = commands.map { command in
            Statement(
                command.text,
                command.parameters.map { PostgreSQLValue(type: $0.type, bytes: $0.bytes) },
                isPrepared: command.isPrepared)
        }
        return try reporting { try connection.executeAll(statements).map(LibPQResult.init) }
    }

    func copy(_ text: String, _ next: () throws -> [UInt8]?) throws {
        let connection = try open()
        try reporting { _ = try connection.copyIn(text, rows: next) }
    }

    func close() { connection = nil }
}

/// Wraps a libpq result.
private struct LibPQResult: PostgreSQLResult {
    let rows: Rows

    init(_ rows: Rows) {
        self.rows = rows
    }

    var rowCount: Int { rows.count }

    var affectedRows: Int { rows.affectedRows }

    func type(ofColumn column: Int) -> UInt32 { rows.type(ofColumn: column) }

    func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer? { rows.bytes(row, column) }
}

extension PostgreSQLFailure {
    /// Creates the failure for an error of the client.
    fileprivate init(_ error: PostgreSQLError) {
        self.init(
            code: error.sqlState ?? "", message: error.message, detail: error.detail ?? "", hint: error.hint ?? "",
            constraint: error.constraint ?? "")
        isLost = error.kind == .connectionLost
    }
}
