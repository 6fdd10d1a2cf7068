import CLibPQ
package import Foundation
package import PostgreSQLValues

/// The rows of a statement's result, read from libpq's buffer without copying it.
///
/// Readers check the column's type and the value's length, and throw an error of kind `unexpectedAnswer` instead of
/// trapping if an index, type or length is wrong. They return `nil` for NULL. Rows may be read by several threads at
/// once.
package struct Rows: Sendable {
    /// Owns a result of libpq, which is immutable.
    private final class Storage: @unchecked Sendable {
        let result: OpaquePointer

        init(_ result: OpaquePointer) {
            self.result = result
        }

        deinit { PQclear(result) }
    }

    private let storage: Storage
    /// The types of the columns; `nil` for a type that the client does not know.
    private let types: [PostgreSQLType?]
    /// The number of rows.
    package let count: Int

    /// Takes ownership of a result.
    init(_ result: OpaquePointer) {
        storage = Storage(result)
        count = Int(PQntuples(result))
        types = (0..<PQnfields(result)).map { PostgreSQLType(rawValue: PQftype(result, $0)) }
    }

    package var columnCount: Int { types.count }

    /// The names of the columns.
    package var columnNames: [String] {
        (0..<Int32(types.count)).map { PQfname(storage.result, $0).map { String(cString: $0) } ?? "" }
    }

    /// The number of rows that an INSERT, UPDATE, DELETE or COPY affected, or a SELECT returned.
    package var affectedRows: Int { PQcmdTuples(storage.result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// Returns a column's type, or `nil` if the client does not know it or there is no such column.
    package func type(ofColumn column: Int) -> PostgreSQLType? { types.indices.contains(column) ? types[column] : nil }

    /// Returns whether a value is NULL or does not exist.
    package func isNull(_ row: Int, _ column: Int) -> Bool {
        guard contains(row, column) else { return true }
        return PQgetisnull(storage.result, Int32(row), Int32(column)) == 1
    }

    private func contains(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && row < count && column >= 0 && column < types.count
    }

    /// Returns a value's bytes in libpq's buffer, which are valid as long as these rows exist, or `nil` for NULL.
    private func raw(_ row: Int, _ column: Int) throws(PostgreSQLError) -> UnsafeRawBufferPointer? {
        guard contains(row, column) else {
            throw PostgreSQLError(
                .unexpectedAnswer,
                "the result has \(count) rows of \(types.count) columns, and none at row \(row), column \(column)")
        }
        let length = PQgetlength(storage.result, Int32(row), Int32(column))
        if length == 0, PQgetisnull(storage.result, Int32(row), Int32(column)) == 1 { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(storage.result, Int32(row), Int32(column)), count: Int(length))
    }

    /// Returns a value's bytes in libpq's buffer, which are valid as long as these rows exist, or `nil` for NULL and
    /// for a value that does not exist.
    package func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        guard row >= 0, row < count, column >= 0, column < types.count else { return nil }
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        let length = PQgetlength(storage.result, row, column)
        if length == 0, PQgetisnull(storage.result, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(storage.result, row, column), count: Int(length))
    }

    /// Calls a body with a value's bytes in libpq's buffer regardless of its type, or with `nil` for NULL.
    package func withBytes<Result>(
        _ row: Int, column: Int, body: (UnsafeRawBufferPointer?) throws -> Result
    ) throws -> Result {
        try withExtendedLifetime(storage) { try body(try raw(row, column)) }
    }

    /// Returns a value without copying it. The cell is valid as long as these rows exist.
    package func cell(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Cell {
        let bytes = try raw(row, column)
        return Cell(type: types[column], bytes: bytes)
    }

    /// Returns an integer from a `smallint`, `integer`, `bigint` or `oid`.
    package func int(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Int64? {
        try cell(row, column).int()
    }

    /// Returns a Boolean.
    package func bool(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Bool? {
        try cell(row, column).bool()
    }

    /// Returns a number from a `real` or `double precision`.
    package func double(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Double? {
        try cell(row, column).double()
    }

    /// Returns a decimal number, rounded to 38 digits.
    package func decimal(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Decimal? {
        try cell(row, column).decimal()
    }

    /// Returns a string.
    package func text(_ row: Int, _ column: Int) throws(PostgreSQLError) -> String? {
        try cell(row, column).text()
    }

    /// Returns a UUID.
    package func uuid(_ row: Int, _ column: Int) throws(PostgreSQLError) -> UUID? {
        try cell(row, column).uuid()
    }

    /// Returns the bytes of a `bytea`.
    package func data(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Data? {
        try cell(row, column).data()
    }

    /// Returns a point in time.
    package func date(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Date? {
        try cell(row, column).date()
    }

    /// Returns the elements of a `bigint[]`, such as keys that a statement aggregates.
    package func ints(_ row: Int, _ column: Int) throws(PostgreSQLError) -> [Int64?]? {
        try cell(row, column).ints()
    }
}
