package import Foundation

/// A driver that connects to servers. The module CoreDataPostgreSQL installs one, because the runtime itself uses no
/// client library.
package protocol PostgreSQLDriver: Sendable {
    /// Creates a pool without connecting to the server.
    ///
    /// - Throws: `PostgreSQLFailure` for an invalid URI.
    func pool(_ settings: PostgreSQLPoolSettings) throws -> any PostgreSQLPool

    /// Listens to a notification channel on a dedicated connection until the listener is stopped.
    ///
    /// - Parameter handler: called on a thread of the listener. It must return quickly.
    func listen(
        to channel: String, at uri: String, _ handler: @escaping @Sendable (PostgreSQLNews) -> Void
    ) throws -> any PostgreSQLListening
}

/// The settings of a pool.
package struct PostgreSQLPoolSettings: Sendable {
    /// A libpq connection URI.
    package var uri: String
    /// The maximum number of connections.
    package var limit: Int
    /// Whether statements are prepared on the server, which a pooler in transaction mode does not allow.
    package var preparesStatements: Bool
}

/// The connections of a store to one server. Thread-safe.
package protocol PostgreSQLPool: AnyObject, Sendable {
    /// Lends a connection, which the caller returns with `takeBack(_:)`.
    ///
    /// - Throws: `PostgreSQLFailure` if there is no connection.
    func lend() throws -> any PostgreSQLSession

    /// Takes a lent connection back. A transaction that was left open is rolled back.
    func takeBack(_ session: any PostgreSQLSession)

    /// Opens a connection outside of the pool, which the caller closes.
    func openSession() throws -> any PostgreSQLSession

    /// Returns the outcome of a transaction whose connection was lost. Waits up to a number of seconds for the server if it
    /// is restarting or still runs the transaction.
    func outcome(ofTransaction id: Int64, limit: TimeInterval) -> PostgreSQLOutcome

    /// The number of times that the idle connections have waited for the server.
    var roundTrips: Int { get }

    /// Closes the connections that are not lent.
    func close()
}

extension PostgreSQLPool {
    /// Lends a connection to a closure. A transaction that the closure leaves open is rolled back.
    ///
    /// - Throws: the closure's error; `PostgreSQLFailure` if there is no connection.
    package func withSession<Result>(_ body: (any PostgreSQLSession) throws -> Result) throws -> Result {
        let session = try lend()
        defer { takeBack(session) }
        return try body(session)
    }
}

/// The outcome of a transaction.
package enum PostgreSQLOutcome: Sendable {
    case committed
    case aborted
    /// The server is still committing, or waits for a standby.
    case inProgress
    case unknown
}

/// A connection to a server. Used by one thread at a time.
package protocol PostgreSQLSession: AnyObject {
    /// Runs statements in one round trip, each separately unless they begin and end a transaction.
    ///
    /// - Returns: the result of each statement.
    /// - Throws: `PostgreSQLFailure` for the first statement that fails; later ones did not run.
    func run(_ commands: [PostgreSQLCommand]) throws -> [any PostgreSQLResult]

    /// Runs a `COPY … FROM STDIN (FORMAT binary)`.
    ///
    /// - Parameters:
    ///   - text: the statement.
    ///   - next: returns the next rows in the binary format, each with its number of columns; `nil` at the end.
    func copy(_ text: String, _ next: () throws -> [UInt8]?) throws

    /// Whether the connection was lost, so that a new one is needed.
    var isLost: Bool { get }

    /// Closes the connection.
    func close()
}

/// The reports of a listener.
package enum PostgreSQLNews: Sendable {
    /// The listener is listening; earlier notifications are lost.
    case connected
    case notified(String)
    /// The connection was lost. The listener tries to connect again.
    case disconnected
}

/// A connection that listens.
package protocol PostgreSQLListening: AnyObject, Sendable {
    /// Closes the connection, after which the handler is no longer called.
    func stop()
}

/// The result of a statement, with all rows in the server's binary format.
package protocol PostgreSQLResult {
    var rowCount: Int { get }

    /// The number of rows that the statement wrote or returned.
    var affectedRows: Int { get }

    /// Returns the OID of a column's type in `pg_type`.
    func type(ofColumn column: Int) -> UInt32

    /// Returns the bytes of a value, valid while the result is alive, or `nil` for null.
    func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer?
}

