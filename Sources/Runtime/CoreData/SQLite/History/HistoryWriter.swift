internal import Foundation

/// Writes one transaction of a store's history, within the database transaction that makes its changes.
final class HistoryWriter {
    private let store: SQLiteStore
    private let rows: HistoryRows

    /// - Parameters:
    ///   - author: The author of the changes.
    ///   - contextName: The name of the context that makes the changes.
    /// - Returns: `nil` if the store keeps no history.
    init?(_ store: SQLiteStore, _ connection: SQLiteConnection, author: String?, contextName: String?) throws {
        guard store.settings.tracksHistory, store.history.exists else { return nil }
        self.store = store
        rows = try HistoryRows(
            connection, tombstoneCount: store.history.tombstoneCount, author: author, contextName: contextName)
    }

    /// Records that an object was inserted.
    func insert(_ key: Int64, _ entity: StoredEntity) throws {
        try rows.add(.insert, key: key, entity: entity.number)
    }

    /// Records that properties of an object were changed.
    func update(_ key: Int64, _ entity: StoredEntity, slots: [Int]) throws {
        let kept = slots.filter { slot in
            guard entity.layout.slots.indices.contains(slot), !entity.layout.slots[slot].isTransient else {
                return false
            }
            return entity.layout.slots[slot].kind != .fetched
        }
        guard !kept.isEmpty else { return }
        try rows.add(
            .update, key: key, entity: entity.number,
            columns: ColumnBits.bytes(kept, count: entity.layout.slots.count))
    }

    /// Records that an object was deleted.
    ///
    /// - Parameter row: Its last values; `nil` if they are unknown.
    func delete(_ key: Int64, entity: StoredEntity, row: Row?) throws {
        try rows.add(.delete, key: key, entity: entity.number) { statement, first in
            guard let row else { return }
            for (index, tombstone) in store.history.tombstones(of: entity).enumerated()
            where index < store.history.tombstoneCount && tombstone.slot < row.count {
                // An object whose value cannot be read can be deleted.
                let value = row[tombstone.slot].readable
                try tombstone.coding.bind(value, to: statement, at: first + Int32(index))
            }
        }
    }

    /// Writes the last numbers, so that later ones are larger even if the history is deleted.
    func finish() throws { try rows.finish() }
}

extension SQLiteStore {
    /// Writes the history of a save. Called within its transaction, before the rows change: tombstones are read from
    /// them.
    func recordHistory(of save: StoreSave, _ connection: SQLiteConnection) throws {
        guard !save.changes.isEmpty,
            let writer = try HistoryWriter(self, connection, author: save.author, contextName: save.contextName)
        else { return }
        for change in save.changes {
            guard case .number(let key) = change.id.reference, let entity = entity(change.layout) else { continue }
            switch change.kind {
            case .insert: try writer.insert(key, entity)
            case .update: try writer.update(key, entity, slots: change.changedSlots)
            case .delete:
                // A row that no longer exists was not deleted by this save.
                guard let row = try row(for: change.id, change.layout) else { continue }
                try writer.delete(key, entity: entity, row: row)
            }
        }
        try writer.finish()
    }
}
