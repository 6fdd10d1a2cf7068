internal import Foundation

/// Rows and members of many objects, for batches and prefetching: one query per table and relationship rather than per
/// object.
extension SQLiteStore {
    /// The maximum number of keys in a statement.
    private static let batchLimit = 1024

    /// Returns the rows of objects; `nil` for those that do not exist.
    func rows(for ids: [NSManagedObjectID]) throws -> [Row?] {
        var rows = [Row?](repeating: nil, count: ids.count)
        var missing: [Int] = []
        // The keys of rows that do not exist, by the number of the root entity.
        var absent: [Int: Set<Int64>] = [:]
        try reporting(.coreData, what: "the store at \(fileURL.path) cannot be read") {
            let connection = try connection()
            try invalidateIfChanged(connection)
            var groups: [Int: (root: StoredEntity, keys: [Int64])] = [:]
            for (index, id) in ids.enumerated() {
                rows[index] = cachedRow(of: id, id.layout)
                guard rows[index] == nil, case .number(let key) = id.reference, let entity = entity(of: id) else {
                    continue
                }
                missing.append(index)
                let root = entity.mapping.rootNumber
                groups[root, default: (self.entity(number: root) ?? entity, [])].keys.append(key)
            }
            for (number, (root, keys)) in groups {
                let reader = reader(below: root)
                let columns = reader.selection()
                var found: [Int64] = []
                found.reserveCapacity(keys.count)
                try forEachBatch(keys, start: "SELECT \(columns) FROM \(root.table) WHERE Z_PK IN ", end: "") {
                    statement in
                    try reader.forEach(statement) { key, _, _ in found.append(key) }
                }
                if found.count < keys.count { absent[number] = Set(keys).subtracting(found) }
            }
        }
        for index in missing {
            let id = ids[index]
            if !absent.isEmpty, case .number(let key) = id.reference, let entity = entity(of: id),
                absent[entity.mapping.rootNumber]?.contains(key) == true
            {
                continue
            }
            rows[index] = try row(for: id, id.layout)
        }
        return rows
    }

    /// Calls a function with the members of a to-many relationship of objects of one entity: the owner's index among
    /// the IDs, and the key, layout and row of the member.
    func forEachMember(
        of ids: [NSManagedObjectID], at index: Int, _ layout: EntityLayout,
        _ body: (_ owner: Int, Int64, EntityLayout, consuming Row) -> Void
    ) throws {
        guard let entity = entity(layout), let query = membersQuery(entity.mapping.slotColumns[index]) else { return }
        try reporting(.coreData, what: "the relationship “\(layout.name).\(layout.slots[index].name)” cannot be read") {
            var positions: [Int64: Int] = [:]
            var keys: [Int64] = []
            for (position, id) in ids.enumerated() {
                guard case .number(let key) = id.reference, positions.updateValue(position, forKey: key) == nil else {
                    continue
                }
                keys.append(key)
            }
            try invalidateIfChanged(try connection())
            // Rows are in the order of owners.
            var (ownerKey, owner): (Int64, Int?) = (0, nil)
            try forEachBatch(keys, start: query.start, end: query.end) { statement in
                try query.reader.forEach(statement) { key, entity, row in
                    let next = statement.integer(query.ownerColumn)
                    if next != ownerKey || owner == nil { (ownerKey, owner) = (next, positions[next]) }
                    if let owner { body(owner, key, entity.layout, row) }
                }
            }
        }
    }

    /// A query for the rows of members and their owners.
    private struct MembersQuery {
        /// The statement up to the list of owners.
        var start: String
        /// The statement after the list of owners.
        var end: String
        var reader: RowReader
        /// The column of the owner's key, after the columns of the reader.
        var ownerColumn: Int32 { Int32(reader.columns.count) }
    }

    /// Returns the query for a to-many relationship, or `nil` for any other property.
    private func membersQuery(_ position: SlotColumn) -> MembersQuery? {
        switch position {
        case .inverse(let columns):
            guard let destination = entity(number: columns.destination) else { return nil }
            let reader = rootReader(of: destination)
            let key = SQLName.quoted(columns.key)
            let order = columns.order.map(SQLName.quoted).map { "\($0) IS NULL, \($0), " } ?? ""
            return MembersQuery(
                start: "SELECT \(reader.selection()), \(key) FROM \(destination.table) WHERE \(key) IN ",
                end: " ORDER BY \(key), \(order)Z_PK", reader: reader)
        case .join(let side):
            guard let destination = entity(number: side.destination) else { return nil }
            let reader = rootReader(of: destination)
            let (own, other) = (SQLName.quoted(side.own), SQLName.quoted(side.other))
            let order = side.order.map(SQLName.quoted).map { "j.\($0) IS NULL, j.\($0), " } ?? ""
            return MembersQuery(
                start: "SELECT \(reader.selection(of: "t")), j.\(own) FROM \(SQLName.quoted(side.table)) j "
                    + "JOIN \(destination.table) t ON t.Z_PK = j.\(other) WHERE j.\(own) IN ",
                end: " ORDER BY j.\(own), \(order)j.\(other)", reader: reader)
        case .nowhere, .attribute, .composite, .toOne: return nil
        }
    }

    /// Returns the reader for all rows of an entity's table.
    private func rootReader(of entity: StoredEntity) -> RowReader {
        reader(below: self.entity(number: entity.mapping.rootNumber) ?? entity)
    }

    /// Runs a statement for batches of keys.
    private func forEachBatch(
        _ keys: [Int64], start: String, end: String, body: (SQLiteStatement) throws -> Void
    ) throws {
        let connection = try connection()
        var rest = keys[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchLimit)
            rest = rest.dropFirst(batch.count)
            // A JSON array, so that batches of all sizes use the same statement.
            let statement = try connection.statement("\(start)(SELECT value FROM json_each(?))\(end)")
            statement.bind("[" + batch.map(String.init).joined(separator: ",") + "]", at: 1)
            defer { statement.clear() }
            try body(statement)
        }
    }
}
