internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Sets values in many rows of one entity hierarchy.
struct PostgreSQLBatchUpdate {
    private let store: PostgreSQLStore
    private let entity: PostgreSQLEntity
    private let rows: PostgreSQLBatchRows
    private let evaluation: BatchEvaluation

    init(
        store: PostgreSQLStore, entity: PostgreSQLEntity, rows: PostgreSQLBatchRows, evaluation: BatchEvaluation
    ) {
        self.store = store
        self.entity = entity
        self.rows = rows
        self.evaluation = evaluation
    }

    /// Writes the values into all rows, which are locked.
    func run(
        _ assignments: [BatchChange.Assignment], batch: BatchChange, record: inout PostgreSQLHistoryRecord
    ) throws -> BatchOutcome {
        let all = rows.all(store)
        guard !all.isEmpty else { return BatchOutcome() }
        // The expressions refer to the objects' old values.
        let values = try evaluation.values(assignments, all.map { store.id($0.key, $0.entity) })
        let slots = assignments.map(\.slot)
        store.connections.witness = PostgreSQLWitness(table: entity.table, key: all[0].key)
        try PostgreSQLBatchPairs(store: store, entity: entity, rows: all).keep(assignments, &record)
        try write(assignments, values: values, all: all)
        try writeDerivedValues(all)
        for row in all { record.update(row.key, row.entity, slots: slots + row.entity.callerDerivedSlots) }
        return BatchOutcome(
            count: all.count, ids: batch.needsIDs ? all.map { store.id($0.key, $0.entity) } : [])
    }

    private func write(
        _ assignments: [BatchChange.Assignment], values: [[Int: SlotValue]],
        all: [(key: Int64, entity: PostgreSQLEntity)]
    ) throws {
        let slots = Set(assignments.map(\.slot))
        let fields = entity.fields.filter { slots.contains($0.slot) }
        let count = entity.layout.slots.count
        var members = PostgreSQLMembers(store)
        let written = zip(all, values).map { row, computed in
            var values = [SlotValue](repeating: .null, count: count)
            for assignment in assignments {
                values[assignment.slot] = computed[assignment.slot] ?? .null
                if case .constant(let constant) = assignment.value { values[assignment.slot] = constant }
            }
            let result = Row.make(values, version: 0)
            members.record(result, key: row.key, fields: fields)
            return result
        }
        for case .reference(let id) in slots.flatMap({ slot in written.map { $0[slot] } })
        where !store.holds(id) {
            throw CoreDataError.error(
                .managedObjectExternalRelationship, text: "a batch update cannot relate objects of different stores",
                userInfo: [NSAffectedStoresErrorKey: store.affectedStores])
        }
        let constants = Set(
            assignments.compactMap { if case .constant = $0.value { $0.slot } else { nil } })
        var start = 0
        while start < written.count {
            // As many rows as a statement should have.
            let computed = slots.subtracting(constants).sorted()
            var (end, bytes) = (start, 0)
            while end < written.count, end - start < Self.limit.rows, end == start || bytes < Self.limit.bytes {
                bytes += written[end].size(of: computed)
                end += 1
            }
            let rows = Array(written[start..<end])
            do {
                _ = try store.run([
                    try PostgreSQLRowStatements.update(
                        of: rows, keys: all[start..<end].map(\.key), versions: nil,
                        fields: fields.filter { !constants.contains($0.slot) },
                        constants: fields.filter { constants.contains($0.slot) }, entity: entity, store: store)
                ])
            } catch let failure as PostgreSQLError where failure.isTooLarge {
                throw try PostgreSQLConstraintCheck(store: store).tooLarge(in: rows.map { (entity, $0, nil) })
                    ?? failure
            }
            start = end
        }
        _ = try store.run(members.orderCommands())
    }

    /// The maximum number of rows in a statement, and about the maximum of their bytes.
    private static let limit = (rows: 20_000, bytes: 16 << 20)

    /// Computes the derived attributes of the rows from their current values.
    func writeDerivedValues(_ all: [(key: Int64, entity: PostgreSQLEntity)]) throws {
        store.evictRows()
        for (_, group) in Dictionary(grouping: all, by: \.entity.number).sorted(by: { $0.key < $1.key }) {
            guard let entity = group.first?.entity, !entity.callerDerivedSlots.isEmpty else { continue }
            let fields = entity.fields.filter { entity.callerDerivedSlots.contains($0.slot) }
            var rows: [Row] = []
            try evaluation.forEachDerived(entity.callerDerivedSlots, group.map { store.id($0.key, entity) }) {
                _, derived in
                var values = [SlotValue](repeating: .null, count: entity.layout.slots.count)
                for (slot, value) in derived { values[slot] = value }
                rows.append(Row.make(values, version: 0))
            }
            _ = try store.run([
                try PostgreSQLRowStatements.update(
                    of: rows, keys: group.map(\.key), versions: nil, fields: fields, entity: entity, store: store)
            ])
        }
    }
}
