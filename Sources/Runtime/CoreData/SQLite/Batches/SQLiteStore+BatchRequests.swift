internal import Foundation

/// Batch requests, which change many rows without creating their objects in a context.
extension SQLiteStore {
    /// Executes a batch request in one transaction.
    func execute(_ batch: BatchChange, with evaluation: BatchEvaluation) throws -> BatchOutcome {
        guard let entity = entity(batch.layout) else {
            throw CoreDataError.error(
                .persistentStoreSave, text: "the store does not hold objects of the entity “\(batch.layout.name)”",
                userInfo: [NSAffectedStoresErrorKey: affectedStores])
        }
        return try writing(author: batch.author, contextName: batch.contextName) { connection, history in
            switch batch.kind {
            case .insert(let values):
                var insertion = BatchInsertion(
                    store: self, connection: connection, entity: entity, history: history, batch: batch)
                return try insertion.run(values)
            case .update(let assignments):
                let rows = BatchRows(self, connection, evaluation: evaluation)
                try rows.find(batch.settings, entity)
                return try BatchUpdate(
                    store: self, connection: connection, entity: entity, history: history, rows: rows
                ).run(
                    assignments, needsIDs: batch.needsIDs)
            case .delete(let objects):
                let rows = BatchRows(self, connection, evaluation: evaluation)
                switch objects {
                case .found: try rows.find(batch.settings, entity)
                case .listed(let ids): try rows.list(ids)
                }
                return try BatchDeletion(store: self, connection: connection, history: history, rows: rows).run(
                    needsIDs: batch.needsIDs)
            }
        }
    }

    /// Runs a block that writes rows, and takes care of history, external files and the row caches.
    func writing<Result>(
        author: String?, contextName: String?, _ body: (SQLiteConnection, HistoryWriter?) throws -> Result
    ) throws -> Result {
        try reporting(.persistentStoreSave, what: "the batch request failed in \(fileURL.path)") {
            let connection = try connection()
            try checkIsNotWriting(connection)
            let outcome: Result
            do {
                outcome = try connection.transaction {
                    try invalidateIfChanged(connection)
                    let history = try HistoryWriter(
                        self, connection, author: author, contextName: contextName)
                    let outcome = try body(connection, history)
                    try history?.finish()
                    try external.prepare(connection)
                    return outcome
                }
            } catch {
                external.didFail()
                _ = triggerFunctions.take()
                evictRows()
                if let error = error as? SQLiteError, error.isUniqueness { throw constraintFailure(error) }
                throw error
            }
            for affected in triggerFunctions.take() { evictRow(affected) }
            external.didCommit(connection)
            didWrite(connection)
            return outcome
        }
    }

    /// Returns the error for a violation of a uniqueness constraint.
    func constraintFailure(_ error: SQLiteError) -> NSError {
        CoreDataError.error(
            .managedObjectConstraintMerge,
            text: "the batch request violates a uniqueness constraint: \(error.message)",
            userInfo: [
                NSAffectedStoresErrorKey: affectedStores, NSURLErrorKey: fileURL,
                NSUnderlyingErrorKey: NSError(
                    domain: NSSQLiteErrorDomain, code: Int(error.primaryCode),
                    userInfo: [NSLocalizedDescriptionKey: error.message]),
            ])
    }
}
