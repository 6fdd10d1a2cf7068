extension PostgreSQLConnection {
    /// Returns the statement that begins a transaction, to be sent before others in a pipeline.
    package static func beginStatement(
        _ isolation: IsolationLevel = .readCommitted, readOnly: Bool = false
    ) -> Statement {
        Statement(
            "BEGIN ISOLATION LEVEL \(isolation.rawValue) \(readOnly ? "READ ONLY" : "READ WRITE")", isPrepared: false)
    }

    /// The statement that commits the open transaction, to be sent at the end of a pipeline.
    package static var commitStatement: Statement { Statement("COMMIT", isPrepared: false) }

    /// Begins a transaction.
    package func begin(
        _ isolation: IsolationLevel = .readCommitted, readOnly: Bool = false
    ) throws(PostgreSQLError) {
        try execute(Self.beginStatement(isolation, readOnly: readOnly))
    }

    /// Commits the open transaction.
    ///
    /// - Throws: An error of kind `connectionLost` if the outcome is unknown; ``outcome(ofTransaction:)`` on another
    ///   connection determines it. Any other error means that nothing was committed.
    package func commit() throws(PostgreSQLError) {
        // The server answers COMMIT of a failed transaction with a rollback, without an error.
        guard !isInFailedTransaction else {
            rollback()
            throw PostgreSQLError(.other, "the transaction was rolled back, as one of its statements failed")
        }
        try execute(Self.commitStatement)
    }

    /// Rolls back the open transaction, if there is one. A broken connection has none.
    package func rollback() {
        guard !isBroken, isInTransaction else { return }
        do {
            try execute(Statement("ROLLBACK", isPrepared: false))
        } catch {
            abandon()
        }
    }

    /// Runs a body in a transaction that is committed when the body returns, and rolled back when it throws.
    @discardableResult
    package func transaction<Value>(
        _ isolation: IsolationLevel = .readCommitted, readOnly: Bool = false,
        _ body: (PostgreSQLConnection) throws -> Value
    ) throws -> Value {
        try begin(isolation, readOnly: readOnly)
        do {
            let value = try body(self)
            try commit()
            return value
        } catch {
            rollback()
            throw error
        }
    }

    /// Returns the outcome of a transaction whose connection was lost.
    package func outcome(ofTransaction id: Int64) throws(PostgreSQLError) -> TransactionOutcome {
        let rows: Rows
        do {
            rows = try execute("SELECT txid_status($1)", [.int(id)])
        } catch  where error.sqlState == "22023" {
            // “transaction ID is in the future”: this server has never run it, as after a failover.
            return .aborted
        }
        switch rows.count == 1 ? try rows.text(0, 0) : nil {
        case "committed": return .committed
        case "aborted": return .aborted
        case "in progress": return .inProgress
        default: return .unknown
        }
    }
}
