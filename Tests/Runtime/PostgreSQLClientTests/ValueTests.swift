import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

/// The client's own values. PostgreSQLValueTests (CoreDataTests) has those of the store.
@Suite(.needsPostgreSQL) struct ValueTests {
    private let connection: PostgreSQLConnection

    init() throws { connection = try PostgreSQLConnection(PostgreSQLCluster.shared.get().parameters()) }

    @Test func valuesRoundTrip() throws {
        let rows = try connection.execute(
            "SELECT $1::int8, $2::text, $3::int8, $4::text",
            [.int(.min), .text("ä\u{1F600}"), PostgreSQLValue(type: 20, bytes: nil), .text("")])
        #expect(try rows.int(0, 0) == .min)
        #expect(try rows.text(0, 1) == "ä\u{1F600}")
        #expect(try rows.int(0, 2) == nil && rows.bytes(0, 2) == nil)
        #expect(try rows.text(0, 3)?.isEmpty == true)
    }

    @Test func textWithNULIsAnError() throws {
        #expect {
            try connection.execute("SELECT $1::text", [.text("a\0b")])
        } throws: {
            ($0 as? PostgreSQLError)?.kind == .invalidValue
        }
    }

    @Test func tooManyParametersAreAnError() throws {
        #expect {
            try connection.execute(
                Statement("SELECT 1", [PostgreSQLValue](repeating: .int(1), count: 65_536), isPrepared: false))
        } throws: {
            ($0 as? PostgreSQLError)?.kind == .invalidValue
        }
    }

    @Test func readersRejectOtherTypesAndLocations() throws {
        let rows = try connection.execute("SELECT 'x'::text, 1::int4, point(1, 2), 1::int2, 'y'::name, 7::oid")
        func isRejected(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return false
            } catch {
                return (error as? PostgreSQLError)?.kind == .unexpectedAnswer
            }
        }
        #expect(isRejected { _ = try rows.int(0, 0) })
        #expect(isRejected { _ = try rows.text(0, 1) })
        #expect(isRejected { _ = try rows.text(0, 2) })
        #expect(isRejected { _ = try rows.int(0, 2) })
        for (row, column) in [(1, 0), (-1, 0), (0, 6), (0, -1), (.max, .max)] {
            #expect(isRejected { _ = try rows.int(row, column) })
            #expect(rows.bytes(row, column) == nil)
        }
        #expect(try rows.int(0, 1) == 1 && rows.int(0, 3) == 1 && rows.text(0, 4) == "y" && rows.int(0, 5) == 7)
        #expect((0..<7).map { rows.type(ofColumn: $0) } == [25, 23, 600, 21, 19, 26, 0])
    }
}
