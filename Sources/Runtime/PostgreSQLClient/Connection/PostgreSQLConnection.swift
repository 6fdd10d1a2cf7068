import CLibPQ
import Foundation

/// A connection to a PostgreSQL server.
///
/// ```swift
/// let connection = try PostgreSQLConnection(ConnectionParameters("postgresql://localhost/library"))
/// let rows = try connection.execute("SELECT title FROM book WHERE pages > $1", [.int(100)])
/// for row in 0..<rows.count { print(try rows.text(row, 0) ?? "") }
/// ```
///
/// Overview of the module:
/// - ``ConnectionParameters``: the server to connect to, from a libpq URL or keywords; never shows a password.
/// - ``PostgreSQLConnection``: ``execute(_:_:)``, ``pipeline(_:)`` (several statements, one round trip),
///   ``copyIn(_:columns:_:)``, ``begin(_:readOnly:)``, ``commit()``, ``rollback()``.
/// - ``PostgreSQLValue``: a parameter; ``Rows``: a result with checked readers.
/// - ``ConnectionPool``: connections for several threads; ``NotificationListener``: LISTEN on a dedicated connection.
/// - ``PostgreSQLError``: every failure, with SQLSTATE and a class to act on.
///
/// **Threads.** A connection may be used by only one thread at a time, which ``ConnectionPool`` ensures. A connection
/// has no locks.
///
/// **Names and values.** Values are passed as parameters. Names are part of the statement's text; callers must quote
/// them.
package final class PostgreSQLConnection: @unchecked Sendable {
    /// How statements are prepared on the server.
    package enum Preparation: Sendable, Hashable {
        /// Statements are prepared once per connection. Beyond the limit, the least recently used ones are deallocated.
        case cached(limit: Int)
        /// Statements are parsed each time, as behind PgBouncer in transaction mode, where the next transaction may run
        /// on another connection of the server.
        case never

        /// The default for direct connections.
        package static let standard = cached(limit: 256)
    }

    /// The oldest server that the client supports: PostgreSQL 12.
    package static let minimumServerVersion = 120_000

    /// The parameters that the connection was opened with.
    package let parameters: ConnectionParameters
    /// The number of times that the client has waited for the server, except while connecting.
    package internal(set) var roundTrips = 0
    /// Receives slow round trips; `nil` for none.
    var observer: ClientObserver?
    /// libpq's connection.
    let handle: OpaquePointer
    var statements: StatementCache

    /// Opens a connection.
    ///
    /// - Throws: An error of kind `cannotConnect` with libpq's and the server's message.
    package init(
        _ parameters: ConnectionParameters, preparation: Preparation = .standard
    ) throws(PostgreSQLError) {
        self.parameters = parameters
        statements = StatementCache(preparation)
        guard let handle = Self.open(parameters) else { throw PostgreSQLError(.cannotConnect, "out of memory") }
        self.handle = handle
        modelc_pq_silence(handle)
        guard PQstatus(handle) == CONNECTION_OK else { throw PostgreSQLError(connection: handle, kind: .cannotConnect) }
        guard PQserverVersion(handle) >= Self.minimumServerVersion else {
            throw PostgreSQLError(
                .cannotConnect,
                "the server is PostgreSQL \(serverVersion / 10_000); version \(Self.minimumServerVersion / 10_000) or later is required"
            )
        }
    }

    deinit { PQfinish(handle) }

    private static func open(_ parameters: ConnectionParameters) -> OpaquePointer? {
        let values = parameters.effectiveValues
        let keywords = values.map { strdup($0.keyword) }
        let texts = values.map { strdup($0.value) }
        defer { (keywords + texts).forEach { free($0) } }
        let keywordList = keywords.map { UnsafePointer($0) } + [nil]
        let valueList = texts.map { UnsafePointer($0) } + [nil]
        return PQconnectdbParams(keywordList, valueList, 0)
    }

    /// The server's version as a number, such as 150004.
    package var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// The identifier of the server process that serves the connection.
    package var backendProcess: Int32 { PQbackendPID(handle) }

    /// The server's socket or host name, and port.
    package var host: String {
        let host = PQhost(handle).map { String(cString: $0) } ?? ""
        let port = PQport(handle).map { String(cString: $0) } ?? ""
        return port.isEmpty ? host : "\(host):\(port)"
    }

    /// The server's host and the value of `sslmode`, if the host is another machine whose identity was not verified;
    /// `nil` otherwise.
    package var unverifiedHost: (host: String, mode: String)? {
        let host = PQhost(handle).map { String(cString: $0) } ?? ""
        let address = PQhostaddr(handle).map { String(cString: $0) } ?? ""
        guard ConnectionParameters.isRemote(host: host, address: address) else { return nil }
        let mode = ConnectionParameters.value(of: "sslmode", in: PQconninfo(handle)) ?? "prefer"
        return mode == "verify-full" ? nil : (host, mode)
    }

    /// Whether the connection is known to be lost. It does not recover; open a new one.
    package var isBroken: Bool { PQstatus(handle) != CONNECTION_OK }

    /// Whether a transaction is open, possibly a failed one.
    package var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// Whether a statement of the open transaction has failed, so that only a rollback is possible.
    package var isInFailedTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Returns whether the server has closed the connection. Reads received data without a round trip.
    package func hasBeenClosed() -> Bool {
        if isBroken { return true }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) > 0 else { return false }
        return PQconsumeInput(handle) == 0 || isBroken || hasTerminationMessage()
    }

    /// Returns whether a socket that is still readable after its input was consumed is at its end.
    private func hasTerminationMessage() -> Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) > 0 else { return false }
        return PQconsumeInput(handle) == 0 || isBroken
    }
}
