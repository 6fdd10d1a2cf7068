internal import Foundation
internal import RuntimeSupport

extension SQLiteStore {
    /// Writes changes in a transaction, which ends with the prepared save.
    ///
    /// - Throws: `SaveConflicts` if another connection has saved the same objects, `ReferenceConflicts` if references
    ///   would dangle, `ConstraintConflicts` if values violate a uniqueness constraint; an `NSError` of Cocoa's domain
    ///   for anything else.
    func prepare(_ save: StoreSave) throws -> PreparedSave {
        try reportingSave {
            let connection = try connection()
            try checkIsNotWriting(connection)
            do {
                return try write(save, connection, freesValues: false)
            } catch let error as SQLiteError where error.isUniqueness {
                let conflicts = try ConstraintCheck(self, connection).conflicts(of: save.changes)
                guard conflicts.isEmpty else { throw ConstraintConflicts(conflicts: conflicts) }
                // Objects that exchange values only conflict temporarily.
                return try write(save, connection, freesValues: true)
            }
        }
    }

    /// Throws an error within the transaction of another request: a handler of a batch insertion can use any context,
    /// but the store has only one connection that writes.
    func checkIsNotWriting(_ connection: SQLiteConnection) throws {
        guard connection.isInTransaction else { return }
        throw CoreDataError.error(
            .persistentStoreSave,
            text: "a handler of a request that is writing to the store at \(fileURL.path) cannot save to the store",
            userInfo: [NSAffectedStoresErrorKey: affectedStores, NSURLErrorKey: fileURL])
    }

    private func reportingSave<Result>(_ body: () throws -> Result) throws -> Result {
        try reporting(.persistentStoreSave, what: "the changes cannot be saved to \(fileURL.path)", body: body)
    }

    private func write(_ save: StoreSave, _ connection: SQLiteConnection, freesValues: Bool) throws -> PreparedSave {
        let changes = save.changes
        var transaction = SaveTransaction(store: self, connection: connection, changes: changes)
        let rows: [Row?]
        var written: [String: Any]?
        do {
            try connection.begin(.immediate)
            try checkExternalChanges(connection, changes: changes, locked: save.locked)
            save.computeDerivedValues { entity($0)?.callerDerivedSlots ?? [] }
            var references = DanglingReferenceCheck(store: self, connection: connection, changes: changes)
            try references.checkWritten()
            try recordHistory(of: save, connection)
            if freesValues { try ConstraintCheck(self, connection).freeValues(of: changes) }
            rows = try transaction.write { try references.checkDeleted() }
            if hasUnsavedMetadata {
                let all = metadata(changing: try SQLiteMetadata(connection)?.values ?? [:])
                try SQLiteMetadata(all, uuid: identifier).write(to: connection)
                written = all
            }
            try external.prepare(connection)
        } catch {
            throw rollBack(connection, after: error)
        }
        return PreparedSave(isWritten: true) { [self] in
            try reportingSave {
                do {
                    try connection.commit(.immediate)
                } catch {
                    throw rollBack(connection, after: error)
                }
            }
            let changed = transaction.finish()
            if let written { recordSavedMetadata(written) }
            external.didCommit(connection)
            didWrite(connection)
            return SaveResult(rows: rows, derived: derivedRows(changed, save.showsDerivedValues))
        } rollBack: { [self] in
            _ = rollBack(connection, after: CancellationError())
        }
    }

    /// Ends the transaction of a save that has failed. Returns the error to throw.
    private func rollBack(_ connection: SQLiteConnection, after error: any Error) -> any Error {
        let error = connection.rollBack(.immediate, after: error)
        _ = triggerFunctions.take()
        // Rows read within the transaction may never have been committed.
        evictRows()
        external.didFail()
        return error
    }

    /// Returns those of the rows that triggers have changed that the caller needs.
    private func derivedRows(
        _ changed: Set<TriggerFunctions.Affected>, _ isIncluded: (NSManagedObjectID) -> Bool
    ) -> [NSManagedObjectID: Row] {
        let ids = changed.compactMap { affected in
            entity(number: Int(truncatingIfNeeded: affected.entity)).map { id(affected.key, $0) }
        }.filter(isIncluded)
        guard !ids.isEmpty else { return [:] }
        do {
            return Dictionary(zip(ids, try rows(for: ids)).compactMap { id, row in row.map { (id, $0) } }) { $1 }
        } catch {
            // The save has succeeded; a refresh reads the values.
            Log.error("derived values cannot be read after a save to \(fileURL.path): \(error)")
            return [:]
        }
    }

    /// Schedules the removal of external files that rows will no longer refer to.
    ///
    /// - Parameters:
    ///   - condition: The condition for the rows in the entity's table.
    ///   - key: The value of the condition's parameter, if it has one.
    ///   - slots: The slots that are written; `nil` for all.
    func dropFiles(
        where condition: String, key: Int64? = nil, entity: StoredEntity, slots: [Int]?,
        connection: SQLiteConnection
    ) throws {
        guard !entity.externalColumns.isEmpty else { return }
        let columns = entity.externalColumns.filter { slots?.contains($0.slot) ?? true }
        guard !columns.isEmpty else { return }
        let names = columns.map { SQLName.quoted($0.column) }.joined(separator: ", ")
        let statement = try connection.statement("SELECT \(names) FROM \(entity.table) WHERE \(condition)")
        defer { statement.reset() }
        if let key { statement.bind(key, at: 1) }
        while try statement.step() {
            for column in columns.indices {
                if let name = ExternalStorage.fileName(in: statement.bytes(Int32(column))) { external.drop(name) }
            }
        }
    }

    /// Schedules the removal of external files that the row with a key will no longer refer to.
    func dropFiles(
        _ key: Int64, entity: StoredEntity, slots: [Int]?, connection: SQLiteConnection
    ) throws {
        try dropFiles(where: "Z_PK = ?", key: key, entity: entity, slots: slots, connection: connection)
    }

    /// Checks whether another connection has written since the versions of the objects were compared.
    private func checkExternalChanges(
        _ connection: SQLiteConnection, changes: [ObjectChange], locked: [ObjectChange]
    ) throws {
        guard try hasExternalChanges(connection) else { return }
        let cached = changes.map { $0.kind == .insert ? nil : cachedRow(of: $0.id, $0.layout) }
        let cachedLocked = locked.map { cachedRow(of: $0.id, $0.layout) }
        try invalidateIfChanged(connection)
        var conflicts: [SaveConflicts.Conflict] = []
        for (change, cached) in zip(changes, cached) where change.kind != .insert {
            guard var conflict = change.conflict(with: try row(for: change.id, change.layout)) else { continue }
            (conflict.isExternal, conflict.cached) = (true, cached)
            conflicts.append(conflict)
        }
        for (change, cached) in zip(locked, cachedLocked) {
            let current = try row(for: change.id, change.layout)
            guard current?.version != change.oldVersion else { continue }
            conflicts.append(.init(change: change, current: current, isExternal: true, cached: cached))
        }
        if !conflicts.isEmpty { throw SaveConflicts(conflicts: conflicts) }
    }
}
