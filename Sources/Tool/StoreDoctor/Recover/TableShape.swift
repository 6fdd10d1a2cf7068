internal import CoreData

/// What the records of a table look like, by which a record that no page refers to any more is assigned to a table.
struct TableShape {
    let table: String
    /// The names of its columns, `Z_PK`, `Z_ENT` and `Z_OPT` first.
    let columns: [String]
    private let types: [String]
    /// The numbers of the entities in the table.
    private let entities: Set<Int64>

    /// Creates the shape of an object table; `nil` for others.
    ///
    /// - Parameters:
    ///   - columns: The columns with their declared types, in the order of the file.
    ///   - entities: The numbers of the entities in the table.
    init?(table: String, columns: [(name: String, type: String)], entities: Set<Int64>) {
        guard columns.count >= 3, columns.prefix(3).map({ $0.name.uppercased() }) == ["Z_PK", "Z_ENT", "Z_OPT"],
            !entities.isEmpty
        else { return nil }
        self.table = table
        self.columns = columns.map(\.name)
        types = columns.map { $0.type.uppercased() }
        self.entities = entities
    }

    /// The number of an entity in a record.
    func entity(_ record: StoredRecord) -> Int64? {
        guard record.values.count > 1, case .integer(let number) = record.values[1] else { return nil }
        return number
    }

    /// Returns whether a record can be one of the table's.
    func fits(_ record: StoredRecord) -> Bool {
        guard record.types.count >= 3, record.types.count <= types.count, record.types[0] == 0,
            [1, 2, 8, 9].contains(record.types[1]), let number = entity(record), entities.contains(number)
        else { return false }
        return zip(record.types, types).dropFirst(2).allSatisfy { Self.allows($0, $1) }
    }

    /// Returns whether a column allows a serial type.
    static func allows(_ type: Int, _ declared: String) -> Bool {
        switch declared {
        case "INTEGER": (0...6).contains(type) || type == 8 || type == 9
        case "FLOAT", "TIMESTAMP", "DECIMAL": (0...9).contains(type)
        case "VARCHAR": type == 0 || type >= 13 && type % 2 == 1
        case "BLOB": type == 0 || type >= 12 && type % 2 == 0
        default: true
        }
    }

    /// Returns the record in a free block, whose first 4 bytes SQLite has overwritten: the length of the payload, the
    /// key, the length of the header and, if these were short, the first type.
    ///
    /// - Parameters:
    ///   - start: The offset of the block.
    ///   - end: The offset of its end.
    /// - Returns: The record and the offset of its end; `nil` if there is none that fits.
    func recordInFreeBlock(_ page: [UInt8], from start: Int, to end: Int) -> (record: StoredRecord, end: Int)? {
        guard start >= 0, end <= page.count, end - start >= 6 else { return nil }
        for prefix in 3...8 {
            var types = prefix == 3 ? [0] : []
            // With 3 bytes, the first type is the last of the 4 that are lost.
            var offset = start + max(prefix, 4)
            var found: (record: StoredRecord, end: Int)?
            while types.count < self.types.count, let (type, count) = Varint.read(page, at: offset), offset < end,
                type != 10, type != 11, types.isEmpty ? type == 0 : true,
                types.count < 2 || Self.allows(type, self.types[types.count])
            {
                types.append(type)
                offset += count
                guard types.count >= 3 else { continue }
                let bodySize = types.reduce(0) { $0 + StoredRecord.size($1) }
                let typesSize = offset - start - prefix
                guard bodySize <= end - offset else { continue }
                // The lengths must be as long as the prefix allows: the key takes the rest.
                let headerCount = Varint.size(typesSize + 1) == 1 && typesSize + 1 < 128 ? 1 : 2
                let payloadCount = Varint.size(typesSize + headerCount + bodySize)
                guard (1...9).contains(prefix - headerCount - payloadCount) else { continue }
                if prefix > 4, headerCount == 1, Int(page[start + prefix - 1]) != typesSize + 1 { continue }
                guard let record = StoredRecord(types: types, page, at: offset), fits(record) else { continue }
                // A complete record is longer than one that it begins with.
                if offset + bodySize == end || found == nil || types.count == self.types.count {
                    found = (record, offset + bodySize)
                }
                if offset + bodySize == end { break }
            }
            if let found, found.end == end || found.record.types.count == self.types.count { return found }
        }
        return nil
    }
}
