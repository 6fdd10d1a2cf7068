internal import Foundation

/// Reading of rows and relationships.
extension SQLiteStore {
    /// Returns the row of an object, from the cache or the file.
    func row(for id: NSManagedObjectID, _ layout: EntityLayout) throws -> Row? {
        guard case .number(let key) = id.reference, let entity = entity(layout) else { return nil }
        if let cached = entity.cache[key] { return cached.fitted(to: layout) }
        return try reporting(.coreData, what: "the values of \(id.uriRepresentation()) cannot be read") {
            try readRows(from: key, entity)
            return entity.cache[key].flatMap { $0.fitted(to: layout) }
        }
    }

    /// Reads a row into the cache, along with those that were found together with it.
    private func readRows(from key: Int64, _ entity: StoredEntity) throws {
        let connection = try connection()
        try invalidateIfChanged(connection)
        let keys = neighbors[entity.mapping.rootNumber]?.batch(from: key) ?? [key]
        let root = self.entity(number: entity.mapping.rootNumber) ?? entity
        let reader = reader(below: root)
        let statement: SQLiteStatement
        if keys.count > 1 {
            let requested = keys.filter { entity.cache[$0] == nil }
            // The keys come from the store, so nothing needs binding, and statements of any length are compiled only
            // once.
            let positions = requested.map { "\($0)" }.joined(separator: ",")
            statement = try SQLiteStatement(
                connection, "SELECT \(reader.selection()) FROM \(root.table) WHERE Z_PK IN (\(positions))")
        } else {
            statement = try connection.statement(
                "SELECT \(reader.selection()) FROM \(root.table) WHERE Z_PK = ?")
            statement.bind(key, at: 1)
        }
        defer { statement.reset() }
        try reader.forEach(statement) { _, _, _ in }
    }

    /// Returns the IDs of the rows that a statement returns, and caches their values.
    func ids(of statement: SQLiteStatement, _ reader: RowReader) throws -> [NSManagedObjectID] {
        defer { statement.reset() }
        var ids: [NSManagedObjectID] = []
        var keys: [Int64] = []
        try reader.forEach(statement) { key, entity, _ in
            keys.append(key)
            ids.append(id(key, entity))
        }
        record(keys, of: reader)
        return ids
    }

    /// Calls a function with the rows that a statement returns, and caches their values.
    func forEachRow(
        of statement: SQLiteStatement, _ reader: RowReader, _ body: (Int64, EntityLayout, consuming Row) -> Void
    ) throws {
        defer { statement.reset() }
        var keys: [Int64] = []
        try reader.forEach(statement) { key, entity, row in
            keys.append(key)
            body(key, entity.layout, row)
        }
        record(keys, of: reader)
    }

    /// Records that when one of several rows is needed, the next ones will be.
    private func record(_ keys: [Int64], of reader: RowReader) {
        guard let root = reader.entities.first?.mapping.rootNumber else { return }
        neighbors[root, default: RowNeighbors()].record(keys)
    }

    /// Returns the members of a to-many relationship.
    func members(of id: NSManagedObjectID, at index: Int, _ layout: EntityLayout) throws -> [NSManagedObjectID] {
        guard case .number(let key) = id.reference, let entity = entity(layout) else { return [] }
        return try reporting(
            .coreData, what: "the relationship “\(layout.name).\(layout.slots[index].name)” cannot be read"
        ) {
            try checked(connection()) {
                switch entity.mapping.slotColumns[index] {
                case .inverse(let columns): try members(of: key, columns)
                case .join(let side): try members(of: key, side)
                case .nowhere, .attribute, .composite, .toOne: []
                }
            }
        }
    }

    /// Returns what a read yields, after checking that it was read from the file that was opened. The check takes no
    /// statement unless a connection has written.
    private func checked<Result>(_ connection: SQLiteConnection, _ read: () throws -> Result) throws -> Result {
        do {
            let result = try read()
            guard connection.checkedVersion == connection.pagerVersion else {
                try checkIdentity(connection)
                return result
            }
            try checkIsInPlace(connection)
            return result
        } catch {
            // Why it failed, if another connection has migrated the file.
            try checkIdentity(connection)
            throw error
        }
    }

    private func members(of key: Int64, _ columns: InverseColumns) throws -> [NSManagedObjectID] {
        guard let destination = entity(number: columns.destination) else { return [] }
        let order = columns.order.map(SQLName.quoted)
        // Members that another program has added without an order come last.
        let sorting = order.map { "\($0) IS NULL, \($0), Z_PK" } ?? "Z_PK"
        let isSingleEntity = destination.mapping.numbers.count == 1
        let statement = try connection().statement(
            "SELECT Z_PK\(isSingleEntity ? "" : ", Z_ENT") FROM \(destination.table) WHERE \(SQLName.quoted(columns.key)) = ? "
                + "ORDER BY \(sorting)")
        return try members(statement, key: key, destination: destination, isSingleEntity: isSingleEntity)
    }

