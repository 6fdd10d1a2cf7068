package import PostgreSQLClient

/// Returns a row for a COPY in the binary format.
package func copyRow(_ values: [PostgreSQLValue]) -> [UInt8] {
    func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    return values.reduce(bytes(Int16(values.count))) { row, value in
        row + bytes(Int32(value.bytes?.count ?? -1)) + (value.bytes ?? [])
    }
}
