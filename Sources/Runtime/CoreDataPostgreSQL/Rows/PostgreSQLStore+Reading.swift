internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Reading of rows and members, of many objects with one statement.
extension PostgreSQLStore {
    /// Returns the row of an object, from the cache or the database.
    func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? {
        guard case .number(let key) = id.reference, let entity = entity(layout) else { return nil }
        if let cached = entity.cache[key] { return cached.fitted(to: layout) }
        return try reporting(.coreData, what: "the values of \(id.uriRepresentation()) cannot be read") {
            let batch = neighbors[entity.mapping.rootNumber]?.batch(from: key) ?? [key]
            let rows = try readRows(batch.filter { entity.cache[$0] == nil }, entity)
            return withExtendedLifetime(rows) { entity.cache[key].flatMap { $0.fitted(to: layout) } }
        }
    }

    /// Reads rows of an entity's table into the cache, which keeps them as long as they are in use.
    private func readRows(_ keys: [Int64], _ entity: PostgreSQLEntity) throws -> [Row] {
        guard !keys.isEmpty else { return [] }
        let reader = rootReader(of: entity)
        let command = Statement(
            "SELECT \(reader.selection(of: "t")) FROM \(entity.table) t WHERE t._pk = ANY($1)",
            [PostgreSQLValue(keys)])
        var rows: [Row] = []
        reader.forEach(try read([command])[0]) { _, _, _, row in rows.append(row) }
        return rows
    }

    /// Returns the rows of objects; `nil` for those that do not exist.
    func rows(for ids: [NSManagedObjectID]) throws -> [Row?] {
        try reporting(.coreData, what: "the PostgreSQL store cannot be read") {
            var groups: [Int: (entity: PostgreSQLEntity, keys: [Int64])] = [:]
            // The cache may drop rows that are not in use, and a dropped row must not look like a deleted one.
            var used: [Row] = []
            for id in ids {
                guard case .number(let key) = id.reference, let entity = entity(id.layout) else { continue }
                if let row = entity.cache[key] {
                    used.append(row)
                } else {
                    groups[entity.mapping.rootNumber, default: (entity, [])].keys.append(key)
                }
            }
            for (_, group) in groups.sorted(by: { $0.key < $1.key }) { used += try readRows(group.keys, group.entity) }
            return withExtendedLifetime(used) { ids.map { cachedRow(of: $0, $0.layout) } }
        }
    }

    // MARK: Members

