internal import Foundation

/// Deletes many rows according to the delete rules of their relationships: no remaining row refers to a deleted one.
///
/// Cascades are followed to any depth. The deletion fails as a whole if a relationship denies it, or a row would lose a
/// required object.
struct BatchDeletion {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let history: HistoryWriter?
    private let rows: BatchRows

    init(store: SQLiteStore, connection: SQLiteConnection, history: HistoryWriter?, rows: BatchRows) {
        self.store = store
        self.connection = connection
        self.history = history
        self.rows = rows
    }

    /// Deletes the matched rows.
    ///
    /// - Returns: The outcome for the matched rows, without those deleted by cascade.
    func run(needsIDs: Bool) throws -> BatchOutcome {
        var outcome = BatchOutcome(count: try rows.count())
        guard outcome.count > 0 else { return outcome }
        if needsIDs { outcome.ids = try rows.all().map { store.id($0.key, $0.entity) } }
        try cascade()
        let entities = try rows.entities()
        for entity in entities {
            try BatchDeletionRules.check(
                entity, in: store, destination: { link(entity, $0)?.destination },
                stays: { slot in try link(entity, slot).map(stays) ?? false })
        }
        try recordDeletions()
        for entity in entities {
            try store.dropFiles(
                where: BatchRows.holds("Z_PK", entity), entity: entity, slots: nil, connection: connection)
            try leaveRelationships(entity)
        }
        let roots = Set(entities.map(\.mapping.rootNumber))
        try clearReferences(to: roots)
        for root in roots.sorted() {
            guard let table = entities.first(where: { $0.mapping.rootNumber == root }) else { continue }
            try connection.execute("DELETE FROM \(table.table) WHERE \(BatchRows.holds("Z_PK", root))")
            table.cache.removeAll()
            store.neighbors[root] = nil
        }
        return outcome
    }

    // MARK: Rules

    /// The rows at the other end of a relationship.
    private struct Link {
        var destination: StoredEntity
        /// The condition for rows of the destination's table, aliased `d`, that are related to deleted rows.
        var condition: String
    }

    private func link(_ entity: StoredEntity, _ slot: Int, level: Int? = nil) -> Link? {
        func selection(_ column: String, from table: String, own: String) -> String {
            "d.Z_PK IN (SELECT \(SQLName.quoted(column)) FROM \(table) "
                + "WHERE \(BatchRows.holds(own, entity, level: level)))"
        }
        switch entity.mapping.slotColumns[slot] {
        case .toOne(let columns):
            guard let destination = store.entity(number: columns.destination) else { return nil }
            return Link(destination: destination, condition: selection(columns.key, from: entity.table, own: "Z_PK"))
        case .inverse(let columns):
            guard let destination = store.entity(number: columns.destination) else { return nil }
            return Link(
                destination: destination,
                condition: BatchRows.holds("d.\(SQLName.quoted(columns.key))", entity, level: level))
        case .join(let side):
            guard let destination = store.entity(number: side.destination) else { return nil }
            return Link(
                destination: destination,
                condition: selection(side.other, from: SQLName.quoted(side.table), own: SQLName.quoted(side.own)))
        case .nowhere, .attribute, .composite: return nil
        }
    }

    /// Adds the rows that are deleted by cascade, level by level.
    private func cascade() throws {
        var level = 0
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for entity in try rows.entities(level: level) {
                for slot in BatchDeletionRules.relationships(of: entity, .cascadeDeleteRule) {
                    guard let link = link(entity, slot, level: level) else { continue }
                    let statement = try SQLiteStatement(
                        connection,
                        SQLiteDialect().insertingNew(
                            into: BatchRows.table,
                            "SELECT \(link.destination.mapping.rootNumber), d.Z_PK, "
                                + "\(link.destination.numberColumn("d")), \(level + 1) FROM \(link.destination.table) d WHERE \(link.condition)"
                        ))
                    if try statement.run() > 0 { isGrowing = true }
                }
            }
            level += 1
        }
    }

    /// Returns whether one of the rows at the other end is not deleted.
    private func stays(_ link: Link) throws -> Bool {
        let statement = try SQLiteStatement(
            connection,
            "SELECT 1 FROM \(link.destination.table) d WHERE \(link.condition) AND NOT "
                + "\(BatchRows.holds("d.Z_PK", link.destination.mapping.rootNumber)) LIMIT 1")
        return try statement.step()
    }

    // MARK: History

    private func recordDeletions() throws {
        guard let history else { return }
        for row in try rows.all() {
            let isKept = !store.history.tombstones(of: row.entity).isEmpty
            let values = isKept ? try store.row(for: store.id(row.key, row.entity), row.entity.layout) : nil
            try history.delete(row.key, entity: row.entity, row: values)
        }
    }

    // MARK: References

    /// Removes the rows of an entity from join tables, and clears relationships without an inverse in the rows of their
    /// members.
    private func leaveRelationships(_ entity: StoredEntity) throws {
        for position in entity.mapping.slotColumns {
            switch position {
            case .join(let side):
                let table = SQLName.quoted(side.table)
                for column in side.isReflexive ? [side.own, side.other] : [side.own] {
                    try connection.execute(
                        "DELETE FROM \(table) WHERE \(BatchRows.holds(SQLName.quoted(column), entity))")
                }
            case .inverse(let columns) where columns.isVirtual:
                guard let destination = store.entity(number: columns.destination) else { continue }
                let key = SQLName.quoted(columns.key)
                let reset = columns.order.map { ", \(SQLName.quoted($0)) = NULL" } ?? ""
                try connection.execute(
                    "UPDATE \(destination.table) SET \(key) = NULL\(reset) WHERE \(BatchRows.holds(key, entity))")
                destination.cache.removeAll()
            case .nowhere, .attribute, .composite, .toOne, .inverse: continue
            }
        }
    }

    /// Clears references to deleted rows in all columns of remaining rows that may contain a key of the given tables.
    private func clearReferences(to roots: Set<Int>) throws {
        for (mapping, slot, columns) in (store.schema?.entities ?? []).toOneColumns(to: roots) {
            guard let entity = store.entity(number: mapping.number),
                let destination = store.entity(number: columns.destination)?.mapping.rootNumber
            else { continue }
            let condition =
                "\(BatchRows.holds(SQLName.quoted(columns.key), destination)) "
                + "AND NOT \(BatchRows.holds("Z_PK", mapping.rootNumber))"
            try store.recordUpdates(
                of: entity.layout.slots[slot].name, entity: entity, where: condition, history: history,
                connection: connection)
            let setters = columns.names.map { "\(SQLName.quoted($0)) = NULL" }
            try connection.execute(
                "UPDATE \(entity.table) SET Z_OPT = ifnull(Z_OPT, 0) + 1, \(setters.joined(separator: ", ")) "
                    + "WHERE \(condition)")
            if connection.changes > 0 { entity.cache.removeAll() }
        }
    }
}
