internal import CoreData
internal import PostgreSQLSchema

/// Rows in the binary format of COPY, or elements of arrays, which have the same form: a length and bytes.
struct PostgreSQLRowBuffer {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Begins a row with a number of values.
    mutating func beginRow(columns: Int) { append(raw: Int16(truncatingIfNeeded: columns)) }

    mutating func appendNull() { append(raw: Int32(-1)) }

    /// Appends a value; `nil` for null.
    mutating func append(_ value: UnsafeRawBufferPointer?) {
        guard let value else { return appendNull() }
        append(raw: Int32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends an integer with the size of its type.
    mutating func append(_ number: some FixedWidthInteger) {
        append(raw: Int32(number.bitWidth / 8))
        append(raw: number)
    }

    /// Appends a value with its length.
    mutating func append(_ value: [UInt8]) {
        append(raw: Int32(truncatingIfNeeded: value.count))
        bytes += value
    }

    /// Appends a string in UTF-8.
    ///
    /// - Returns: Whether the string was appended; `false` if it contains a NUL character, which servers reject.
    mutating func append(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            if utf8.contains(0) { return false }
            append(UnsafeRawBufferPointer(utf8))
            return true
        }
    }

    private mutating func append(raw number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
