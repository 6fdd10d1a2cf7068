/// Writes the rows of a save, and collects what must follow when all rows are written.
struct RowWriter {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private var inserts: [Int: SQLiteStatement] = [:]
    private var updates: [UpdateKind: UpdatePlan] = [:]
    /// The most recently used plan: objects of one kind are mostly adjacent.
    private var lastUpdate: UpdatePlan?
    private var deletes: [Int: SQLiteStatement] = [:]
    /// The ordered relationships whose new members must be appended.
    private(set) var orders = MemberOrders()

    /// The entity and the slots, which determine the statement for an update.
    private struct UpdateKind: Hashable {
        var entity: Int
        var slots: [Int]
    }

    /// The plan for updating rows in which the same slots change.
    private struct UpdatePlan {
        var kind: UpdateKind
        var fields: [StoredEntity.Field]
        var statement: SQLiteStatement
    }

    init(_ store: SQLiteStore, _ connection: SQLiteConnection) {
        self.store = store
        self.connection = connection
    }

    // MARK: Inserting

    mutating func insert(_ key: Int64, row: Row, entity: StoredEntity) throws {
        // The values belong to the row.
        try withExtendedLifetime(row) { try insert(key, row.reader, version: row.version, entity: entity) }
    }

    /// Writes a new row with the values of an object that no context has.
    mutating func insert(_ key: Int64, values: [SlotValue], entity: StoredEntity) throws {
        try values.withUnsafeBufferPointer { values in
            // An entity may have no properties.
            guard let start = values.baseAddress else {
                return try insert(key, row: Row.make([], version: 1), entity: entity)
            }
            try insert(key, SlotReader(start), version: 1, entity: entity)
        }
    }

    private mutating func insert(_ key: Int64, _ slots: SlotReader, version: Int, entity: StoredEntity) throws {
        let statement = try inserts[entity.number] ?? makeInsert(entity)
        statement.bind(key, at: 1)
        statement.bind(Int64(version), at: 2)
        var position: Int32 = 3
        for field in entity.writtenFields {
            if let coding = field.plain {
                coding.bind(slots[field.slot], to: statement, at: position)
                position += 1
            } else if field.isKey {
                if case .reference(let id) = slots[field.slot], case .number(let key) = id.reference {
                    statement.bind(key, at: position)
                } else {
                    statement.bindNull(at: position)
                }
                position += 1
            } else {
                try bind(
                    slots[field.slot], field: entity.fields[field.index], statement: statement, position: &position,
                    key: key, entity: entity)
            }
        }
        try statement.run()
    }

    private mutating func makeInsert(_ entity: StoredEntity) throws -> SQLiteStatement {
        var columns: [String] = []
        for field in entity.fields { columns += Self.columns(of: field) }
        let names = (StoreSchema.reservedColumns + columns.map(SQLName.quoted)).joined(separator: ", ")
        let positions = ["?", "\(entity.number)", "?"] + columns.map { _ in "?" }
        let statement = try SQLiteStatement(
            connection, "INSERT INTO \(entity.table)(\(names)) VALUES(\(positions.joined(separator: ", ")))")
        inserts[entity.number] = statement
        return statement
    }

    /// Returns the columns of a field, in the order in which they are bound.
    private static func columns(of field: StoredEntity.Field) -> [String] {
        switch field.kind {
        case .attribute(let column, _): [column]
        case .composite(let coding): coding.leaves.map(\.column)
        case .toOne(let columns): columns.names
        }
    }

    private mutating func bind(
        _ value: SlotValue, field: StoredEntity.Field, statement: SQLiteStatement, position: inout Int32,
        key: Int64, entity: StoredEntity
    ) throws {
        switch field.kind {
        case .attribute(_, let coding):
            try coding.bind(value, to: statement, at: position)
            position += 1
        case .composite(let coding): try coding.bind(value, to: statement, at: &position)
        case .toOne(let columns):
            bind(value, columns: columns, to: statement, at: &position)
            guard columns.order != nil, case .reference(let id) = value, case .number(let owner) = id.reference else {
                return
            }
            orders.add(key, to: owner, entity: entity, columns: columns)
        }
    }

    private func bind(
        _ value: SlotValue, columns: ToOneColumns, to statement: SQLiteStatement, at position: inout Int32
    ) {
        var count: Int32 = 1
        if case .reference(let id) = value, case .number(let key) = id.reference {
            statement.bind(key, at: position)
            if columns.entity != nil {
                statement.bind(Int64(store.entity(of: id)?.number ?? columns.destination), at: position + 1)
                count += 1
            }
        } else {
            statement.bindNull(at: position)
            if columns.entity != nil {
                statement.bindNull(at: position + 1)
                count += 1
            }
        }
        if columns.order != nil {
            // The order is written after all rows.
            statement.bindNull(at: position + count)
            count += 1
        }
        position += count
    }

    // MARK: Updating

    /// Writes slots of a row, and the next version.
    ///
    /// - Returns: Whether the row existed with the expected version.
    mutating func update(
        _ key: Int64, row: Row, from version: Int, slots: [Int], entity: StoredEntity
    ) throws -> Bool {
        let plan = try updatePlan(slots, entity)
        let statement = plan.statement
        // A damaged file may have the greatest number.
        statement.bind(Int64(version &+ 1), at: 1)
        var position: Int32 = 2
        for field in plan.fields {
            try bind(row[field.slot], field: field, statement: statement, position: &position, key: key, entity: entity)
        }
        statement.bind(key, at: position)
        statement.bind(Int64(version), at: position + 1)
        return try statement.run() == 1
    }

    private mutating func updatePlan(_ slots: [Int], _ entity: StoredEntity) throws -> UpdatePlan {
        if let lastUpdate, lastUpdate.kind.entity == entity.number, lastUpdate.kind.slots == slots { return lastUpdate }
        let kind = UpdateKind(entity: entity.number, slots: slots)
        let plan = try updates[kind] ?? makeUpdatePlan(kind, entity)
        updates[kind] = plan
        lastUpdate = plan
        return plan
    }

    private func makeUpdatePlan(_ kind: UpdateKind, _ entity: StoredEntity) throws -> UpdatePlan {
        let fields = entity.fields.filter { kind.slots.contains($0.slot) }
        let columns = ["Z_OPT = ?"] + fields.flatMap(Self.columns).map { "\(SQLName.quoted($0)) = ?" }
        let statement = try SQLiteStatement(
            connection,
            "UPDATE OR FAIL \(entity.table) SET \(columns.joined(separator: ", ")) WHERE Z_PK = ? AND ifnull(Z_OPT, 0) = ?"
        )
        return UpdatePlan(kind: kind, fields: fields, statement: statement)
    }

    // MARK: Deleting

    /// Removes the rows with a version in a range of keys.
    ///
    /// - Returns: The number of removed rows.
    mutating func delete(_ keys: ClosedRange<Int64>, version: Int, _ entity: StoredEntity) throws -> Int {
        let statement: SQLiteStatement
        if let prepared = deletes[entity.mapping.rootNumber] {
            statement = prepared
        } else {
            statement = try SQLiteStatement(
                connection, "DELETE FROM \(entity.table) WHERE Z_PK BETWEEN ? AND ? AND ifnull(Z_OPT, 0) = ?")
            deletes[entity.mapping.rootNumber] = statement
        }
        statement.bind(keys.lowerBound, at: 1)
        statement.bind(keys.upperBound, at: 2)
        statement.bind(Int64(version), at: 3)
        return try statement.run()
    }
}
