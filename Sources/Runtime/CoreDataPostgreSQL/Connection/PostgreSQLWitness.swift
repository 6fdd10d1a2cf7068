internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// A row by which a transaction that the server has committed is recognized.
///
/// A transaction number is not enough after a crash or a failover: the server has forgotten the numbers of transactions
/// of which nothing had reached the disk or the standby, and gives them to other transactions. `txid_status` then
/// describes another transaction.
struct PostgreSQLWitness: Sendable {
    /// The table, qualified and quoted.
    var table: String
    var key: Int64
    /// Whether the transaction deletes the row, rather than inserting or updating it.
    var isDeleted = false

    /// Returns the statement that reads the row, and whether the transaction with a number was the last to write it.
    func command(transaction: Int64) -> Statement {
        Statement(
            "SELECT xmin::text::bigint = $2 & 4294967295 FROM \(table) WHERE _pk = $1",
            [PostgreSQLValue(key), PostgreSQLValue(transaction)])
    }

    /// Returns what the row says about the transaction.
    func outcome(_ result: Rows) -> TransactionOutcome {
        guard result.count > 0 else { return isDeleted ? .committed : .unknown }
        if isDeleted { return .aborted }
        // Other transactions may have written the row since.
        return result.isTrue ? .committed : .unknown
    }
}

extension PostgreSQLStore {
    /// The statement that identifies the run of a server since its last crash, restart or promotion. The first two
    /// replace its permanent processes, which every role may see; the last does as well.
    static let serverRunCommand = Statement(
        "SELECT pg_catalog.concat(pg_catalog.pg_postmaster_start_time(), ' ', "
            + "(SELECT pg_catalog.string_agg(pid::pg_catalog.text, ',' ORDER BY pid) FROM pg_catalog.pg_stat_activity WHERE datid IS NULL AND usesysid IS NULL))"
    )

    /// Returns the outcome of a transaction whose connection was lost while it committed.
    func outcome(
        ofTransaction number: Int64, _ witness: PostgreSQLWitness?, _ pool: ConnectionPool
    ) -> TransactionOutcome {
        let patience = connections.patience
        let end = Date(timeIntervalSinceNow: patience)
        repeat {
            let outcome = pool.outcome(ofTransaction: number, limit: patience)
            guard outcome == .committed else { return outcome }
            if let checked = try? checkedOutcome(ofTransaction: number, witness, pool) { return checked }
            // The server was lost again.
            Thread.sleep(forTimeInterval: 0.05)
        } while Date() < end
        return .unknown
    }

    /// Returns the outcome of a transaction whose number the server has for a committed one.
    private func checkedOutcome(
        ofTransaction number: Int64, _ witness: PostgreSQLWitness?, _ pool: ConnectionPool
    ) throws -> TransactionOutcome {
        let run = try pool.withConnection { try $0.run([Self.serverRunCommand]) }[0].text(0, 0)
        guard run == nil || run != connections.serverRun else { return .committed }
        let outcome =
            try witness.map { witness in
                witness.outcome(try pool.withConnection { try $0.run([witness.command(transaction: number)]) }[0])
            } ?? .unknown
        // Only after the row was read: until then, another attempt has to read it.
        connections.serverRun = run
        return outcome
    }
}
