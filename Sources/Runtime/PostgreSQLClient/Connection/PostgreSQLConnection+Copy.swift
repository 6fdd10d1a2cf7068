import CLibPQ

extension PostgreSQLConnection {
    /// Executes a `COPY … FROM STDIN (FORMAT binary)`, in two round trips, and returns the number of rows that were
    /// stored.
    ///
    /// - Parameters:
    ///   - sql: The statement, with its names quoted.
    ///   - rows: Returns the next rows in the binary format, each with its number of columns, lengths and values, or
    ///     `nil` at the end. If it throws, nothing is stored.
    /// - Throws: The error of the closure, or the server's error, such as a unique violation.
    @discardableResult
    package func copyIn(_ sql: String, rows: () throws -> [UInt8]?) throws -> Int {
        try copy(sql) {
            // The signature, no flags, and no extension of the header.
            try put(Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8))
            while let next = try rows() { try put(next) }
            // The trailer.
            try put([0xFF, 0xFF])
        }
    }

    /// Passes bytes to libpq, in parts that it accepts: their size is an `Int32`, and a message has at most 1 GB. Parts
    /// need not end with a row.
    private func put(_ bytes: [UInt8]) throws(PostgreSQLError) {
        let maximum = 64 << 20
        let isSent = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: maximum).allSatisfy { start in
                let end = min(start + maximum, bytes.count)
                return UnsafeRawBufferPointer(rebasing: bytes[start..<end]).withMemoryRebound(to: CChar.self) {
                    PQputCopyData(handle, $0.baseAddress, Int32($0.count)) == 1
                }
            }
        }
        guard isSent else { throw PostgreSQLError(connection: handle, kind: .connectionLost) }
    }

    private func copy(_ sql: String, _ body: () throws -> Void) throws -> Int {
        guard !isBroken else { throw PostgreSQLError(connection: handle, kind: .connectionLost) }
        let start = observer == nil ? 0 : ClientObserver.now
        defer { observer?.roundTripEnded([sql], start: start) }
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
