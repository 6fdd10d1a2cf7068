/// The binary form of arrays.
enum ArrayCoding {
    /// Returns the elements of a one-dimensional `bigint[]`, or `nil` for bytes that are not one.
    static func integers(_ raw: UnsafeRawBufferPointer) -> [Int64?]? {
        func field(_ offset: Int) -> Int32? {
            guard offset + 4 <= raw.count else { return nil }
            return Int32(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        }
        guard let dimensions = field(0), field(8) == Int32(PostgreSQLType.int8.rawValue) else { return nil }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count = field(12), count >= 0, Int(count) <= raw.count / 4 else { return nil }
        var values: [Int64?] = []
        values.reserveCapacity(Int(count))
        var offset = 20
        for _ in 0..<count {
            guard let length = field(offset) else { return nil }
            offset += 4
            if length == -1 {
                values.append(nil)
                continue
            }
            guard length == 8, offset + 8 <= raw.count else { return nil }
            values.append(Int64(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int64.self)))
            offset += 8
        }
        return offset == raw.count ? values : nil
    }
}
