import CLibPQ
import Foundation

extension PostgreSQLConnection {
    /// A command sent in a pipeline. Commands are in the order of their results.
    private enum Sent {
        case deallocate
        case prepare(StatementCache.Key, name: String)
        case execute(index: Int, StatementCache.Key?)
    }

    /// Executes a statement, in one round trip.
    ///
    /// - Throws: The server's error, or an error of kind `connectionLost` or `invalidValue`.
    @discardableResult
    package func execute(_ sql: String, _ values: [PostgreSQLValue] = []) throws(PostgreSQLError) -> Rows {
        try execute(Statement(sql, values))
    }

    /// Executes a statement, in one round trip.
    @discardableResult
    package func execute(_ statement: Statement) throws(PostgreSQLError) -> Rows {
        let wasIdle = !isInTransaction
        do {
            return try single(statement)
        } catch  where wasIdle && Self.isStale(error) {
            // The statement was not run, because the server no longer has its plan, or the plan is no longer valid.
            return try single(statement)
        }
    }

    private func single(_ statement: Statement) throws(PostgreSQLError) -> Rows {
        guard let result = try pipeline([statement]).first else {
            throw PostgreSQLError(.unexpectedAnswer, "the server did not answer")
        }
        return try result.get()
    }

    /// Executes statements in one round trip, and returns their rows.
    ///
    /// Outside of a transaction, the statements form one that commits if all of them succeed.
    ///
    /// - Throws: The error of the first statement that failed. Later statements have not been run.
    @discardableResult
    package func executeAll(_ statements: [Statement]) throws(PostgreSQLError) -> [Rows] {
        var rows: [Rows] = []
        for result in try pipeline(statements) { rows.append(try result.get()) }
        return rows
    }

    /// Executes statements in one round trip, and returns a result for each, in order.
    ///
    /// The results of statements after the first failure are errors of kind `notRun`, or of kind `connectionLost` if
    /// the connection was lost. Outside of a transaction, the statements form one that commits if all of them succeed.
    ///
    /// - Throws: An error of kind `invalidValue` if a value cannot be sent, in which case nothing was sent.
    package func pipeline(
        _ statements: [Statement]
    ) throws(PostgreSQLError) -> [Result<Rows, PostgreSQLError>] {
        guard !statements.isEmpty else { return [] }
        let start = observer == nil ? 0 : ClientObserver.now
        defer { observer?.roundTripEnded(statements.map(\.sql), start: start) }
        let commits = !isInTransaction
        var encoded: [EncodedStatement] = []
        encoded.reserveCapacity(statements.count)
        for statement in statements { encoded.append(try EncodedStatement(statement)) }
        guard !isBroken, PQenterPipelineMode(handle) == 1 else {
            throw PostgreSQLError(connection: handle, kind: isBroken ? .connectionLost : .unexpectedAnswer)
        }
        defer { _ = PQexitPipelineMode(handle) }
        var results = [Result<Rows, PostgreSQLError>](
            repeating: .failure(PostgreSQLError(.notRun, "the statement was not run, as an earlier one failed")),
            count: statements.count)
        guard let sent = send(encoded), PQpipelineSync(handle) == 1 else {
            let error = PostgreSQLError(connection: handle, kind: .connectionLost)
            abandon()
            return results.map { _ in .failure(error) }
        }
        roundTrips += 1
        let failure = receive(sent, into: &results)
        // Deferred constraints are checked, and the statements become durable, when all of them have succeeded.
        if commits, let failure, case .success = results[results.count - 1] {
            results[results.count - 1] = .failure(failure)
        }
        return results
    }

