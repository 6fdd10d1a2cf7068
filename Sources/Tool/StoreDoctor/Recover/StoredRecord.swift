internal import CoreData

/// The values of a row, as SQLite stores them.
struct StoredRecord {
    /// The serial types of the columns.
    var types: [Int]
    var values: [StoreContents.Value]

    /// Reads a record.
    ///
    /// - Returns: `nil` if the bytes are no record of exactly this length.
    init?(_ payload: [UInt8]) {
        guard let (headerSize, start) = Varint.read(payload, at: 0), headerSize >= start, headerSize <= payload.count
        else { return nil }
        var types: [Int] = []
        var offset = start
        while offset < headerSize {
            guard let (type, count) = Varint.read(payload, at: offset), type != 10, type != 11, types.count < 32_767
            else { return nil }
            types.append(type)
            offset += count
        }
        guard offset == headerSize else { return nil }
        self.init(types: types, payload, at: headerSize)
        guard payload.count == headerSize + types.reduce(0, { $0 + Self.size($1) }) else { return nil }
    }

    /// Reads the values of known types.
    ///
    /// - Returns: `nil` if they do not fit the bytes.
    init?(types: [Int], _ bytes: [UInt8], at start: Int) {
        self.types = types
        values = []
        var offset = start
        for type in types {
            let size = Self.size(type)
            guard size <= bytes.count - offset else { return nil }
            values.append(Self.value(type, bytes[offset..<(offset + size)]))
            offset += size
        }
    }

    /// Returns the number of bytes of a value.
    static func size(_ type: Int) -> Int {
        switch type {
        case 1...4: type
        case 5: 6
        case 6, 7: 8
        case 12...: (type - 12) / 2
        default: 0
        }
    }

    private static func value(_ type: Int, _ bytes: ArraySlice<UInt8>) -> StoreContents.Value {
        switch type {
        case 1...6:
            let negative = (bytes.first ?? 0) >= 0x80
            return .integer(bytes.reduce(negative ? -1 : 0) { $0 << 8 | Int64($1) })
        case 7: return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 12...: return type % 2 == 0 ? .bytes(Array(bytes)) : .text(Array(bytes))
        default: return .null
        }
    }
}

/// Variable-length integers.
enum Varint {
    /// Reads a number; `nil` for one that is cut off, negative, or too large for any length.
    static func read(_ bytes: [UInt8], at offset: Int) -> (value: Int, count: Int)? {
        guard let (value, count) = readInteger(bytes, at: offset), value >= 0, value <= Int64(Int32.max) else {
            return nil
        }
        return (Int(value), count)
    }

    /// Reads a number of 64 bits.
    static func readInteger(_ bytes: [UInt8], at offset: Int) -> (value: Int64, count: Int)? {
        var value: UInt64 = 0
        for count in 0..<9 {
            guard offset >= 0, offset + count < bytes.count else { return nil }
            let byte = bytes[offset + count]
            if count == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), 9) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return (Int64(bitPattern: value), count + 1) }
        }
        return nil
    }

    /// Returns the number of bytes that a number takes.
    static func size(_ value: Int) -> Int {
        var (size, rest) = (1, value >> 7)
        while rest > 0, size < 9 { (size, rest) = (size + 1, rest >> 7) }
        return size
    }
}

/// A row in a leaf page of a table.
struct LeafCell {
    var key: Int64
    var record: StoredRecord
    /// The number of bytes of the cell in its page.
    var size: Int
    /// Whether a part of the record is in other pages.
    var overflows: Bool
}

extension PageFile {
    /// The type of the leaf pages of tables.
    static let leafType: UInt8 = 0x0D
    /// The type of the inner pages of tables.
    static let innerType: UInt8 = 0x05

    /// Returns the offsets of the cells of a page, and the offset of the page's header.
    func cells(_ page: [UInt8], number: Int) -> (header: Int, offsets: [Int])? {
        let header = number == 1 ? 100 : 0
        guard page.count > header + 12 else { return nil }
        let isLeaf = page[header] == Self.leafType
        guard isLeaf || page[header] == Self.innerType else { return nil }
        let count = Self.number(page, at: header + 3, count: 2)
        let array = header + (isLeaf ? 8 : 12)
        guard array + 2 * count <= usableSize else { return nil }
        // No two cells of a valid page share bytes, and a cell that is named often would be read as often.
        var known: Set<Int> = []
        let offsets = (0..<count).map { Self.number(page, at: array + 2 * $0, count: 2) }
        return (header, offsets.filter { known.insert($0).inserted })
    }

    /// Reads a cell of a leaf page.
    ///
    /// - Returns: `nil` if there is no record.
    func leafCell(_ page: [UInt8], at offset: Int, end: Int? = nil) -> LeafCell? {
        let end = min(end ?? usableSize, usableSize)
        guard offset >= 8, offset < end, let (size, sizeCount) = Varint.read(page, at: offset),
            let (key, keyCount) = Varint.readInteger(page, at: offset + sizeCount), size >= 2
        else { return nil }
        let start = offset + sizeCount + keyCount
        let maximum = usableSize - 35
        if size <= maximum {
            guard size <= end - start, let record = StoredRecord(Array(page[start..<(start + size)])) else {
                return nil
            }
            return LeafCell(key: key, record: record, size: max(4, start + size - offset), overflows: false)
        }
        let minimum = (usableSize - 12) * 32 / 255 - 23
        let rest = minimum + (size - minimum) % (usableSize - 4)
        let local = rest <= maximum ? rest : minimum
        guard local + 4 <= end - start, size <= pageCount * pageSize else { return nil }
        var payload = Array(page[start..<(start + local)])
        // The header says what the length must be, before other pages are read.
        guard let (headerSize, _) = Varint.read(payload, at: 0), headerSize <= size else { return nil }
        var next = Self.number(page, at: start + local, count: 4)
        var visited: Set<Int> = []
        while payload.count < size {
            guard next >= 1, visited.insert(next).inserted, let other = overflowPage(next) else { return nil }
            payload += other[4..<(4 + min(size - payload.count, usableSize - 4))]
            next = Self.number(other, at: 0, count: 4)
        }
        guard let record = StoredRecord(payload) else { return nil }
        return LeafCell(key: key, record: record, size: start + local + 4 - offset, overflows: true)
    }
}
