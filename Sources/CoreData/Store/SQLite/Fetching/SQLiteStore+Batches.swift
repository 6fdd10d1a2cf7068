internal import Foundation

/// Rows and members of many objects, for batches and prefetching: a query for each table and relationship, not for each object.
extension SQLiteStore {
    /// As many keys go into one statement.
    private static let batchLimit = 1024

    /// The rows of objects; nil where there is none.
    func knownRows(of ids: [NSManagedObjectID]) throws -> [Row?] {
        try reporting(.coreData, "the store at \(fileURL.path) cannot be read") {
            let connection = try connection()
            try notice(connection)
            var missing: [Int: (root: StoredEntity, keys: [Int64])] = [:]
            for id in ids {
                guard case .number(let key) = id.reference, let entity = entity(of: id), entity.cache[key] == nil else {
                    continue
                }
                let root = entity.mapping.rootNumber
                missing[root, default: (self.entity(number: root) ?? entity, [])].keys.append(key)
            }
            for (root, keys) in missing.values {
                let reader = reader(below: root)
                let columns = reader.selection()
                try forEachBatch(keys, "SELECT \(columns) FROM \(root.table) WHERE Z_PK IN ", "") { statement in
                    try reader.forEach(statement) { _, _, _ in }
                }
            }
        }
        return try ids.map { try knownRow(of: $0, $0.layout) }
    }

    /// The members of a to-many relationship of objects of one entity.
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
            try forEachBatch(keys, query.start, query.end) { statement in
                while try statement.step() {
                    let entity = self.entity(number: Int(statement.integer(2))) ?? query.destination
                    members[statement.integer(0), default: []].append(id(statement.integer(1), entity))
                }
            }
            return ids.map { id in if case .number(let key) = id.reference { members[key] ?? [] } else { [] } }
        }
    }

    /// A SELECT of owner, member and the member's entity, around the list of owners; nil for what is no to-many relationship.
    private func membersQuery(
        _ place: SlotPlace
    ) -> (start: String, end: String, destination: StoredEntity)? {
        switch place {
        case .inverse(let columns):
            guard let destination = entity(number: columns.destination) else { return nil }
            let key = SQLName.quoted(columns.key)
            let order = columns.order.map(SQLName.quoted).map { "\($0) IS NULL, \($0), " } ?? ""
            return (
                "SELECT \(key), Z_PK, Z_ENT FROM \(destination.table) WHERE \(key) IN ", " ORDER BY \(order)Z_PK",
                destination
            )
        case .join(let side):
            guard let destination = entity(number: side.destination) else { return nil }
            let (own, other) = (SQLName.quoted(side.own), SQLName.quoted(side.other))
            let order = side.order.map(SQLName.quoted).map { "j.\($0) IS NULL, j.\($0), " } ?? ""
            return (
                "SELECT j.\(own), j.\(other), t.Z_ENT FROM \(SQLName.quoted(side.table)) j JOIN \(destination.table) t "
                    + "ON t.Z_PK = j.\(other) WHERE j.\(own) IN ",
                " ORDER BY \(order)j.\(other)", destination
            )
        case .nowhere, .attribute, .toOne: return nil
        }
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