    /// Queues statements, and returns the queued commands, or `nil` if libpq reports an error.
    private func send(_ encoded: [EncodedStatement]) -> [Sent]? {
        var sent: [Sent] = []
        if statements.isEnabled, !isInFailedTransaction {
            for name in statements.evict() {
                guard PQsendQueryParams(handle, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1 else { return nil }
                sent.append(.deallocate)
            }
        }
        var added: [StatementCache.Key: String] = [:]
        for (index, item) in encoded.enumerated() {
            guard statements.isEnabled, item.statement.isPrepared else {
                guard sendUnprepared(item) else { return nil }
                sent.append(.execute(index: index, nil))
                continue
            }
            let key = StatementCache.Key(sql: item.statement.sql, types: item.types)
            var name = statements.name(of: key) ?? added[key]
            if name == nil {
                let newName = statements.newName()
                guard PQsendPrepare(handle, newName, key.sql, Int32(key.types.count), key.types) == 1 else {
                    return nil
                }
                sent.append(.prepare(key, name: newName))
                added[key] = newName
                name = newName
            }
            let isSent = item.withArguments { count, values, lengths, formats in
                PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
            }
            guard isSent else { return nil }
            sent.append(.execute(index: index, key))
        }
        return sent
    }

    private func sendUnprepared(_ item: EncodedStatement) -> Bool {
        item.withArguments { count, values, lengths, formats in
            PQsendQueryParams(handle, item.statement.sql, count, item.types, values, lengths, formats, 1) == 1
        }
    }

    /// Reads the results up to the synchronization point.
    ///
    /// - Returns: The error with which the server ended the transaction of the statements, if there is one.
    private func receive(_ sent: [Sent], into results: inout [Result<Rows, PostgreSQLError>]) -> PostgreSQLError? {
        var failure: PostgreSQLError?
        for item in sent {
            let result = failure?.kind == .connectionLost ? .failure(lost(failure)) : nextResult()
            if case .failure(let error) = result, error.kind != .notRun { failure = failure ?? error }
            switch item {
            case .deallocate: break
            case .prepare(let key, let name):
                if case .success = result { statements.insert(key, name: name) }
            case .execute(let index, let key):
                results[index] = result
                guard case .failure(let error) = result, let key else { break }
                if Self.isStale(error) { statements.remove(key) }
                // Report the error for the statement that could not be prepared, instead of `notRun`.
                if error.kind == .notRun, let failure, isFirstFailure(index, in: results) {
                    results[index] = .failure(failure)
                }
            }
        }
        return synchronize()
    }

    /// Returns whether no statement before an index has failed.
    private func isFirstFailure(_ index: Int, in results: [Result<Rows, PostgreSQLError>]) -> Bool {
        results[..<index].allSatisfy { if case .success = $0 { true } else { false } }
    }

    private func lost(_ first: PostgreSQLError?) -> PostgreSQLError {
        PostgreSQLError(.connectionLost, first?.message ?? "the connection to the server was lost")
    }

    /// Returns whether an error means that a prepared statement no longer exists, or that its plan no longer matches
    /// the tables.
    private static func isStale(_ error: PostgreSQLError) -> Bool {
        error.sqlState == "26000" || error.sqlState == "0A000"
    }

    /// Reads the result of one command.
    func nextResult() -> Result<Rows, PostgreSQLError> {
        guard let result = PQgetResult(handle) else {
            return .failure(PostgreSQLError(connection: handle, kind: .connectionLost))
        }
        while let extra = PQgetResult(handle) { PQclear(extra) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return .success(Rows(result))
        case PGRES_PIPELINE_ABORTED:
            PQclear(result)
            return .failure(PostgreSQLError(.notRun, "the statement was not run, as an earlier one failed"))
        case PGRES_EMPTY_QUERY:
            PQclear(result)
            return .failure(PostgreSQLError(.other, "the statement is empty"))
        default:
            let error = PostgreSQLError(result: result, connection: handle)
            PQclear(result)
            return .failure(error)
        }
    }

    /// Reads up to the synchronization point. If there is none, the connection is broken.
    ///
    /// - Returns: The error that came before it.
    private func synchronize() -> PostgreSQLError? {
        var failure: PostgreSQLError?
        var isBetweenResults = false
        while !isBroken {
            guard let result = PQgetResult(handle) else {
                // An old libpq forgets the synchronization point after an error, and has no more results.
                if isBetweenResults { abandon() }
                isBetweenResults = true
                continue
            }
            isBetweenResults = false
            let status = PQresultStatus(result)
            if status == PGRES_FATAL_ERROR {
                failure = failure ?? PostgreSQLError(result: result, connection: handle)
            }
            PQclear(result)
            if status == PGRES_PIPELINE_SYNC { return failure }
        }
        return failure ?? PostgreSQLError(connection: handle, kind: .connectionLost)
    }

    /// Closes the socket of a connection whose protocol state is unknown, so that it counts as broken.
    func abandon() {
        guard !isBroken else { return }
        shutdown(PQsocket(handle), Int32(SHUT_RDWR))
        _ = PQconsumeInput(handle)
    }
}
