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

    /// The statement that returns the identifier of the open transaction, for ``outcome(ofTransaction:)``.
    package static var transactionIDStatement: Statement { Statement("SELECT txid_current()") }

    /// Begins a transaction.
    ///
    /// - Parameter snapshot: The identifier returned by another transaction's ``exportSnapshot()``. That transaction
    ///   must still be open, and the isolation level must be repeatable read or serializable.
    package func begin(
        _ isolation: IsolationLevel = .readCommitted, readOnly: Bool = false, snapshot: String? = nil
    ) throws(PostgreSQLError) {
        var statements = [Self.beginStatement(isolation, readOnly: readOnly)]
        if let snapshot {
            // The statement takes no parameter.
            guard snapshot.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || isHexadecimal($0) }) else {
                throw PostgreSQLError(.invalidValue, "invalid snapshot identifier")
            }
            statements.append(Statement("SET TRANSACTION SNAPSHOT '\(snapshot)'", isPrepared: false))
        }
        do {
            try executeAll(statements)
        } catch {
            rollback()
            throw error
        }
    }

    private func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
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
        _ isolation: IsolationLevel = .readCommitted, readOnly: Bool = false, snapshot: String? = nil,
        _ body: (PostgreSQLConnection) throws -> Value
    ) throws -> Value {
        try begin(isolation, readOnly: readOnly, snapshot: snapshot)
        do {
            let value = try body(self)
            try commit()
            return value
        } catch {
            rollback()
            throw error
        }
    }

    /// Returns an identifier of the open transaction's snapshot, which other transactions can use while it stays open.
    ///
    /// - Throws: The server's error. A transaction on a standby can export its snapshot only to transactions on the
    ///   same standby.
    package func exportSnapshot() throws(PostgreSQLError) -> String {
        let rows = try execute("SELECT pg_export_snapshot()")
        guard rows.count == 1, let snapshot = try rows.text(0, 0) else {
            throw PostgreSQLError(.unexpectedAnswer, "the server exported no snapshot")
        }
        return snapshot
    }

    /// Returns the identifier of the open transaction, assigning one.
    package func transactionID() throws(PostgreSQLError) -> Int64 {
        let rows = try execute(Self.transactionIDStatement)
        guard rows.count == 1, let id = try rows.int(0, 0) else {
            throw PostgreSQLError(.unexpectedAnswer, "the transaction has no identifier")
        }
        return id
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
