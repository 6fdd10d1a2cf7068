import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// The binary form of values, compared with the server's text form.
@Suite(.needsPostgreSQL) struct PostgreSQLValueTests {
    private let connection: PostgreSQLConnection

    init() throws { connection = try PostgreSQLConnection(PostgreSQLCluster.shared.get().parameters()) }

    private func execute(_ sql: String, _ arguments: [SQLArgument] = []) throws -> Rows {
        try connection.execute(
            sql,
            arguments.map { PostgreSQLValue($0) })
    }

    /// Returns the value of a column, as the store reads it.
    private func value(_ rows: Rows, _ column: Int, _ coding: PostgreSQLCoding) -> SlotValue {
        rows.bytes(0, column).map(coding.value) ?? .null
    }

    private func number(_ rows: Rows, _ column: Int) -> Decimal? {
        guard case .object(let object) = value(rows, column, .decimal) else { return nil }
        return (object as? NSDecimalNumber)?.decimalValue
    }

    @Test func valuesRoundTrip() throws {
        let uuid = UUID()
        let rows = try execute(
            "SELECT $1::bool, $2::int8, $3::float8, $4::numeric, $5::text, $6::uuid, $7::bytea, $8::text, $9::text, $10::bytea",
            [
                .boolean(true), .integer(.min), .real(-0.1), .decimal("-12345.0678"), .text("ä\u{1F600}"), .uuid(uuid),
                .bytes(Data([0, 1, 255])), .null, .text(""), .bytes(Data()),
            ])
        guard case .boolean(true) = value(rows, 0, .boolean), case .integer(.min) = value(rows, 1, .integer(.bigint)),
            case .double(-0.1) = value(rows, 2, .double), case .string("ä\u{1F600}") = value(rows, 4, .string),
            case .uuid(uuid) = value(rows, 5, .uuid), case .data(Data([0, 1, 255])) = value(rows, 6, .data),
            case .null = value(rows, 7, .string), case .string("") = value(rows, 8, .string),
            case .data(Data()) = value(rows, 9, .data)
        else {
            Issue.record("a value differs")
            return
        }
        #expect(number(rows, 3) == Decimal(string: "-12345.0678"))
    }

    @Test(.randomized) func decimalsEqualTheServersText() throws {
        var generator = Seeds.generator()
        for _ in 0..<300 {
            let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }.joined()
            let exponent = Int.random(in: -60...60, using: &generator)
            let text = (generator.chance(2) ? "-" : "") + digits + "e\(exponent)"
            let decimal = try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
            let rows = try execute(
                "SELECT ($1 = ($3::text)::numeric AND $2 = $1)::int4, ($3::text)::numeric, $1",
                [.decimal(text), .decimal(decimal.description), .text(text)])
            #expect(try rows.int(0, 0) == 1, "\(text)")
            #expect(number(rows, 1) == decimal, "\(text)")
            #expect(number(rows, 2) == decimal, "\(text)")
        }
    }

    @Test func numbersBeyondDecimalAreRoundedOrNull() throws {
        func decimal(_ sql: String) throws -> Decimal? { number(try execute("SELECT (\(sql))::numeric"), 0) }
        #expect(try decimal("'NaN'") == nil)
        #expect(try decimal("'1e1000'")?.isNaN == true)
        let third = try #require(try decimal("1::numeric(100, 90) / 3"))
        #expect(abs(third - Decimal(1) / 3) < Decimal(sign: .plus, exponent: -36, significand: 1))
        #expect(try execute("SELECT $1::text", [.decimal("NaN")]).text(0, 0) == "NaN")
    }

    @Test func arraysEqualTheServersText() throws {
        let uuid = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000ff"))
        let arrays: [[SQLArgument]] = [
            [.integer(1), .null, .integer(-3)], [.text("a"), .null, .text(""), .text("ü,\"")], [.real(0.5), .null],
            [.boolean(true), .null, .boolean(false)], [.uuid(uuid), .null],
            [.bytes(Data([255])), .bytes(Data()), .null], [.decimal("1.50"), .null, .decimal("1e4")], [],
        ]
        let rows = try execute(
            "SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text",
            arrays.map { .array($0) })
        let texts = try (0..<8).map { try rows.text(0, $0) }
        #expect(
            texts == [
                "{1,NULL,-3}", "{a,NULL,\"\",\"ü,\\\"\"}", "{0.5,NULL}", "{t,NULL,f}",
                "{00000000-0000-0000-0000-0000000000ff,NULL}", "{\"\\\\xff\",\"\\\\x\",NULL}", "{1.50,NULL,10000}",
                "{}",
            ])
    }

    /// Reading bytes that no server sends.
    @Test(.randomized) func randomBytesNeverTrap() {
        var generator = Seeds.generator()
        let codings: [PostgreSQLCoding] = [
            .integer(.bigint), .boolean, .double, .float, .date, .decimal, .string, .uri, .uuid, .data,
        ]
        for _ in 0..<400 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                generator.chance(3)
                    ? UInt8.random(in: 0...255, using: &generator) : UInt8.random(in: 0...2, using: &generator)
            }
            bytes.withUnsafeBytes { raw in
                for coding in codings { _ = coding.value(raw) }
            }
        }
    }
}