/// A statement with the values of its parameters.
package struct PostgreSQLCommand: Sendable, Equatable {
    package var text: String
    package var parameters: [PostgreSQLParameter]

    package init(_ text: String, _ parameters: [PostgreSQLParameter] = []) {
        self.text = text
        self.parameters = parameters
    }

    /// Whether to prepare the statement for reuse, which is not worthwhile for session and schema statements.
    package var isPrepared: Bool {
        ![
            "BEGIN", "COMMIT", "SET", "CREATE", "ALTER", "COMMENT", "DROP", "DECLARE", "FETCH", "CLOSE", "SAVEPOINT",
            "RELEASE", "ROLLBACK", "LOCK",
        ].contains {
            text.hasPrefix($0)
        }
    }
}

/// The value of a parameter, in the server's binary format.
package struct PostgreSQLParameter: Sendable, Equatable {
    /// The OID of the type in `pg_type`.
    package var type: UInt32
    /// The bytes; `nil` for null.
    package var bytes: [UInt8]?

    package init(type: UInt32, bytes: [UInt8]?) {
        self.type = type
        self.bytes = bytes
    }
}

/// A failure reported by a server or the client library.
package struct PostgreSQLFailure: Error, Sendable, CustomStringConvertible {
    /// The five characters of SQLSTATE; empty if there is no connection.
    package var code: String
    package var message: String
    package var detail: String
    package var hint: String
    /// The constraint that a row violates; empty if there is none.
    package var constraint: String
    /// Whether the connection was lost, so that it is unknown what the server did.
    package var isLost = false
    /// The number of the transaction if it could not be determined whether the server has committed it.
    var doubtful: Int64?
    /// Whether it could not be determined whether the server has committed the transaction.
    var isInDoubt: Bool { doubtful != nil }

    package init(code: String, message: String, detail: String = "", hint: String = "", constraint: String = "") {
        self.code = code
        self.message = message
        self.detail = detail
        self.hint = hint
        self.constraint = constraint
    }

    package var description: String {
        [message, detail, hint].filter { !$0.isEmpty }.joined(separator: "; ") + (code.isEmpty ? "" : " [\(code)]")
    }

    /// Whether a uniqueness constraint was violated.
    var isUniqueness: Bool { code == "23505" }

    /// Whether a value is too large for an index or a message.
    var isTooLarge: Bool { code == "54000" }

    /// Whether the same transaction may succeed if it is repeated: a serialization failure or a deadlock.
    var isRepeatable: Bool { code == "40001" || code == "40P01" }

    /// Whether tables that are other than expected may be the cause.
    var isOfSchema: Bool {
        ["42", "22", "0A"].contains { code.hasPrefix($0) } || code == "23502" || code == "23503"
    }

    /// Whether a lock was not granted in time.
    var isLockTimeout: Bool { code == "55P03" }

    /// Whether a foreign key constraint was violated.
    var isReference: Bool { code == "23503" }

    /// Whether the server cannot execute this statement in principle: data out of range, too complex, or an unsupported
    /// statement. Missing tables, columns and privileges do not count: they are errors.
    var isOfStatement: Bool {
        if ["42501", "42P01", "42703"].contains(code) { return false }
        return code.hasPrefix("22") || code.hasPrefix("42") || code.hasPrefix("54")
    }
}

/// The installed driver.
package enum PostgreSQLSupport {
    private static let installed = Installed()

    /// The driver, guarded by a lock.
    private final class Installed: @unchecked Sendable {
        let lock = NSLock()
        var driver: (any PostgreSQLDriver)?
    }

    /// The driver. Thread-safe.
    static var driver: (any PostgreSQLDriver)? {
        get { installed.lock.withLock { installed.driver } }
        set { installed.lock.withLock { installed.driver = newValue } }
    }

    /// Returns a new pool of connections to a server.
    ///
    /// - Parameters:
    ///   - uri: Where the server and the database are.
    ///   - limit: The most connections that are open at once.
    ///   - settings: The settings of the store.
    /// - Throws: `PostgreSQLFailure`, also if the program has no client library.
    static func makePool(_ uri: String, limit: Int, _ settings: PostgreSQLSettings) throws -> any PostgreSQLPool {
        guard let driver else {
            throw PostgreSQLFailure(code: "", message: "there is no client library for PostgreSQL in this program")
        }
        return try driver.pool(
            PostgreSQLPoolSettings(uri: uri, limit: limit, preparesStatements: settings.preparesStatements))
    }
}
