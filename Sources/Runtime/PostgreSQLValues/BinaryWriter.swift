package import Foundation

/// Writes values in the binary form of PostgreSQL's protocol: big-endian, without lengths unless stated.
package struct BinaryWriter {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Writes an integer.
    package mutating func writeInteger(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ raw: UnsafeRawBufferPointer) { bytes.append(contentsOf: raw) }

    package mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }

    package mutating func write(_ value: Int64) { writeInteger(value) }

    package mutating func write(_ value: Double) { writeInteger(value.bitPattern) }

    /// Writes a string.
    ///
    /// - Throws: an error of kind `invalidValue` if it contains a NUL character, which PostgreSQL cannot store.
    package mutating func write(_ value: String) throws(PostgreSQLError) {
        let start = bytes.count
        bytes.append(contentsOf: value.utf8)
        let hasNUL = bytes.withUnsafeBytes { raw in
            guard raw.count > start, let base = raw.baseAddress else { return false }
            return memchr(base + start, 0, raw.count - start) != nil
        }
        if hasNUL {
            throw PostgreSQLError(
                .invalidValue,
                "the text contains a NUL character (U+0000), which PostgreSQL cannot store; remove it, or use a binary attribute"
            )
        }
    }

    package mutating func write(_ value: UUID) {
        withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ value: Data) { bytes.append(contentsOf: value) }

    /// Writes a date as microseconds since 2000-01-01.
    ///
    /// - Throws: an error of kind `invalidValue` if the date is not a number, or outside of the range of `timestamptz`.
    package mutating func write(_ value: Date) throws(PostgreSQLError) {
        writeInteger(try TimestampCoding.microseconds(of: value))
    }

    package mutating func write(_ value: Decimal) { NumericCoding.write(value, to: &self) }

    /// Writes a one-dimensional array.
    package mutating func writeArray<Element>(
        _ values: [Element?], of type: PostgreSQLType,
        _ element: (inout BinaryWriter, Element) throws(PostgreSQLError) -> Void
    ) throws(PostgreSQLError) {
        writeInteger(Int32(values.isEmpty ? 0 : 1))
        writeInteger(Int32(values.contains { $0 == nil } ? 1 : 0))
        writeInteger(type.rawValue)
        guard !values.isEmpty else { return }
        writeInteger(Int32(truncatingIfNeeded: values.count))
        writeInteger(Int32(1))
        for value in values { try writeField(value, element) }
    }

    /// Writes the length of a value followed by the value, or the length −1 for NULL.
    package mutating func writeField<Element>(
        _ value: Element?, _ element: (inout BinaryWriter, Element) throws(PostgreSQLError) -> Void
    ) throws(PostgreSQLError) {
        guard let value else {
            writeInteger(Int32(-1))
            return
        }
        let position = bytes.count
        writeInteger(Int32(0))
        try element(&self, value)
        let length = Int32(truncatingIfNeeded: bytes.count - position - 4)
        withUnsafeBytes(of: length.bigEndian) { raw in
            for index in 0..<4 { bytes[position + index] = raw[index] }
        }
    }
}
