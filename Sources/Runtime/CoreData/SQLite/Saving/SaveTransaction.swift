internal import Foundation
internal import RuntimeSupport

/// A save of a SQLite store, in one transaction.
struct SaveTransaction {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let changes: [ObjectChange]
    private var writer: RowWriter
    /// The rows to put into the cache after the save. The store retains the entities.
    private var cached: [(key: Int64, entity: Unmanaged<StoredEntity>, row: Row?)] = []
    private var conflicts: [Int] = []

    init(store: SQLiteStore, connection: SQLiteConnection, changes: [ObjectChange]) {
        self.store = store
        self.connection = connection
        self.changes = changes
        writer = RowWriter(store, connection)
        cached.reserveCapacity(changes.count)
    }

    /// Writes the insertions and updates, after `deleteRows()`. Called within the transaction.
    ///
    /// - Returns: The new row of each change, for the context.
    /// - Throws: `SaveConflicts` if another connection has saved the same objects.
    mutating func writeInsertsAndUpdates() throws -> [Row?] {
        var rows = [Row?](repeating: nil, count: changes.count)
        guard !changes.allSatisfyUncounted({ $0.kind == .delete }) else {
            guard conflicts.isEmpty else { throw try saveConflicts() }
            return rows
        }
        for (index, change) in changes.enumerated() where change.kind == .update && change.changesRow {
            rows[index] = try update(change, index)
        }
        for (index, change) in changes.enumerated() where change.kind == .insert {
            rows[index] = try insert(change)
        }
        guard conflicts.isEmpty else { throw try saveConflicts() }
        let members = MemberWriter(store, connection)
        try changes.forEachUncounted { change in
            guard change.kind != .delete, !change.members.isEmpty, let (key, entity) = try position(change) else {
                return
            }
            for member in change.members { try members.write(member, of: key, entity) }
        }
        members.write(writer.orders)
        try members.sortAll()
        return rows
    }

    private func position(_ change: ObjectChange) throws -> (Int64, StoredEntity)? {
        guard case .number(let key) = change.id.reference else { return nil }
        guard let entity = store.entity(change.layout) else {
            throw CoreDataError.error(
                .persistentStoreSave, text: "the store does not hold objects of the entity “\(change.layout.name)”",
                userInfo: [NSAffectedObjectsErrorKey: [change.reference]])
        }
        return (key, entity)
    }

    // MARK: Rows

    private mutating func insert(_ change: ObjectChange) throws -> Row? {
        guard let (key, entity) = try position(change) else { return nil }
        let row = DerivedValues.row(try change.row.encoded(nil, entity.encodings), of: change)
        try writer.insert(key, row: row, entity: entity)
        cached.append((key, .passUnretained(entity), entity.hasTriggers ? nil : row))
        return row
    }

    private mutating func update(_ change: ObjectChange, _ index: Int) throws -> Row? {
        guard let (key, entity) = try position(change) else { return nil }
        let row = DerivedValues.row(try change.row.encoded(change.changedSlots, entity.encodings), of: change)
        var slots = change.changedSlots
        if !entity.derivedSlots.isEmpty {
            slots.removeAll(where: entity.derivedSlots.contains)
            slots += entity.callerDerivedSlots
        }
        try store.dropFiles(key, entity: entity, slots: slots, connection: connection)
        guard try writer.update(key, row: row, from: change.oldVersion, slots: slots, entity: entity) else {
            conflicts.append(index)
            return nil
        }
        let version = change.oldVersion &+ 1
        let isNext = row.version == version
        cached.append((key, .passUnretained(entity), entity.hasTriggers || !isNext ? nil : row))
        return isNext ? row : Row.make(row.values, version: version)
    }

    /// Removes all rows that the save deletes, those with consecutive keys with one statement.
    ///
    /// Called first, because unique values may move from a deleted object to another.
    mutating func deleteRows() throws {
        var deletions: [Deletion] = []
        var index = -1
        try changes.forEachUncounted { change in
            index += 1
            guard change.kind == .delete, let (key, entity) = try position(change) else { return }
            if !entity.externalColumns.isEmpty {
                try store.dropFiles(key, entity: entity, slots: nil, connection: connection)
            }
            deletions.append(
                Deletion(
                    index: index, root: entity.mapping.rootNumber, version: change.oldVersion, key: key,
                    entity: .passUnretained(entity)))
        }
        if !deletions.isSorted { deletions.sort { $0.isBefore($1) } }
        var rest = deletions[...]
        while let first = rest.first {
            let run = rest.firstRun
            rest = rest.dropFirst(run.count)
            try delete(run, first.key...first.key + Int64(run.count - 1))
        }
    }

    /// Removes rows with consecutive keys and the same version.
    private mutating func delete(_ run: ArraySlice<Deletion>, _ keys: ClosedRange<Int64>) throws {
        guard let first = run.first else { return }
        let count = try writer.delete(keys, version: first.version, first.entity.takeUnretainedValue())
        let members = MemberWriter(store, connection)
        for deletion in run {
            let entity = deletion.entity.takeUnretainedValue()
            // A row that no longer exists needs no deletion.
            if count < run.count, try exists(deletion.key, entity) {
                conflicts.append(deletion.index)
            } else {
                if entity.hasMemberRows { try members.remove(deletion.key, entity) }
                cached.append((deletion.key, deletion.entity, nil))
            }
        }
    }

    private func exists(_ key: Int64, _ entity: StoredEntity) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM \(entity.table) WHERE Z_PK = ?")
        defer { statement.reset() }
        statement.bind(key, at: 1)
        return try statement.step()
    }

    // MARK: Conflicts

    /// Returns the conflicts of all objects in the save that another connection has also saved.
    private func saveConflicts() throws -> SaveConflicts {
        let cached = conflicts.map { store.cachedRow(of: changes[$0].id, changes[$0].layout) }
        store.evictRows()
        return SaveConflicts(
            conflicts: try zip(conflicts, cached).map { index, cached in
                let change = changes[index]
                return .init(
                    change: change, current: try store.storedRow(of: change.id, change.layout), isExternal: true,
                    cached: cached)
            })
    }

    // MARK: After the save

    /// Updates the caches with the written rows.
    ///
    /// - Returns: The rows that triggers have changed.
    func finish() -> Set<TriggerFunctions.Affected> {
        var changed = store.triggerFunctions.take()
        for affected in changed { store.evictRow(affected) }
        for (key, entity, row) in cached {
            entity._withUnsafeGuaranteedRef { entity in
                entity.remember(row, key)
                guard row == nil, entity.hasTriggers else { return }
                // Other programs may have changed its derived values without a new version.
                let (table, number) = (entity.mapping.table, Int64(entity.mapping.number))
                changed.insert(TriggerFunctions.Affected(table: table, entity: number, key: key))
            }
        }
        return changed
    }
}
