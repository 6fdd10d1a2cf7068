internal import CoreData
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Writes the rows of another store into the tables of a new one. The transaction that creates them must be open.
final class PostgreSQLRestoration: RowRestoration {
    private let store: PostgreSQLStore
    /// The last key of each table, by the number of the root entity.
    private var lastKeys: [Int: Int64] = [:]

    init(_ store: PostgreSQLStore) {
        self.store = store
    }

    /// Writes the contents of the store.
    func write(_ filling: StoreFilling) throws {
        // The transaction is idle while a large part of the other store is read.
        _ = try store.run([Statement("SET LOCAL idle_in_transaction_session_timeout = 0")])
        try filling.run(self)
        try writeLastKeys()
        do {
            _ = try store.run([Statement("SET CONSTRAINTS ALL IMMEDIATE")])
        } catch let failure as PostgreSQLError where failure.isReference {
            throw CoreDataError.error(
                .persistentStoreSave,
                text: "an object of the copied store refers to one that does not exist; repair the store first: "
                    + failure.report)
        }
    }

    private func entity(_ layout: EntityLayout) throws -> PostgreSQLEntity {
        if let entity = store.entity(layout) { return entity }
        throw CoreDataError.error(
            .persistentStoreSave, text: "the store does not hold objects of the entity “\(layout.name)”")
    }

    // MARK: Rows

    func insert(_ rows: [(key: Int64, row: Row)], _ layout: EntityLayout) throws {
        let entity = try entity(layout)
        let encoded = try rows.map { try $0.row.encoded(nil, entity.encodings) }
        for row in encoded { try store.checkSize(of: row, layout, nil) }
        do {
            try store.copy(
                encoded, keys: rows.map(\.key), entity: entity,
                columns: PostgreSQLEntity.columns(of: entity.fields).count)
        } catch let failure as PostgreSQLError where failure.isTooLarge {
            throw try PostgreSQLConstraintCheck(store: store).tooLarge(in: encoded.map { (entity, $0, nil) }) ?? failure
        }
        for row in rows { try recordLastKey(row.key, layout) }
    }

    func recordLastKey(_ key: Int64, _ layout: EntityLayout) throws {
        let root = try entity(layout).mapping.rootNumber
        if key > lastKeys[root] ?? 0 { lastKeys[root] = key }
    }

    private func writeLastKeys() throws {
        guard let schema = store.schema else { return }
        let statements = lastKeys.sorted { $0.key < $1.key }.compactMap { root, key -> Statement? in
            guard let sequence = schema.table(root: root)?.sequence else { return nil }
            return Statement(
                "SELECT setval($1::text::regclass, $2)",
                [PostgreSQLValue(schema.qualified(sequence)), PostgreSQLValue(key)])
        }
        if !statements.isEmpty { _ = try store.run(statements) }
    }

    // MARK: Members

    func needsMembers(at slot: Int, _ layout: EntityLayout) -> Bool {
        store.entity(layout)?.mapping.slotColumns[slot].needsMembers ?? false
    }

    func link(
        _ owners: [(key: Int64, members: [NSManagedObjectID])], at slot: Int, _ layout: EntityLayout
    ) throws {
        guard let schema = store.schema else { return }
        let commands: [String]
        switch try entity(layout).mapping.slotColumns[slot] {
        case .join(let side):
            commands = Self.commands(side, table: schema.qualified(side.table), namespace: store.namespace)
        case .inverse(let columns):
            let (key, order) = (PostgreSQLName.quoted(columns.key), columns.order.map(PostgreSQLName.quoted))
            let values = [columns.isVirtual ? "\(key) = u.a" : nil, order.map { "\($0) = u.ordinal" }].compactMap { $0 }
            guard !values.isEmpty else { return }
            commands = [
                "UPDATE \(schema.qualified(columns.table)) AS t SET \(values.joined(separator: ", ")) "
                    + "FROM unnest($1, $2, $3) AS u(a, b, ordinal) WHERE t._pk = u.b"
            ]
        case .nowhere, .attribute, .composite, .toOne: return
        }
        var (first, second, ordinals): ([Int64], [Int64], [Int64]) = ([], [], [])
        for owner in owners {
            for (index, member) in owner.members.enumerated() {
                guard case .number(let key) = member.reference else { continue }
                first.append(owner.key)
                second.append(key)
                ordinals.append(OrderKeys.step * Int64(index + 1))
            }
        }
        let arrays = [PostgreSQLValue(first), PostgreSQLValue(second), PostgreSQLValue(ordinals)]
        _ = try store.run(commands.map { Statement($0, arrays) })
    }

    /// Returns the statements for a join table, whose pairs the inverse may have written already.
    private static func commands(_ side: JoinSide, table: String, namespace: String) -> [String] {
        let (own, other) = (PostgreSQLName.quoted(side.own), PostgreSQLName.quoted(side.other))
        let rows = "FROM unnest($1, $2, $3) AS u(a, b, ordinal)"
        let insertion = PostgreSQLDialect(namespace: namespace).insertingNew(
            into: "\(table) (\(own), \(other))", "SELECT u.a, u.b \(rows)")
        guard let order = side.order.map(PostgreSQLName.quoted) else { return [insertion] }
        return [
            insertion,
            "UPDATE \(table) AS j SET \(order) = u.ordinal \(rows) WHERE j.\(own) = u.a AND j.\(other) = u.b",
        ]
    }
}

extension PostgreSQLStore {
    /// Returns the last key that a program may have given to an object of an entity.
    func lastKey(_ layout: EntityLayout) throws -> Int64? {
        guard let root = entity(layout)?.mapping.rootNumber, let schema,
            let sequence = schema.table(root: root)?.sequence
        else { return nil }
        let result = try read([
            Statement("SELECT last_value, is_called::integer FROM \(schema.qualified(sequence))")
        ])[0]
        guard let last = result.integer(0, 0), result.integer(0, 1) == 1 else { return nil }
        let (key, overflows) = last.addingReportingOverflow(PostgreSQLSchema.keyBlock - 1)
        return overflows ? Int64.max : key
    }
}
