import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

/// The client behind PgBouncer in transaction mode, with two connections to the server.
@Suite(.needsPostgreSQL, .enabled(if: PgBouncer.program != nil, "PgBouncer is not installed"))
struct PgBouncerTests {
    private let bouncer: PgBouncer
    private let parameters: ConnectionParameters

    init() throws {
        bouncer = try PgBouncer(before: PostgreSQLCluster.shared.get())
        parameters = try bouncer.parameters()
    }

    @Test func unpreparedStatementsWork() throws {
        let parameters = parameters
        try onThreads(6) { client in
            let connection = try PostgreSQLConnection(parameters, preparation: .never)
            for number in 0..<20 {
                let results = try connection.executeAll([
                    Statement("SELECT $1::int8", [.int(Int64(client))]),
                    Statement("SELECT $1::text", [.text("\(number)")]),
                ])
                #expect(try results[0].int(0, 0) == Int64(client))
                #expect(try results[1].text(0, 0) == "\(number)")
                try connection.transaction { connection in
                    let id = try connection.transactionID()
                    let again = try connection.transactionID()
                    #expect(id == again)
                }
            }
            #expect(connection.roundTrips == 20 * 5)
        }
    }

    @Test func preparedStatementsAreLostBetweenTransactions() throws {
        let first = try PostgreSQLConnection(parameters)
        try first.execute("SELECT $1::int8", [.int(1)])
        // Another client holds the server's connection that has the statement; the next one does not.
        let others = try (0..<2).map { _ in try PostgreSQLConnection(parameters, preparation: .never) }
        try others[0].begin()
        try others[0].execute("SELECT 1")
        #expect(try first.execute("SELECT $1::int8", [.int(2)]).int(0, 0) == 2)
        others[0].rollback()
    }

    @Test func copyInWritesAllRows() throws {
        let connection = try PostgreSQLConnection(parameters, preparation: .never)
        try connection.begin()
        defer { connection.rollback() }
        try connection.execute("CREATE TABLE copied (a int8)")
        var rows = (0..<1000).map { copyRow([.int($0)]) }
        let count = try connection.copyIn("COPY copied FROM STDIN (FORMAT binary)") { rows.popLast() }
        #expect(count == 1000)
    }
}