    private func members(of key: Int64, _ side: JoinSide) throws -> [NSManagedObjectID] {
        guard let destination = entity(number: side.destination) else { return [] }
        let (table, own, other) = (SQLName.quoted(side.table), SQLName.quoted(side.own), SQLName.quoted(side.other))
        let order = side.order.map(SQLName.quoted)
        let sorting = order.map { "j.\($0) IS NULL, j.\($0), j.\(other)" } ?? "j.\(other)"
        let isSingleEntity = destination.mapping.numbers.count == 1
        let join = isSingleEntity ? "" : " JOIN \(destination.table) t ON t.Z_PK = j.\(other)"
        let statement = try connection().statement(
            "SELECT j.\(other)\(isSingleEntity ? "" : ", t.Z_ENT") FROM \(table) j\(join) WHERE j.\(own) = ? ORDER BY \(sorting)"
        )
        return try members(statement, key: key, destination: destination, isSingleEntity: isSingleEntity)
    }

    private func members(
        _ statement: SQLiteStatement, key: Int64, destination: StoredEntity, isSingleEntity: Bool
    ) throws -> [NSManagedObjectID] {
        defer { statement.reset() }
        statement.bind(key, at: 1)
        var ids: [NSManagedObjectID] = []
        var keys: [Int64] = []
        while try statement.step() {
            let key = statement.integer(0)
            let entity = isSingleEntity ? destination : entity(number: Int(statement.integer(1))) ?? destination
            keys.append(key)
            ids.append(id(key, entity))
        }
        neighbors[destination.mapping.rootNumber, default: RowNeighbors()].record(keys)
        return ids
    }

    // MARK: New IDs

    /// Returns IDs with unused keys, in the order of the objects.
    func permanentIDs(for objects: [NewObject]) throws -> [NSManagedObjectID] {
        try reporting(.persistentStoreSave, what: "keys for new objects cannot be reserved in \(fileURL.path)") {
            // New objects of the same entity are mostly adjacent.
            var runs: [(entity: StoredEntity, count: Int)] = []
            for object in objects {
                if let last = runs.last, last.entity.layout === object.layout {
                    runs[runs.count - 1].count += 1
                } else if let entity = entity(object.layout) {
                    runs.append((entity, 1))
                } else {
                    throw CoreDataError.error(
                        .persistentStoreSave,
                        text: "the store does not hold objects of the entity “\(object.layout.name)”",
                        userInfo: [NSAffectedObjectsErrorKey: [object.handle.reference]])
                }
            }
            var requested: [Int: Int64] = [:]
            for run in runs { requested[run.entity.mapping.rootNumber, default: 0] += Int64(run.count) }
            var next: [Int: Int64] = [:]
            let connection = try connection()
            // The other request may give its rows the same keys.
            try checkIsNotWriting(connection)
            try connection.transaction {
                try checkIdentity(connection)
                // In a deterministic order: the position of a row in the file depends on it.
                for (root, count) in requested.sorted(by: { $0.key < $1.key }) {
                    next[root] = try reserveKeys(count, root: root, connection: connection)
                }
            }
            var ids: [NSManagedObjectID] = []
            ids.reserveCapacity(objects.count)
            let storeIdentity = storeIdentity
            for (entity, count) in runs {
                let first = next[entity.mapping.rootNumber] ?? 1
                next[entity.mapping.rootNumber] = first + Int64(count)
                for key in first..<first + Int64(count) {
                    ids.append(NSManagedObjectID(key: key, layout: entity.layout, storeIdentity: storeIdentity))
                }
            }
            return ids
        }
    }

    /// Reserves the next keys of a table, and returns the first of them.
    func reserveKeys(_ count: Int64, root: Int, connection: SQLiteConnection) throws -> Int64 {
        let table = entity(number: root)?.table ?? ""
        let last = try connection.lastKey(entity: root, table: table)
        guard last >= 0, last < Int64.max - count else {
            throw CoreDataError.error(
                .persistentStoreSave, text: "the table \(table) has no keys left: the last one is \(last)",
                userInfo: [NSURLErrorKey: fileURL])
        }
        if count > 0 { try setLastKey(last + count, root: root, connection: connection) }
        return last + 1
    }

    /// Records the last key of a table.
    func setLastKey(_ key: Int64, root: Int, connection: SQLiteConnection) throws {
        let write = try connection.statement("UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        write.bind(key, at: 1)
        write.bind(Int64(root), at: 2)
        try write.run()
    }
}
