internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Saving, and the translation of the errors that the server returns.
extension PostgreSQLStore {
    /// Writes changes in a transaction, which ends with the prepared save.
    ///
    /// - Throws: `SaveConflicts` if another program has saved the same objects, `ReferenceConflicts` if references
    ///   would dangle, `ConstraintConflicts` if values violate a uniqueness constraint; an `NSError` of Cocoa's domain
    ///   for anything else.
    func prepare(_ save: StoreSave) throws -> PreparedSave {
        guard !isReadOnly else {
            throw CoreDataError.error(.persistentStoreSave, text: "the PostgreSQL store is read-only")
        }
        var (writer, transaction) = try reporting(save) {
            let unpaired = try ReferenceConflicts.unpaired(in: save.changes) { try rows(for: $0) }
            if !unpaired.isEmpty { throw ReferenceConflicts(unpaired: unpaired) }
            return try repeating { try write(save) }
        }
        return PreparedSave(isWritten: true) { [self] in
            try reporting(save) {
                do {
                    return writer.finish(try commit(transaction))
                } catch let failure as PostgreSQLError
                    where failure.isRepeatable || failure.isLost && !failure.hasUnknownOutcome
                {
                    // Nothing is committed.
                    return try repeating {
                        (writer, transaction) = try write(save)
                        return writer.finish(try commit(transaction))
                    }
                }
            }
        } rollBack: { [self] in
            rollBack(transaction)
            // Rows read within the transaction were never committed.
            evictRows()
        }
    }

    private func write(
        _ save: StoreSave
    ) throws -> (PostgreSQLSave, OpenTransaction<PostgreSQLSave.Written>) {
        save.computeDerivedValues { entity($0)?.callerDerivedSlots ?? [] }
        var writer = PostgreSQLSave(self, save.changes)
        let transaction = try writer.begin(save)
        return (writer, transaction)
    }

    /// Runs a part of a save, and explains the server's errors.
    private func reporting<Result>(_ save: StoreSave, _ body: () throws -> Result) throws -> Result {
        // The rows that a save is compared with must not be older than those it overwrites.
        try readingNewest { try explaining(save, body) }
    }

    private func explaining<Result>(_ save: StoreSave, _ body: () throws -> Result) throws -> Result {
        try reporting(.persistentStoreSave, what: "the changes cannot be saved") {
            do {
                return try body()
            } catch let failure as PostgreSQLError where failure.hasUnknownOutcome {
                throw UnknownSaveOutcome(
                    reason: failure.cocoaError(.persistentStoreSave, "the changes cannot be saved"),
                    transaction: failure.unknownTransaction)
            } catch let failure as PostgreSQLError where failure.isUniqueness {
                let conflicts = try PostgreSQLConstraintCheck(store: self).conflicts(of: save.changes)
                guard conflicts.isEmpty else { throw ConstraintConflicts(conflicts: conflicts) }
                // A standby that did not receive everything before it was promoted gives keys a second time.
                freeKeys = [:]
                throw failure
            } catch let failure as PostgreSQLError where failure.isReference {
                // The policy may restore an object that another program has deleted, before references to it are
                // dropped.
                let deleted = try versionConflicts(of: save.changes)
                guard deleted.isEmpty else { throw SaveConflicts(conflicts: deleted) }
                let conflicts = try PostgreSQLReferenceCheck(self, save.changes).conflicts()
                guard conflicts.isEmpty else { throw conflicts }
                throw failure
            } catch let failure as PostgreSQLError where failure.isTooLarge {
                throw try PostgreSQLConstraintCheck(store: self).tooLarge(in: save.changes) ?? failure
            }
        }
    }

    /// Returns the conflicts of objects that another program has changed or deleted.
    private func versionConflicts(of changes: [ObjectChange]) throws -> [SaveConflicts.Conflict] {
        try conflicts(of: changes.filter { $0.kind != .insert }).filter { conflict in
            conflict.change.conflict(with: conflict.current) != nil
        }
    }

    /// Returns conflicts of objects with their rows, which are read again.
    func conflicts(of changes: [ObjectChange]) throws -> [SaveConflicts.Conflict] {
        let cached = changes.map { cachedRow(of: $0.id, $0.layout) }
        evictRows()
        let current = try rows(for: changes.map(\.id))
        return changes.indices.map { index in
            .init(change: changes[index], current: current[index], isExternal: true, cached: cached[index])
        }
    }

    /// Returns whether changes were saved whose commit was lost.
    ///
    /// - Throws: An error with the code 134950 if the server is still committing them.
    func outcome(ofUncertain changes: [ObjectChange], transaction: Int64?) throws -> Bool? {
        if let transaction {
            let limit = min(connections.patience, 5)
            switch try connections.pools(self).main.outcome(ofTransaction: transaction, limit: limit) {
            case .aborted: return false
            case .inProgress:
                throw CoreDataError.error(
                    .persistentStoreSaveOutcomeUnknown,
                    text:
                        "it is unknown whether the changes were saved: the server is still committing them, and waits for a "
                        + "standby or a slow disk; save again later",
                    userInfo: [NSPersistentStoreSaveOutcomeUnknownKey: NSNumber(value: true)])
            // The number may be that of another transaction; only rows tell.
            case .committed, .unknown: break
            }
        }
        return try readingNewest { try outcomeInRows(of: changes) }
    }
}
