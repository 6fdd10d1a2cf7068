import CPQReference
import Foundation

/// libpq with the least work around it.
final class ReferenceConnection {
    private let connection: OpaquePointer?

    init(_ conninfo: String) throws {
        connection = PQconnectdb(conninfo)
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        guard PQstatus(connection) == CONNECTION_OK else {
            throw CommandFailure(description: String(cString: PQerrorMessage(connection)))
        }
    }

    deinit { PQfinish(connection) }

    /// Throws if a result is an error.
    @discardableResult
    private func check(_ result: OpaquePointer?) throws -> OpaquePointer? {
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_COPY_IN else {
            PQclear(result)
            throw CommandFailure(description: String(cString: PQerrorMessage(connection)))
        }
        return result
    }

    /// Runs statements.
    func run(_ sql: String) throws { PQclear(try check(PQexec(connection, sql))) }

    /// Returns the first value of a query as text.
    func text(_ sql: String) throws -> String {
        let result = try check(PQexec(connection, sql))
        defer { PQclear(result) }
        return String(cString: PQgetvalue(result, 0, 0))
    }

    /// Sends rows with COPY, in the binary format.
    ///
    /// - Parameter row: Writes the fields of a row, each after its length.
    func copy(_ target: String, columns: Int, rows: Int, row: (Int, inout [UInt8]) -> Void) throws {
        PQclear(try check(PQexec(connection, "COPY \(target) FROM STDIN (FORMAT binary)")))
        var buffer: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [0, 0, 0, 0, 0, 0, 0, 0]
        func send() throws {
            let sent = buffer.withUnsafeBytes {
                PQputCopyData(connection, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
            }
            guard sent == 1 else { throw CommandFailure(description: String(cString: PQerrorMessage(connection))) }
            buffer.removeAll(keepingCapacity: true)
        }
        for number in 0..<rows {
            Wire.append(Int16(columns), to: &buffer)
            row(number, &buffer)
            if buffer.count > 65_536 { try send() }
        }
        Wire.append(Int16(-1), to: &buffer)
        try send()
        guard PQputCopyEnd(connection, nil) == 1 else {
            throw CommandFailure(description: String(cString: PQerrorMessage(connection)))
        }
        while let result = PQgetResult(connection) { PQclear(try check(result)) }
    }

    /// Prepares a statement.
    func prepare(_ name: String, _ sql: String) throws { PQclear(try check(PQprepare(connection, name, sql, 0, nil))) }

    /// Runs a prepared statement with binary parameters and results.
    ///
    /// - Parameter read: Gets the result, which is gone afterwards.
    func execute(_ name: String, _ parameters: [[UInt8]], read: (OpaquePointer?) throws -> Void = { _ in }) throws {
        let lengths = parameters.map { Int32($0.count) }
        let formats = parameters.map { _ in Int32(1) }
        var flat: [UInt8] = []
        var places: [Int] = []
        for parameter in parameters {
            places.append(flat.count)
            flat += parameter + [0]
        }
        let result = flat.withUnsafeBufferPointer { bytes in
            let values = places.map { place in
                bytes.baseAddress.map { UnsafeRawPointer($0 + place).assumingMemoryBound(to: CChar.self) }
            }
            return PQexecPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 1)
        }
        try check(result)
        defer { PQclear(result) }
        try read(result)
    }
}

/// Numbers and texts as the server's binary format has them.
enum Wire {
    /// The bytes of a number.
    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }

    /// Appends a number without a length.
    static func append(_ number: some FixedWidthInteger, to buffer: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { buffer.append(contentsOf: $0) }
    }

    /// Appends a number after its length.
    static func appendField(_ number: some FixedWidthInteger, to buffer: inout [UInt8]) {
        append(Int32(number.bitWidth / 8), to: &buffer)
        append(number, to: &buffer)
    }

    /// Appends a text after its length.
    static func appendField(_ text: String, to buffer: inout [UInt8]) {
        append(Int32(text.utf8.count), to: &buffer)
        buffer.append(contentsOf: text.utf8)
    }

    /// The number in a field.
    static func number(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> Int64 {
        guard let start = PQgetvalue(result, row, column) else { return 0 }
        return Int64(bigEndian: UnsafeRawPointer(start).loadUnaligned(as: Int64.self))
    }

    /// The text in a field.
    static func text(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> String {
        guard let start = PQgetvalue(result, row, column) else { return "" }
        let count = Int(PQgetlength(result, row, column))
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
