import CLibPQ
package import Foundation
package import PostgreSQLValues

/// Writes the rows of a COPY in binary form.
///
/// After a row is begun, one value for each column of the COPY is appended, in the order of the columns and of exactly
/// their types.
package struct CopyWriter {
    /// The buffer size at which rows are passed to libpq.
    private static let chunkSize = 64 * 1024

    private let handle: OpaquePointer
    private let columns: Int
    private var writer = BinaryWriter()
    /// The number of values that the current row lacks.
    private var missing = 0
    /// The number of rows that were begun.
    package private(set) var rows = 0

    init(handle: OpaquePointer, columns: Int) {
        self.handle = handle
        self.columns = columns
        writer.reserve(Self.chunkSize + 4096)
        // The signature, no flags, and no extension of the header.
        for byte in Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] { writer.writeInteger(byte) }
        writer.writeInteger(UInt32(0))
        writer.writeInteger(UInt32(0))
    }

    /// Begins a row.
    ///
    /// - Throws: an error of kind `connectionLost`, or `invalidValue` if the previous row lacks values.
    package mutating func beginRow() throws(PostgreSQLError) {
        try checkRow()
        if writer.bytes.count >= Self.chunkSize { try flush() }
        writer.writeInteger(Int16(truncatingIfNeeded: columns))
        missing = columns
        rows += 1
    }

    private func checkRow() throws(PostgreSQLError) {
        guard missing == 0 else {
            throw PostgreSQLError(.invalidValue, "row \(rows) has \(columns - missing) values for \(columns) columns")
        }
    }

    /// Appends NULL.
    package mutating func appendNull() {
        missing -= 1
        writer.writeInteger(Int32(-1))
    }

    package mutating func append(_ value: Bool) {
        begin(length: 1)
        writer.write(value)
    }

    /// Appends a `smallint`.
    package mutating func append(_ value: Int16) {
        begin(length: 2)
        writer.writeInteger(value)
    }

    /// Appends an `integer`.
    package mutating func append(_ value: Int32) {
        begin(length: 4)
        writer.writeInteger(value)
    }

    /// Appends a `bigint`.
    package mutating func append(_ value: Int64) {
        begin(length: 8)
        writer.write(value)
    }

    /// Appends a `double precision`.
    package mutating func append(_ value: Double) {
        begin(length: 8)
        writer.write(value)
    }

    package mutating func append(_ value: UUID) {
        begin(length: 16)
        writer.write(value)
    }

    /// Appends a `bytea`.
    package mutating func append(_ value: Data) {
        begin(length: Int32(truncatingIfNeeded: value.count))
        writer.write(value)
    }

    /// Appends a `text`.
    ///
    /// - Throws: an error of kind `invalidValue` if the string contains a NUL character.
    package mutating func append(_ value: String) throws(PostgreSQLError) {
        missing -= 1
        try writer.writeField(value) { (writer, value) throws(PostgreSQLError) in try writer.write(value) }
    }

    /// Appends a value of any type.
    ///
    /// - Throws: an error of kind `invalidValue` if the server cannot store the value.
    package mutating func append(_ value: PostgreSQLValue) throws(PostgreSQLError) {
        guard !value.isNull else { return appendNull() }
        missing -= 1
        try writer.writeField(value) { (writer, value) throws(PostgreSQLError) in try value.encode(into: &writer) }
    }

    private mutating func begin(length: Int32) {
        missing -= 1
        writer.writeInteger(length)
    }

    /// Writes the trailer, and passes everything to libpq.
    mutating func finish() throws(PostgreSQLError) {
        try checkRow()
        writer.writeInteger(Int16(-1))
        try flush()
    }

    /// Passes rows that are already in the binary format to libpq.
    mutating func write(_ rows: [UInt8]) throws(PostgreSQLError) {
        try flush()
        try put(rows)
    }

    private mutating func flush() throws(PostgreSQLError) {
        try put(writer.bytes)
        writer.removeAll()
    }

    /// Passes bytes to libpq, in parts that it accepts: their size is an `Int32`, and a message has at most 1 GB. Parts need
    /// not end with a row.
    private func put(_ bytes: [UInt8]) throws(PostgreSQLError) {
        let isSent = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: Self.maximumPart).allSatisfy { start in
                let end = min(start + Self.maximumPart, bytes.count)
                return UnsafeRawBufferPointer(rebasing: bytes[start..<end]).withMemoryRebound(to: CChar.self) {
                    PQputCopyData(handle, $0.baseAddress, Int32($0.count)) == 1
                }
            }
        }
        guard isSent else { throw PostgreSQLError(connection: handle, kind: .connectionLost) }
    }

    private static let maximumPart = 64 << 20
}

extension PostgreSQLConnection {
    /// Executes a `COPY … FROM STDIN (FORMAT binary)`, in two round trips, and returns the number of rows that were stored.
    ///
    /// - Parameters:
    ///   - sql: the statement, with its names quoted.
    ///   - columns: the number of columns.
    ///   - body: writes the rows. If it throws, nothing is stored.
    /// - Throws: the error of the body, or the server's error, such as a unique violation.
    @discardableResult
    package func copyIn(
        _ sql: String, columns: Int, _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        try copy(sql) {
            var writer = CopyWriter(handle: handle, columns: columns)
            try body(&writer)
            try writer.finish()
        }
    }

    /// Executes a `COPY … FROM STDIN (FORMAT binary)` with rows that are already in the binary format.
    ///
    /// - Parameters:
    ///   - sql: the statement, with its names quoted.
    ///   - rows: returns the next rows, each with its number of columns, lengths and values, or `nil` at the end. If it
    ///     throws, nothing is stored.
    package func copyIn(_ sql: String, rows: () throws -> [UInt8]?) throws {
        _ = try copy(sql) {
            var writer = CopyWriter(handle: handle, columns: 0)
            while let next = try rows() { try writer.write(next) }
            try writer.finish()
        }
    }

    private func copy(_ sql: String, _ body: () throws -> Void) throws -> Int {
        guard !isBroken else { throw PostgreSQLError(connection: handle, kind: .connectionLost) }
        roundTrips += 1
        guard let start = PQexec(handle, sql) else { throw PostgreSQLError(connection: handle, kind: .connectionLost) }
        defer { PQclear(start) }
        guard PQresultStatus(start) == PGRES_COPY_IN else {
            guard PQresultStatus(start) == PGRES_FATAL_ERROR else {
                abandon()
                throw PostgreSQLError(.unexpectedAnswer, "the statement is not a COPY FROM STDIN")
            }
            throw PostgreSQLError(result: start, connection: handle)
        }
        roundTrips += 1
        do {
            try body()
        } catch {
            _ = PQputCopyEnd(handle, "the client ended the copy because of an error")
            _ = nextResult()
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw PostgreSQLError(connection: handle, kind: .connectionLost) }
        return try nextResult().get().affectedRows
    }
}
