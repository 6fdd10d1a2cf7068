import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

/// A connection to a working server.
@Suite(.needsPostgreSQL) struct ConnectionTests {
    private let connection: PostgreSQLConnection

    init() throws { connection = try PostgreSQLConnection(PostgreSQLCluster.shared.get().parameters()) }

    private func kinds(_ results: [Result<Rows, PostgreSQLError>]) -> [PostgreSQLError.Kind?] {
        results.map { if case .failure(let error) = $0 { error.kind } else { nil } }
    }

    @Test func pipelineReturnsResultsInOrderInOneRoundTrip() throws {
        let results = try connection.pipeline((0..<500).map { Statement("SELECT $1::int8", [.int($0)]) })
        #expect(connection.roundTrips == 1)
        #expect(try results.map { try $0.get().int(0, 0) } == (0..<500).map { $0 })
    }

    @Test func pipelineStopsAtTheFirstError() throws {
        let results = try connection.pipeline([
            Statement("SELECT 1"), Statement("SELECT 1 / $1::int8", [.int(0)]), Statement("SELECT 2"),
        ])
        #expect(kinds(results) == [nil, .invalidValue, .notRun])
        #expect(connection.roundTrips == 1)
        #expect(try connection.execute("SELECT 3::int8").int(0, 0) == 3)
    }

    @Test func statementThatCannotBePreparedHasTheServersError() throws {
        let results = try connection.pipeline([
            Statement("SELECT 1"), Statement("SELECT nothing FROM nowhere"), Statement("SELECT 2"),
        ])
        #expect(kinds(results) == [nil, .other, .notRun])
        guard case .failure(let error) = results[1] else { return }
        #expect(error.sqlState == "42P01")
        #expect(error.message.contains("nowhere"))
    }

    @Test func pipelineOutsideOfATransactionIsOne() throws {
        try connection.execute("CREATE TEMP TABLE t (a int8 PRIMARY KEY)")
        let insert = Statement("INSERT INTO t VALUES ($1)", [.int(1)])
        #expect(kinds(try connection.pipeline([insert, insert])) == [nil, .uniqueViolation])
        #expect(try connection.execute("SELECT count(*) FROM t").int(0, 0) == 0)
    }

    @Test func largeResultsDoNotBlockALargePipeline() throws {
        let text = String(repeating: "x", count: 100_000)
        let results = try connection.pipeline(
            (0..<200).map { _ in Statement("SELECT repeat('y', 100000), $1::text", [.text(text)]) })
        #expect(results.count == 200)
        for result in results { #expect(try result.get().text(0, 1)?.utf8.count == 100_000) }
        #expect(connection.roundTrips == 1)
    }

    @Test func statementsArePreparedOnceAndEvicted() throws {
        let connection = try PostgreSQLConnection(
            PostgreSQLCluster.shared.get().parameters(), preparation: .cached(limit: 3))
        func prepared() throws -> Int64? {
            try connection.execute(Statement("SELECT count(*) FROM pg_prepared_statements", isPrepared: false)).int(
                0, 0)
        }
        for _ in 0..<5 { try connection.execute("SELECT $1::int8", [.int(1)]) }
        #expect(try prepared() == 1)
        for number in 0..<10 { try connection.execute("SELECT \(number)") }
        #expect(try prepared() == 3)
        #expect(try connection.execute("SELECT $1::int8", [.int(7)]).int(0, 0) == 7)
    }

    @Test func planOfAnAlteredTableIsPreparedAgain() throws {
        try connection.execute("CREATE TEMP TABLE t (a int8)")
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(try connection.execute("SELECT * FROM t").int(0, 0) == 1)
        try connection.execute("ALTER TABLE t ADD b int8 DEFAULT 2")
        #expect(try connection.execute("SELECT * FROM t").int(0, 1) == 2)
    }

    @Test func droppedPreparedStatementIsPreparedAgain() throws {
        #expect(try connection.execute("SELECT $1::int8", [.int(1)]).int(0, 0) == 1)
        try connection.execute(Statement("DEALLOCATE ALL", isPrepared: false))
        #expect(try connection.execute("SELECT $1::int8", [.int(2)]).int(0, 0) == 2)
    }

    @Test func errorsHaveTheServersFields() throws {
        try connection.execute("CREATE TEMP TABLE parent (a int8 PRIMARY KEY, b text NOT NULL CHECK (b <> 'x'))")
        try connection.execute("CREATE TEMP TABLE child (p int8 CONSTRAINT owner REFERENCES parent)")
        try connection.execute("INSERT INTO parent VALUES (1, 'a')")
        func error(_ sql: String) -> PostgreSQLError? {
            do {
                try connection.execute(sql)
                return nil
            } catch {
                return error
            }
        }
        let unique = try #require(error("INSERT INTO parent VALUES (1, 'b')"))
        #expect(unique.kind == .uniqueViolation && unique.constraint == "parent_pkey" && unique.table == "parent")
        #expect(unique.detail == "Key (a)=(1) already exists." && unique.severity == "ERROR")
        let foreign = try #require(error("INSERT INTO child VALUES (7)"))
        #expect(foreign.kind == .foreignKeyViolation && foreign.constraint == "owner")
        let null = try #require(error("INSERT INTO parent VALUES (2, NULL)"))
        #expect(null.kind == .notNullViolation && null.column == "b")
        #expect(error("INSERT INTO parent VALUES (2, 'x')")?.kind == .constraintViolation)
        #expect(error("")?.kind == .other)
        #expect(error("SELECT 1; SELECT 2")?.sqlState == "42601")
    }

    @Test func statementTimeoutIsATimeout() throws {
        try connection.execute("SET statement_timeout = 50")
        #expect {
            try connection.execute("SELECT pg_sleep(10)")
        } throws: {
            ($0 as? PostgreSQLError)?.kind == .timeout
        }
        #expect(!connection.isBroken)
    }

