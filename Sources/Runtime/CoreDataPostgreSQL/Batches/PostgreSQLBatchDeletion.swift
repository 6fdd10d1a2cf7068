internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Deletes many rows according to the delete rules of their relationships: no remaining row refers to a deleted one.
struct PostgreSQLBatchDeletion {
    private let store: PostgreSQLStore
    private let rows: PostgreSQLBatchRows

    init(_ store: PostgreSQLStore, _ rows: PostgreSQLBatchRows) {
        self.store = store
        self.rows = rows
    }

    /// Deletes the rows, and those deleted by cascade. A transaction must be open.
    ///
    /// - Throws: An error if a delete rule or another object's required relationship prevents the deletion.
    func run(_ record: inout PostgreSQLHistoryRecord) throws {
        let all = try cascaded()
        store.connections.witness = rows.all(store).first.map {
            PostgreSQLWitness(table: $0.entity.table, key: $0.key, isDeleted: true)
        }
        for entity in all.entities(store) {
            try BatchDeletionRules.check(
                entity, in: store, destination: { link(entity, $0)?.destination },
                stays: { slot in try link(entity, slot).map { try stays($0, entity: entity, all: all) } ?? false })
        }
        let roots = Set(all.entities(store).map(\.mapping.rootNumber))
        try recordDeletions(all, &record)
        let clearing = clearing(roots, all)
        var commands = clearing.map(\.command)
        for root in roots.sorted() {
            guard let table = store.entity(number: root)?.table else { continue }
            commands.append(
                Statement(
                    "DELETE FROM \(table) WHERE _pk = ANY($1)", [PostgreSQLValue(all.keys(root: root))]))
        }
        for (clear, result) in zip(clearing, try store.run(commands)) { record.update(result, of: clear.name, store) }
    }

    /// Adds the deletions to the history, with their tombstones.
    private func recordDeletions(_ rows: PostgreSQLBatchRows, _ record: inout PostgreSQLHistoryRecord) throws {
        guard record.needsChanges else { return }
        let all = rows.all(store)
        let kept = all.filter { !store.history.tombstones(of: $0.entity).isEmpty }.map { store.id($0.key, $0.entity) }
        _ = try store.rows(for: kept)
        for row in all {
            try record.delete(
                row.key, entity: row.entity, row: store.cachedRow(of: store.id(row.key, row.entity), row.entity.layout))
        }
    }

    // MARK: Rules

    /// The rows at the other end of a relationship.
    private struct Link {
        var destination: PostgreSQLEntity
        /// The condition for rows of the destination's table, aliased `d`, that are related to rows whose keys are the
        /// first parameter.
        var condition: String
    }

    private func link(_ entity: PostgreSQLEntity, _ slot: Int) -> Link? {
        switch entity.mapping.slotColumns[slot] {
        case .toOne(let columns):
            guard let destination = store.entity(number: columns.destination) else { return nil }
            return Link(
                destination: destination,
                condition: "d._pk IN (SELECT \(PostgreSQLName.quoted(columns.key)) FROM \(entity.table) "
                    + "WHERE _pk = ANY($1))")
        case .inverse(let columns):
            guard let destination = store.entity(number: columns.destination) else { return nil }
            return Link(
                destination: destination, condition: "d.\(PostgreSQLName.quoted(columns.key)) = ANY($1)")
        case .join(let side):
            guard let destination = store.entity(number: side.destination),
                let table = store.schema?.qualified(side.table)
            else { return nil }
            return Link(
                destination: destination,
                condition: "d._pk IN (SELECT \(PostgreSQLName.quoted(side.other)) FROM \(table) "
                    + "WHERE \(PostgreSQLName.quoted(side.own)) = ANY($1))")
        case .nowhere, .attribute, .composite: return nil
        }
    }

    /// Returns the rows along with those deleted by cascade, found level by level.
    private func cascaded() throws -> PostgreSQLBatchRows {
        var all = rows
        var level = rows
        while level.count > 0 {
            var next = PostgreSQLBatchRows()
            for entity in level.entities(store) {
                for slot in BatchDeletionRules.relationships(of: entity, .cascadeDeleteRule) {
                    guard let link = link(entity, slot) else { continue }
                    let result = try store.run([
                        Statement(
                            "SELECT d._pk, d._entity FROM \(link.destination.table) d WHERE \(link.condition) "
                                + "ORDER BY d._pk FOR UPDATE OF d",
                            [PostgreSQLValue(level.keys[entity.number] ?? [])])
                    ])[0]
                    for row in 0..<result.count {
                        guard let key = result.integer(row, 0),
                            let found = result.integer(row, 1).flatMap({ store.entity(number: Int($0)) })
                        else { continue }
                        if all.add(key, found) { next.add(key, found) }
                    }
                }
            }
            level = next
        }
        return all
    }

    /// Returns whether one of the rows at the other end is not deleted.
    private func stays(_ link: Link, entity: PostgreSQLEntity, all: PostgreSQLBatchRows) throws -> Bool {
        let deleted = all.keys(root: link.destination.mapping.rootNumber)
        return try store.run([
            Statement(
                "SELECT 1 FROM \(link.destination.table) d WHERE \(link.condition) AND d._pk <> ALL($2) LIMIT 1",
                [PostgreSQLValue(all.keys[entity.number] ?? []), PostgreSQLValue(deleted)])
        ])[0].count > 0
    }

    /// Returns the statements that clear references to deleted rows in all columns of remaining rows that may contain a
    /// key of the given tables. Join tables and the columns of relationships without an inverse follow through their
    /// foreign keys.
    private func clearing(
        _ roots: Set<Int>, _ all: PostgreSQLBatchRows
    ) -> [(name: String, command: Statement)] {
        (store.schema?.entities ?? []).toOneColumns(to: roots).compactMap { mapping, slot, columns in
            guard let entity = store.entity(number: mapping.number),
                let destination = store.entity(number: columns.destination)
            else { return nil }
            let setters = columns.names.map { ", \(PostgreSQLName.quoted($0)) = NULL" }
            let command = Statement(
                "UPDATE \(entity.table) SET _version = _version + 1\(setters.joined()) "
                    + "WHERE \(PostgreSQLName.quoted(columns.key)) = ANY($1) AND _pk <> ALL($2) RETURNING _pk, _entity",
                [
                    PostgreSQLValue(all.keys(root: destination.mapping.rootNumber)),
                    PostgreSQLValue(all.keys(root: mapping.rootNumber)),
                ])
            return (entity.layout.slots[slot].name, command)
        }
    }
}
