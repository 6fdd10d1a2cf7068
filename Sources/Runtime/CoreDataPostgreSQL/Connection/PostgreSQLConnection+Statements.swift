internal import Foundation
internal import PostgreSQLClient
internal import RuntimeSupport

extension PostgreSQLConnection {
    /// Keeps the functions and operators of other roles from being called: one in `public` takes precedence if its
    /// parameters fit the arguments better.
    fileprivate static let searchPath = Statement("SET search_path TO pg_catalog, pg_temp", isPrepared: false)

    /// Runs statements in one round trip, each separately unless they begin and end a transaction.
    ///
    /// - Returns: The result of each statement.
    /// - Throws: `PostgreSQLError` for the first statement that fails; later ones did not run.
    func run(_ statements: [Statement]) throws -> [Rows] {
        // The server answers COMMIT of a failed transaction with a rollback, without an error.
        guard !isInFailedTransaction else {
            var error = PostgreSQLError(.other, "a statement of the transaction has failed")
            error.sqlState = "25P02"
            throw error
        }
        return try executeAll(statements)
    }

    /// Takes back what a transaction has done since a savepoint, also if a statement has failed since then.
    func rollBack(toSavepoint name: String) throws {
        _ = try executeAll([Statement("ROLLBACK TO SAVEPOINT \(name)")])
    }
}

extension ConnectionPool {
    /// Creates a pool for the server of a store, without connecting to it.
    ///
    /// - Throws: `PostgreSQLError` for an invalid URI.
    convenience init(_ uri: String, limit: Int, _ settings: PostgreSQLSettings) throws {
        // A pooler in transaction mode would pass the setting on to other clients.
        let isOwn = settings.preparesStatements
        self.init(
            try ConnectionParameters(uri), limit: limit, preparation: isOwn ? .standard : .never,
            observer: settings.observer?.client
        ) { connection in
            UnverifiedServers.report(connection)
            if isOwn { try connection.execute(PostgreSQLConnection.searchPath) }
        }
    }
}

/// Warns about connections to other machines that anybody on the way could answer.
enum UnverifiedServers {
    /// The warnings that were logged: each once in a process.
    nonisolated(unsafe) private static var reported: Set<String> = []
    private static let lock = NSLock()

    static func report(_ connection: PostgreSQLConnection) {
        guard let (host, mode) = connection.unverifiedHost else { return }
        let text = warning(host: host, mode: mode)
        if lock.withLock({ reported.insert(text).inserted }) { Log.warning(text) }
    }

    static func warning(host: String, mode: String) -> String {
        "the identity of the PostgreSQL server “\(host)” is not verified (sslmode=\(mode)): use sslmode=verify-full, and "
            + "sslrootcert for a private certificate authority"
    }
}
