package import Foundation

/// A value of a result in binary form, which remains in the client's buffer.
///
/// Readers check the type and the length, and throw an error of kind `unexpectedAnswer` instead of trapping. They
/// return `nil` for NULL. A cell is valid as long as the rows that it belongs to exist.
package struct Cell {
    /// The column's type, or `nil` if the client does not know it.
    package let type: PostgreSQLType?
    /// The value's bytes, or `nil` for NULL.
    package let bytes: UnsafeRawBufferPointer?

    /// Creates a cell from bytes that the caller keeps valid.
    package init(type: PostgreSQLType?, bytes: UnsafeRawBufferPointer?) {
        self.type = type
        self.bytes = bytes
    }

    private func mismatch(_ expected: String) -> PostgreSQLError {
        PostgreSQLError(
            .unexpectedAnswer,
            "the server returned \(type?.sqlName ?? "an unknown type") (\(bytes?.count ?? 0) bytes) where \(expected) is expected"
        )
    }

    /// Returns an integer from a `smallint`, `integer`, `bigint` or `oid`.
    package func int() throws(PostgreSQLError) -> Int64? {
        guard let raw = bytes else { return nil }
        switch (type, raw.count) {
        case (.int8, 8): return Int64(bigEndian: raw.loadUnaligned(as: Int64.self))
        case (.int4, 4): return Int64(Int32(bigEndian: raw.loadUnaligned(as: Int32.self)))
        case (.int2, 2): return Int64(Int16(bigEndian: raw.loadUnaligned(as: Int16.self)))
        case (.oid, 4): return Int64(UInt32(bigEndian: raw.loadUnaligned(as: UInt32.self)))
        default: throw mismatch("an integer")
        }
    }

    /// Returns a Boolean.
    package func bool() throws(PostgreSQLError) -> Bool? {
        guard let raw = bytes else { return nil }
        guard type == .bool, raw.count == 1 else { throw mismatch("boolean") }
        return raw[0] != 0
    }

    /// Returns a number from a `real` or `double precision`.
    package func double() throws(PostgreSQLError) -> Double? {
        guard let raw = bytes else { return nil }
        switch (type, raw.count) {
        case (.float8, 8): return Double(bitPattern: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)))
        case (.float4, 4): return Double(Float(bitPattern: UInt32(bigEndian: raw.loadUnaligned(as: UInt32.self))))
        default: throw mismatch("a floating-point number")
        }
    }

    /// Returns a decimal number, rounded to 38 digits.
    package func decimal() throws(PostgreSQLError) -> Decimal? {
        guard let raw = bytes else { return nil }
        guard type == .numeric, let value = NumericCoding.decimal(raw) else {
            throw mismatch("numeric")
        }
        return value
    }

    /// Returns a string.
    package func text() throws(PostgreSQLError) -> String? {
        guard let raw = bytes else { return nil }
        switch type {
        case .text, .varchar, .bpchar, .name: return String(decoding: raw, as: UTF8.self)
        default: throw mismatch("text")
        }
    }

    /// Returns a UUID.
    package func uuid() throws(PostgreSQLError) -> UUID? {
        guard let raw = bytes else { return nil }
        guard type == .uuid, raw.count == 16 else { throw mismatch("uuid") }
        return UUID(uuid: raw.loadUnaligned(as: uuid_t.self))
    }

    /// Returns the bytes of a `bytea`.
    package func data() throws(PostgreSQLError) -> Data? {
        guard let raw = bytes else { return nil }
        guard type == .bytea else { throw mismatch("bytea") }
        return Data(raw)
    }

    /// Returns a point in time.
    package func date() throws(PostgreSQLError) -> Date? {
        guard let raw = bytes else { return nil }
        guard type == .timestamptz, raw.count == 8 else {
            throw mismatch("timestamp with time zone")
        }
        return TimestampCoding.date(microseconds: Int64(bigEndian: raw.loadUnaligned(as: Int64.self)))
    }

    /// Returns the elements of a `bigint[]`, such as keys that a statement aggregates.
    package func ints() throws(PostgreSQLError) -> [Int64?]? {
        guard let raw = bytes else { return nil }
        guard type == .int8Array, let values = ArrayCoding.integers(raw) else {
            throw mismatch("bigint[]")
        }
        return values
    }
}
