import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import PostgreSQLValues
import TestSupport
import Testing

/// The binary form of values, compared with the server's text form.
@Suite(.needsPostgreSQL) struct BinaryValueTests {
    private let connection: PostgreSQLConnection

    init() throws { connection = try PostgreSQLConnection(PostgreSQLCluster.shared.get().parameters()) }

    @Test func valuesRoundTrip() throws {
        let date = Date(timeIntervalSinceReferenceDate: 123_456_789.123456)
        let uuid = UUID()
        let rows = try connection.execute(
            "SELECT $1::bool, $2::int8, $3::float8, $4::numeric, $5::text, $6::uuid, $7::bytea, $8::timestamptz, $9::int8",
            [
                .bool(true), .int(.min), .double(-0.1), .numeric(try #require(Decimal(string: "-12345.0678"))),
                .text("ä\u{1F600}"), .uuid(uuid), .bytes(Data([0, 1, 255])), .timestamp(date), .null(.int8),
            ])
        #expect(try rows.bool(0, 0) == true)
        #expect(try rows.int(0, 1) == .min)
        #expect(try rows.double(0, 2) == -0.1)
        #expect(try rows.decimal(0, 3) == Decimal(string: "-12345.0678"))
        #expect(try rows.text(0, 4) == "ä\u{1F600}")
        #expect(try rows.uuid(0, 5) == uuid)
        #expect(try rows.data(0, 6) == Data([0, 1, 255]))
        #expect(abs(try #require(try rows.date(0, 7)).timeIntervalSince(date)) < 0.000_001)
        #expect(try rows.int(0, 8) == nil && rows.isNull(0, 8))
    }

    @Test func emptyTextAndDataAreNotNull() throws {
        let rows = try connection.execute("SELECT $1::text, $2::bytea", [.text(""), .bytes(Data())])
        #expect(try rows.text(0, 0)?.isEmpty == true)
        #expect(try rows.data(0, 1)?.isEmpty == true)
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
            let rows = try connection.execute(
                "SELECT $1 = ($2::text)::numeric, ($2::text)::numeric, $1", [.numeric(decimal), .text(text)])
            #expect(try rows.bool(0, 0) == true, "\(text)")
            #expect(try rows.decimal(0, 1) == decimal, "\(text)")
            #expect(try rows.decimal(0, 2) == decimal, "\(text)")
        }
    }

    @Test func numbersBeyondDecimalAreRoundedOrNotANumber() throws {
        func decimal(_ sql: String) throws -> Decimal? {
            try connection.execute("SELECT (\(sql))::numeric").decimal(0, 0)
        }
        #expect(try decimal("'NaN'")?.isNaN == true)
        #expect(try decimal("'1e1000'")?.isNaN == true)
        let third = try #require(try decimal("1::numeric(100, 90) / 3"))
        #expect(abs(third - Decimal(1) / 3) < Decimal(sign: .plus, exponent: -36, significand: 1))
        #expect(try connection.execute("SELECT $1::text", [.numeric(.nan)]).columnCount == 1)
    }

    @Test(.randomized) func datesEqualTheServersText() throws {
        var generator = Seeds.generator()
        for _ in 0..<200 {
            let seconds = Double(Int.random(in: -60_000_000_000...60_000_000_000, using: &generator))
            let micros = Int.random(in: 0..<1_000_000, using: &generator)
            let date = Date(timeIntervalSinceReferenceDate: seconds + Double(micros) / 1_000_000)
            let rows = try connection.execute(
                "SELECT $1, extract(epoch FROM $1 - timestamptz '2001-01-01 00:00:00Z')::float8", [.timestamp(date)])
            #expect(abs(try #require(try rows.date(0, 0)).timeIntervalSince(date)) <= 0.000_008)
            #expect(abs(try #require(try rows.double(0, 1)) - date.timeIntervalSinceReferenceDate) <= 0.000_008)
        }
        let wholeSecond = Date(timeIntervalSinceReferenceDate: -1)
        #expect(try connection.execute("SELECT $1", [.timestamp(wholeSecond)]).date(0, 0) == wholeSecond)
        let forever = Date(timeIntervalSinceReferenceDate: .infinity)
        #expect(try connection.execute("SELECT $1 = 'infinity', $1", [.timestamp(forever)]).bool(0, 0) == true)
    }

