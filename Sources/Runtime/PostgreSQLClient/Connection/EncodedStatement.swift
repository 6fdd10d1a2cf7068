/// A statement whose values are encoded for the protocol.
struct EncodedStatement {
    /// The number of parameters that the protocol's 16-bit count allows.
    private static let parameterLimit = 65_535

    let statement: Statement
    let types: [UInt32]
    private let bytes: [UInt8]
    /// The offset of each value in `bytes`, or `nil` for NULL.
    private let offsets: [Int?]
    private let lengths: [Int32]

    /// Encodes the values.
    ///
    /// - Throws: An error of kind `invalidValue` for a value that is too large, or too many values.
    init(_ statement: Statement) throws(PostgreSQLError) {
        guard statement.values.count <= Self.parameterLimit else {
            throw PostgreSQLError(
                .invalidValue, "a statement has \(statement.values.count) parameters; at most 65535 are possible")
        }
        guard !statement.sql.utf8.contains(0) else {
            throw PostgreSQLError(.invalidValue, "the text of a statement contains a NUL character")
        }
        self.statement = statement
        types = statement.values.map(\.type)
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        for value in statement.values {
            offsets.append(value.bytes == nil ? nil : bytes.count)
            bytes += value.bytes ?? []
            guard let length = Int32(exactly: value.bytes?.count ?? 0) else {
                throw PostgreSQLError(.invalidValue, "a value has more than 2 GB, which PostgreSQL cannot receive")
            }
            lengths.append(length)
        }
        self.bytes = bytes
        self.offsets = offsets
        self.lengths = lengths
    }

    /// Calls a body with the values, lengths and formats as libpq expects them.
    func withArguments<Result>(
        _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        // An empty array has no address, but an empty value must not look like NULL.
        let storage = bytes.isEmpty ? [0] : bytes
        return storage.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { buffer in
                let values = offsets.map { offset in offset.flatMap { buffer.baseAddress?.advanced(by: $0) } }
                return body(
                    Int32(offsets.count), values, lengths, [Int32](repeating: 1, count: offsets.count))
            }
        }
    }
}
