import CLibPQ

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
    /// The object identifiers of the columns' types.
    private let types: [UInt32]
    /// The number of rows.
    package let count: Int

    /// Takes ownership of a result.
    init(_ result: OpaquePointer) {
        storage = Storage(result)
        count = Int(PQntuples(result))
        types = (0..<PQnfields(result)).map { PQftype(result, $0) }
    }

    /// The number of rows that an INSERT, UPDATE, DELETE or COPY affected, or a SELECT returned.
    package var affectedRows: Int { PQcmdTuples(storage.result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// Returns the object identifier of a column's type, or zero if there is no such column.
    package func type(ofColumn column: Int) -> UInt32 { types.indices.contains(column) ? types[column] : 0 }

    /// Returns a value's bytes in libpq's buffer, which are valid as long as these rows exist, or `nil` for NULL and
    /// for a value that does not exist.
    package func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        guard row >= 0, row < count, types.indices.contains(column) else { return nil }
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        let length = PQgetlength(storage.result, row, column)
        if length == 0, PQgetisnull(storage.result, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(storage.result, row, column), count: Int(length))
    }

    /// Returns an integer from a `smallint`, `integer`, `bigint` or `oid`.
    package func int(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Int64? {
        guard let raw = try checkedBytes(row, column) else { return nil }
        switch (type(ofColumn: column), raw.count) {
        case (PostgreSQLValue.TypeNumber.int8, 8): return Int64(bigEndian: raw.loadUnaligned(as: Int64.self))
        case (PostgreSQLValue.TypeNumber.int4, 4): return Int64(Int32(bigEndian: raw.loadUnaligned(as: Int32.self)))
        case (PostgreSQLValue.TypeNumber.int2, 2): return Int64(Int16(bigEndian: raw.loadUnaligned(as: Int16.self)))
        case (PostgreSQLValue.TypeNumber.oid, 4): return Int64(UInt32(bigEndian: raw.loadUnaligned(as: UInt32.self)))
        default: throw mismatch(column, "an integer")
        }
    }

    /// Returns a string from a `text`, `name`, `character` or `character varying`.
    package func text(_ row: Int, _ column: Int) throws(PostgreSQLError) -> String? {
        guard let raw = try checkedBytes(row, column) else { return nil }
        guard PostgreSQLValue.TypeNumber.texts.contains(type(ofColumn: column)) else { throw mismatch(column, "text") }
        return String(decoding: raw, as: UTF8.self)
    }

    private func checkedBytes(_ row: Int, _ column: Int) throws(PostgreSQLError) -> UnsafeRawBufferPointer? {
        guard row >= 0, row < count, types.indices.contains(column) else {
            throw PostgreSQLError(
                .unexpectedAnswer,
                "the result has \(count) rows of \(types.count) columns, and none at row \(row), column \(column)")
        }
        return bytes(row, column)
    }

    private func mismatch(_ column: Int, _ expected: String) -> PostgreSQLError {
        PostgreSQLError(
            .unexpectedAnswer, "the server returned the type \(types[column]) where \(expected) is expected")
    }
}
