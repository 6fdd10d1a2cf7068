internal import CoreData
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Finds dangling references of a save, after the server's foreign keys have made it fail.
struct PostgreSQLReferenceCheck {
    private let store: PostgreSQLStore
    private let changes: [ObjectChange]
    /// The objects that the save deletes, by the number of their root entity and by key.
    private var deleted: [Int: [Int64: NSManagedObjectID]] = [:]
    private var inserted: Set<RowIdentity> = []

    init(_ store: PostgreSQLStore, _ changes: [ObjectChange]) {
        self.store = store
        self.changes = changes
        for change in changes {
            guard let row = row(of: change.id) else { continue }
            switch change.kind {
            case .delete: deleted[row.root, default: [:]][row.key] = change.id
            case .insert: inserted.insert(row)
            case .update: continue
            }
        }
    }

    private func row(of id: NSManagedObjectID) -> RowIdentity? {
        guard case .number(let key) = id.reference, let entity = store.entity(id.layout) else { return nil }
        return RowIdentity(root: entity.mapping.rootNumber, key: key)
    }

    func conflicts() throws -> ReferenceConflicts {
        var conflicts = ReferenceConflicts()
        var open: [ReferenceConflicts.Reference] = []
        for change in changes where change.kind != .delete {
            guard let entity = store.entity(change.layout) else { continue }
            change.forEachWrittenReference(holdsMembers: { entity.mapping.slotColumns[$0].holdsMembers }) {
                slot, target in
                guard let row = row(of: target), !inserted.contains(row) else { return }
                let reference = ReferenceConflicts.Reference(source: change.id, slot: slot, target: target)
                if deleted[row.root]?[row.key] != nil {
                    conflicts.dangling.append(reference)
                } else {
                    open.append(reference)
                }
            }
        }
        let rows = try store.rows(for: open.map(\.target))
        for (reference, row) in zip(open, rows) where row == nil { conflicts.dangling.append(reference) }
        conflicts.left = try referencesToDeleted()
        return conflicts
    }

    /// Returns the references in the database to objects that the save deletes, except for those that the save also
    /// replaces or deletes.
    private func referencesToDeleted() throws -> [ReferenceConflicts.Reference] {
        guard !deleted.isEmpty, let schema = store.schema else { return [] }
        var replaced: [RowIdentity: [Int]] = [:]
        for change in changes where change.kind == .update {
            if let row = row(of: change.id) { replaced[row] = change.changedSlots }
        }
        var result: [ReferenceConflicts.Reference] = []
        for (mapping, _, columns) in schema.entities.toOneColumns(to: deleted.keys) {
            guard let source = store.entity(number: mapping.number),
                let root = store.entity(number: columns.destination)?.mapping.rootNumber, let targets = deleted[root]
            else { continue }
            result += try references(columns, in: source, to: targets).filter { reference in
                guard let row = self.row(of: reference.source) else { return false }
                return replaced[row]?.contains(reference.slot) != true
            }
        }
        return result
    }

    private func references(
        _ columns: ToOneColumns, in source: PostgreSQLEntity, to targets: [Int64: NSManagedObjectID]
    ) throws -> [ReferenceConflicts.Reference] {
        let column = PostgreSQLName.quoted(columns.key)
        let result = try store.run([
            Statement(
                "SELECT _pk, _entity, \(column) FROM \(source.table) WHERE \(column) = ANY($1)",
                [PostgreSQLValue(targets.keys.sorted())])
        ])[0]
        let goingToo = deleted[source.mapping.rootNumber] ?? [:]
        return (0..<result.count).compactMap { row in
            guard let key = result.integer(row, 0), goingToo[key] == nil,
                let target = result.integer(row, 2).flatMap({ targets[$0] }),
                let entity = result.integer(row, 1).flatMap({ store.entity(number: Int($0)) }),
                let slot = entity.mapping.slotColumns.firstIndex(where: { $0.isToOne(key: columns.key) }),
                !ReferenceConflicts.isKept(entity.layout.slots[slot], target)
            else { return nil }
            return .init(source: store.id(key, entity), slot: slot, target: target)
        }
    }
}