    @Test(arguments: [1e18, -1e18, 1e300, .nan, 9.3e12, -2.2e11])
    func dateOutOfRangeIsAnError(seconds: Double) throws {
        #expect {
            try connection.execute("SELECT $1", [.timestamp(Date(timeIntervalSinceReferenceDate: seconds))])
        } throws: {
            ($0 as? PostgreSQLError)?.kind == .invalidValue
        }
        #expect(connection.roundTrips == 0)
    }

    @Test func textWithNULIsAnErrorAndNothingIsSent() throws {
        for value in [PostgreSQLValue.text("a\0b"), .texts(["a", "\0"])] {
            #expect {
                try connection.pipeline([Statement("SELECT 1"), Statement("SELECT $1", [value])])
            } throws: {
                ($0 as? PostgreSQLError)?.kind == .invalidValue
            }
        }
        #expect(connection.roundTrips == 0)
    }

    @Test func arraysEqualTheServersText() throws {
        let uuid = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000ff"))
        let rows = try connection.execute(
            "SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text",
            [
                .ints([1, nil, -3]), .texts(["a", nil, "", "ü,\""]), .doubles([0.5, nil]), .bools([true, nil, false]),
                .uuids([uuid, nil]), .byteArrays([Data([255]), Data(), nil]),
                .numerics([Decimal(string: "1.50"), nil, 10_000]), .ints([]),
                .timestamps([Date(timeIntervalSinceReferenceDate: 0), nil]),
            ])
        let texts = try (0..<8).map { try rows.text(0, $0) }
        #expect(
            texts == [
                "{1,NULL,-3}", "{a,NULL,\"\",\"ü,\\\"\"}", "{0.5,NULL}", "{t,NULL,f}",
                "{00000000-0000-0000-0000-0000000000ff,NULL}", "{\"\\\\xff\",\"\\\\x\",NULL}", "{1.5,NULL,10000}", "{}",
            ])
        #expect(try rows.text(0, 8)?.contains("2001-01-01") == true || rows.text(0, 8)?.contains("2000-12-31") == true)
        #expect(try connection.execute("SELECT $1", [.ints([4, nil])]).ints(0, 0) == [4, nil])
        #expect(try connection.execute("SELECT $1", [.ints([])]).ints(0, 0) == [])
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
        let rows = try connection.execute("SELECT 'x'::text, 1::int4, point(1, 2), 1::int2, 1.5::float4")
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
        #expect(isRejected { _ = try rows.double(0, 2) })
        #expect(isRejected { _ = try rows.date(0, 1) })
        #expect(isRejected { _ = try rows.uuid(0, 0) })
        for (row, column) in [(1, 0), (-1, 0), (0, 5), (0, -1), (.max, .max)] {
            #expect(isRejected { _ = try rows.int(row, column) })
            #expect(rows.isNull(row, column))
        }
        #expect(try rows.int(0, 1) == 1 && rows.int(0, 3) == 1 && rows.double(0, 4) == 1.5)
        #expect(rows.columnNames.count == 5 && rows.type(ofColumn: 2) == nil && rows.type(ofColumn: 9) == nil)
    }
}

/// Reading bytes that no server sends.
@Suite struct CellTests {
    @Test(.randomized) func randomBytesNeverTrap() {
        var generator = Seeds.generator()
        for _ in 0..<400 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                generator.chance(3)
                    ? UInt8.random(in: 0...255, using: &generator) : UInt8.random(in: 0...2, using: &generator)
            }
            for type in PostgreSQLType.allCases + [nil] {
                bytes.withUnsafeBytes { raw in
                    let cell = Cell(type: type, bytes: raw)
                    _ = try? cell.int()
                    _ = try? cell.bool()
                    _ = try? cell.double()
                    _ = try? cell.decimal()
                    _ = try? cell.text()
                    _ = try? cell.uuid()
                    _ = try? cell.data()
                    _ = try? cell.date()
                    _ = try? cell.ints()
                }
            }
        }
    }
}
