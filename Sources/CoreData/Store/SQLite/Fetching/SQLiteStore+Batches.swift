internal import Foundation

/// Rows and members of many objects, for batches and prefetching: a query for each table and relationship, not for each object.
extension SQLiteStore {
    /// As many keys go into one statement.
    private static let batchLimit = 1024

    /// The rows of objects; nil where there is none.
    func knownRows(of ids: [NSManagedObjectID]) throws -> [Row?] {
        var rows = [Row?](repeating: nil, count: ids.count)
        var missing: [Int] = []
        try reporting(.coreData, "the store at \(fileURL.path) cannot be read") {
            let connection = try connection()
            try notice(connection)
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
            for (root, keys) in groups.values {
                let reader = reader(below: root)
                let columns = reader.selection()
                try forEachBatch(keys, "SELECT \(columns) FROM \(root.table) WHERE Z_PK IN ", "") { statement in
                    try reader.forEach(statement) { _, _, _ in }
                }
            }
        }
        for index in missing { rows[index] = try knownRow(of: ids[index], ids[index].layout) }
        return rows
    }

    /// The members of a to-many relationship of objects of one entity. The members' values are known then: who asks for the
    /// members of many objects is going to use them.
    func storedMembers(
        of ids: [NSManagedObjectID], at index: Int, _ layout: EntityLayout
    ) throws -> [[NSManagedObjectID]] {
        guard let entity = entity(layout), let query = membersQuery(entity.mapping.places[index]) else {
            return ids.map { _ in [] }
        }
        return try reporting(
            .coreData, "the relationship “\(layout.name).\(layout.slots[index].name)” cannot be read"
        ) {
            var members: [Int64: [NSManagedObjectID]] = [:]
            let keys = ids.compactMap { id in if case .number(let key) = id.reference { key } else { nil } }
            try notice(try connection())
            // In the order of owners.
            var (owner, list): (Int64, [NSManagedObjectID]) = (0, [])
            try forEachBatch(keys, query.start, query.end) { statement in
                try query.reader.forEach(statement) { key, entity, _ in
                    let next = statement.integer(query.ownerColumn)
                    if next != owner {
                        if !list.isEmpty { members[owner, default: []] += list }
                        (owner, list) = (next, [])
                    }
                    list.append(id(key, entity))
                }
            }
            if !list.isEmpty { members[owner, default: []] += list }
            return ids.map { id in if case .number(let key) = id.reference { members[key] ?? [] } else { [] } }
        }
    }

    /// A query of the rows of members, and their owners.
    private struct MembersQuery {
        /// The statement up to the list of owners.
        var start: String
        /// The statement behind the list of owners.
        var end: String
        var reader: RowReader
        /// Where the owner's key is, behind the columns of the reader.
        var ownerColumn: Int32 { Int32(reader.columns.count) }
    }

    /// Returns the query of a to-many relationship, and `nil` for any other property.
    private func membersQuery(_ place: SlotPlace) -> MembersQuery? {
        switch place {
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

    /// The reader for all rows of an entity's table.
    private func rootReader(of entity: StoredEntity) -> RowReader {
        reader(below: self.entity(number: entity.mapping.rootNumber) ?? entity)
    }

    /// Runs a statement for some keys at a time.
    private func forEachBatch(
        _ keys: [Int64], _ start: String, _ end: String, _ body: (SQLiteStatement) throws -> Void
    ) throws {
        let connection = try connection()
        var rest = keys[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchLimit)
            rest = rest.dropFirst(batch.count)
            // One text of numbers, so that batches of all sizes are one statement.
            let statement = try connection.statement("\(start)(SELECT value FROM json_each(?))\(end)")
            statement.bind("[" + batch.map(String.init).joined(separator: ",") + "]", at: 1)
            defer { statement.clear() }
            try body(statement)
        }
    }
}
