import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

/// Transactions, snapshots and outcomes of several connections to one server.
@Suite(.needsPostgreSQL) struct TransactionTests {
    private let parameters: ConnectionParameters
    private let first: PostgreSQLConnection
    private let second: PostgreSQLConnection

    init() throws {
        let cluster = try PostgreSQLCluster.shared.get()
        parameters = try cluster.parameters(database: cluster.createDatabase())
        first = try PostgreSQLConnection(parameters)
        second = try PostgreSQLConnection(parameters)
        try first.execute("CREATE TABLE t (a int8 PRIMARY KEY, b int8 NOT NULL)")
        try first.execute("INSERT INTO t VALUES (0, 0), (1, 0)")
    }

    private func kind(_ body: () throws -> Void) -> PostgreSQLError.Kind? {
        do {
            try body()
            return nil
        } catch {
            return (error as? PostgreSQLError)?.kind
        }
    }

    private func value(_ connection: PostgreSQLConnection, _ key: Int64 = 1) throws -> Int64? {
        try connection.execute("SELECT b FROM t WHERE a = $1", [.int(key)]).int(0, 0)
    }

    @Test func transactionCommitsOrRollsBack() throws {
        struct Stop: Error {}
        try first.transaction { try $0.execute("UPDATE t SET b = 1") }
        #expect(try value(second) == 1)
        #expect(throws: Stop.self) {
            try first.transaction {
                try $0.execute("UPDATE t SET b = 2")
                throw Stop()
            }
        }
        #expect(try value(second) == 1 && !first.isInTransaction)
    }

    @Test func commitOfAFailedTransactionIsAnError() throws {
        try first.begin()
        try first.execute("UPDATE t SET b = 3")
        #expect(kind { try first.execute("SELECT 1 / 0") } == .invalidValue)
        #expect(first.isInFailedTransaction)
        #expect(kind { try first.commit() } == .other)
        #expect(try value(second) == 0 && !first.isInTransaction)
    }

    /// Without a transaction, deferred constraints are checked after the last statement has succeeded.
    @Test func deferredConstraintsFailTheLastStatement() throws {
        try first.execute(
            "ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (b) REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED")
        #expect(throws: PostgreSQLError.self) { try first.execute("UPDATE t SET b = 7") }
        let statements = [Statement("UPDATE t SET b = 1"), Statement("UPDATE t SET b = 8 WHERE a = 1")]
        let results = try first.pipeline(statements)
        #expect(results.map { (try? $0.get()) != nil } == [true, false])
        #expect(throws: PostgreSQLError.self) { try first.executeAll(statements) }
        #expect(try value(second) == 0 && !first.isInTransaction)
        // In a transaction, its end reports them.
        try first.begin()
        try first.execute("UPDATE t SET b = 7")
        #expect(throws: PostgreSQLError.self) { try first.commit() }
        #expect(try value(second) == 0)
    }

    @Test func readOnlyTransactionRefusesWrites() throws {
        try first.begin(readOnly: true)
        #expect(kind { try first.execute("UPDATE t SET b = 3") } == .readOnly)
        first.rollback()
    }

    @Test func serializationFailureIsClassified() throws {
        try first.begin(.repeatableRead)
        #expect(try value(first) == 0)
        try second.execute("UPDATE t SET b = 5")
        #expect(kind { try first.execute("UPDATE t SET b = 6") } == .serializationFailure)
        first.rollback()
    }

    @Test func deadlockIsClassified() throws {
        let connections = [first, second]
        for (index, connection) in connections.enumerated() {
            try connection.execute("SET deadlock_timeout = 50")
            try connection.begin()
            try connection.execute("UPDATE t SET b = 1 WHERE a = $1", [.int(Int64(index))])
        }
        #expect {
            try onThreads(2) { index in
                defer { connections[index].rollback() }
                try connections[index].execute("UPDATE t SET b = 2 WHERE a = $1", [.int(Int64(1 - index))])
            }
        } throws: {
            ($0 as? PostgreSQLError)?.kind == .deadlock
        }
    }

    @Test(arguments: [IsolationLevel.repeatableRead, .serializable])
    func concurrentIncrementsAreRetriedAndNoneIsLost(isolation: IsolationLevel) throws {
        let pool = ConnectionPool(parameters, limit: 4)
        try onThreads(4) { _ in try Self.increment(pool, isolation) }
        #expect(try value(first) == 100)
    }

    private static func increment(_ pool: ConnectionPool, _ isolation: IsolationLevel) throws {
        for _ in 0..<25 {
            try pool.transaction(isolation, attempts: 200) { connection in
                let value = try connection.execute("SELECT b FROM t WHERE a = 1").int(0, 0) ?? 0
                try connection.execute("UPDATE t SET b = $1 WHERE a = 1", [.int(value + 1)])
            }
        }
    }

    @Test func outcomesOfTransactionsAreKnown() throws {
        try first.begin()
        let committed = try first.transactionID()
        #expect(try second.outcome(ofTransaction: committed) == .inProgress)
        try first.commit()
        #expect(try second.outcome(ofTransaction: committed) == .committed)
        try first.begin()
        let aborted = try first.transactionID()
        first.rollback()
        #expect(try second.outcome(ofTransaction: aborted) == .aborted)
        #expect(try second.outcome(ofTransaction: aborted + 1_000_000) == .aborted)
        #expect(try second.outcome(ofTransaction: 3) != .inProgress)
    }

    @Test func outcomeOfATransactionWhoseBackendWasKilledIsAborted() throws {
        let pool = ConnectionPool(parameters)
        try first.begin()
        let id = try first.transactionID()
        try first.execute("UPDATE t SET b = 9")
        try second.execute("SELECT pg_terminate_backend($1::int4)", [.int(Int64(first.backendProcess))])
        #expect(kind { try first.commit() } == .connectionLost)
        #expect(first.isBroken)
        #expect(pool.outcome(ofTransaction: id) == .aborted)
        #expect(try value(second) == 0)
    }
}

extension PostgreSQLConnection {
    /// Returns the identifier of the open transaction, assigning one.
    func transactionID() throws -> Int64 { try #require(try execute("SELECT txid_current()").int(0, 0)) }
}