    /// Returns the members of a to-many relationship.
    func members(of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout) throws -> [NSManagedObjectID] {
        guard case .number(let key) = id.reference, let entity = entity(layout),
            let query = membersQuery(entity.mapping.slotColumns[index])
        else { return [] }
        return try reporting(
            .coreData, what: "the relationship “\(layout.name).\(layout.slots[index].name)” cannot be read"
        ) {
            let result = try read([query.command("t._pk, t._entity", [key])])[0]
            return (0..<result.count).compactMap { row in
                guard let key = result.integer(row, 0),
                    let entity = result.integer(row, 1).flatMap({ self.entity(number: Int($0)) })
                else { return nil }
                return self.id(key, entity)
            }
        }
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
            for (position, id) in ids.enumerated() {
                if case .number(let key) = id.reference, positions[key] == nil { positions[key] = position }
            }
            let reader = rootReader(of: query.destination)
            let columns = "\(reader.selection(of: "t")), \(query.owner)"
            let result = try read([query.command(columns, positions.keys.sorted())])[0]
            reader.forEach(result) { index, key, entity, row in
                guard let owner = result.integer(index, reader.columns.count).flatMap({ positions[$0] }) else { return }
                body(owner, key, entity.layout, row)
            }
        }
    }

    /// A query for the members of owners, in the order of the latter.
    private struct MembersQuery {
        var destination: PostgreSQLEntity
        var tables: String
        var owner: String
        var order: String

        func command(_ columns: String, _ owners: [Int64]) -> Statement {
            Statement(
                "SELECT \(columns) FROM \(tables) WHERE \(owner) = ANY($1) ORDER BY \(owner), \(order)",
                [PostgreSQLValue(owners)])
        }
    }

    private func membersQuery(_ storeIdentity: SlotColumn) -> MembersQuery? {
        switch storeIdentity {
        case .inverse(let columns):
            guard let destination = entity(number: columns.destination) else { return nil }
            let order = columns.order.map { "t.\(PostgreSQLName.quoted($0)) ASC NULLS LAST, " } ?? ""
            return MembersQuery(
                destination: destination, tables: "\(destination.table) t",
                owner: "t.\(PostgreSQLName.quoted(columns.key))", order: "\(order)t._pk")
        case .join(let side):
            guard let destination = entity(number: side.destination), let schema else { return nil }
            let (own, other) = (PostgreSQLName.quoted(side.own), PostgreSQLName.quoted(side.other))
            let order = side.order.map { "j.\(PostgreSQLName.quoted($0)) ASC NULLS LAST, " } ?? ""
            return MembersQuery(
                destination: destination,
                tables: "\(schema.qualified(side.table)) j JOIN \(destination.table) t ON t._pk = j.\(other)",
                owner: "j.\(own)", order: "\(order)j.\(other)")
        case .nowhere, .attribute, .composite, .toOne: return nil
        }
    }

    // MARK: Keys

    /// Returns permanent IDs for new objects, with keys that sequences assign in blocks.
    func permanentIDs(for objects: [NewObject]) throws -> [NSManagedObjectID] {
        try reporting(.persistentStoreSave, what: "the new objects cannot get IDs") {
            var requested: [Int: Int64] = [:]
            for object in objects {
                guard let entity = entity(object.layout) else {
                    throw CoreDataError.error(
                        .persistentStoreSave,
                        text: "the store does not hold objects of the entity “\(object.layout.name)”",
                        userInfo: [NSAffectedObjectsErrorKey: [object.handle.reference]])
                }
                requested[entity.mapping.rootNumber, default: 0] += 1
            }
            try takeKeys(requested)
            let storeIdentity = storeIdentity
            return objects.compactMap { object in
                guard let root = entity(object.layout)?.mapping.rootNumber, let key = nextKey(root) else { return nil }
                return NSManagedObjectID(key: key, layout: object.layout, storeIdentity: storeIdentity)
            }
        }
    }

    /// Allocates keys for rows of a table, and returns them.
    func keys(_ count: Int, _ root: Int) throws -> [Int64] {
        try takeKeys([root: Int64(count)])
        return (0..<count).compactMap { _ in nextKey(root) }
    }

    private func nextKey(_ root: Int) -> Int64? {
        guard var ranges = freeKeys[root], let first = ranges.first else { return nil }
        let rest = (first.lowerBound + 1)..<first.upperBound
        if rest.isEmpty { ranges.removeFirst() } else { ranges[0] = rest }
        freeKeys[root] = ranges
        return first.lowerBound
    }

    /// Allocates as many blocks of keys as needed, in one round trip.
    private func takeKeys(_ requested: [Int: Int64]) throws {
        guard let schema else { return }
        let roots = requested.keys.sorted()
        var missing: [Int] = []
        var commands: [Statement] = []
        for root in roots {
            let free = (freeKeys[root] ?? []).reduce(0 as Int64) { $0 + Int64($1.count) }
            let needed = (requested[root] ?? 0) - free
            guard needed > 0, let sequence = schema.table(root: root)?.sequence else { continue }
            let blocks = (needed + PostgreSQLSchema.keyBlock - 1) / PostgreSQLSchema.keyBlock
            missing.append(root)
            commands.append(
                Statement(
                    "SELECT nextval($1::text::regclass) FROM generate_series(1, $2)",
                    [PostgreSQLValue(schema.qualified(sequence)), PostgreSQLValue(blocks)]))
        }
        guard !commands.isEmpty else { return }
        for (root, result) in zip(missing, try checkingVersion(commands) { try run($0) }) {
            for row in 0..<result.count {
                guard let first = result.integer(row, 0) else { continue }
                freeKeys[root, default: []].append(first..<first + PostgreSQLSchema.keyBlock)
            }
        }
    }
}