    @Test func missingPrivilegeIsReported() throws {
        try connection.begin()
        defer { connection.rollback() }
        try connection.execute("CREATE TABLE guarded (a int8)")
        try connection.execute("CREATE ROLE modelc_guest")
        try connection.execute("SET LOCAL ROLE modelc_guest")
        #expect {
            try connection.execute("SELECT * FROM guarded")
        } throws: {
            ($0 as? PostgreSQLError)?.kind == .insufficientPrivilege
        }
    }

    @Test func copyStoresRows() throws {
        try connection.execute("CREATE TEMP TABLE t (a int8, b text, c int8)")
        let before = connection.roundTrips
        var number: Int64 = 0
        let count = try connection.copyIn("COPY t FROM STDIN (FORMAT binary)") {
            guard number < 10_000 else { return nil }
            defer { number += 1 }
            return copyRow([.int(number), .text("text \(number)"), PostgreSQLValue(type: 20, bytes: nil)])
        }
        #expect(count == 10_000)
        #expect(connection.roundTrips - before == 2)
        let rows = try connection.execute("SELECT * FROM t WHERE a = 9999")
        #expect(try rows.text(0, 1) == "text 9999" && rows.int(0, 2) == nil)
    }

    @Test func copyThatFailsStoresNothing() throws {
        try connection.execute("CREATE TEMP TABLE t (a int8 PRIMARY KEY)")
        struct Stop: Error {}
        let sql = "COPY t FROM STDIN (FORMAT binary)"
        var number: Int64 = 0
        #expect(throws: Stop.self) {
            try connection.copyIn(sql) {
                guard number < 100_000 else { throw Stop() }
                defer { number += 1 }
                return copyRow([.int(number)])
            }
        }
        for (row, kind) in [
            ([PostgreSQLValue.int(1)], PostgreSQLError.Kind.uniqueViolation), ([.int(1), .int(1)], .invalidValue),
        ] {
            var rows = [copyRow(row), copyRow(row)]
            #expect {
                try connection.copyIn(sql) { rows.popLast() }
            } throws: {
                ($0 as? PostgreSQLError)?.kind == kind
            }
        }
        #expect {
            try connection.copyIn("SELECT 1") { nil }
        } throws: {
            ($0 as? PostgreSQLError)?.kind == .unexpectedAnswer
        }
        let other = try PostgreSQLConnection(PostgreSQLCluster.shared.get().parameters())
        #expect(try other.execute("SELECT 1").count == 1)
    }

    @Test func copyLeavesTheTableEmptyAfterAnError() throws {
        try connection.execute("CREATE TEMP TABLE t (a int8 PRIMARY KEY)")
        var rows = [copyRow([.text("no number")])]
        #expect(throws: PostgreSQLError.self) {
            try connection.copyIn("COPY t FROM STDIN (FORMAT binary)") { rows.popLast() }
        }
        #expect(try connection.execute("SELECT count(*) FROM t").int(0, 0) == 0)
    }
}
