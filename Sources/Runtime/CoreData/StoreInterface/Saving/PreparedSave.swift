/// A save of one store that has begun and can still be rolled back.
///
/// A save of several stores prepares all of them before it commits the first: a conflict in any of them then leaves all
/// unchanged.
package struct PreparedSave {
    /// Whether everything is written, so that only the commit itself can still fail. If not, `commit` also writes.
    package var isWritten: Bool
    /// Commits the changes. Returns what was written.
    ///
    /// - Throws: An error after which nothing is saved, or `UnknownSaveOutcome`.
    var commit: () throws -> SaveResult
    /// Rolls the changes back. Called instead of `commit`.
    var rollBack: () -> Void

    package init(isWritten: Bool, commit: @escaping () throws -> SaveResult, rollBack: @escaping () -> Void) {
        self.isWritten = isWritten
        self.commit = commit
        self.rollBack = rollBack
    }
}

/// A commit whose outcome the store cannot determine.
///
/// The context keeps the IDs of the new objects, and asks the store for the outcome before its next save.
package struct UnknownSaveOutcome: Error {
    /// The reason, for the caller of the save.
    package var reason: any Error
    /// The number of the transaction in the store, if it has one.
    package var transaction: Int64?

    package init(reason: any Error, transaction: Int64? = nil) {
        self.reason = reason
        self.transaction = transaction
    }

    /// Returns whether the current rows of a store contain a save of changes, which is atomic; `nil` if they do not
    /// show it.
    static func outcome(of changes: [ObjectChange], _ rows: [Row?]) -> Bool? {
        let all = zip(changes, rows)
        // No other program inserts a row with a reserved key, and a deleted row does not come back.
        if let new = all.first(where: { $0.0.kind == .insert }) { return new.1 != nil }
        if all.contains(where: { $0.kind == .delete && $1 != nil }) { return false }
        let updates = all.filter { $0.0.kind == .update && $0.0.changesRow }
        if updates.contains(where: { change, row in row.map { $0.version <= change.oldVersion } == true }) {
            return false
        }
        // Rows of later versions are inconclusive.
        let next = updates.filter { change, row in row?.version == change.oldVersion + 1 }
        if !next.isEmpty, next.allSatisfy({ $0.isSaved(as: $1) }) { return true }
        return !changes.isEmpty && changes.allSatisfy { $0.kind == .delete } ? true : nil
    }
}

extension ObjectChange {
    /// Returns whether a row is the result of the change. If only values change, another program may have saved the
    /// same ones.
    fileprivate func isSaved(as row: Row?) -> Bool {
        guard let row, row.version == oldVersion + 1, members.isEmpty else { return false }
        let slots = changedSlots.filter { layout.rowSlots.contains($0) && !layout.derivedSlots.contains($0) }
        return !slots.isEmpty && slots.allSatisfy { $0 < row.count && self.row[$0].isEqualInRow(row[$0]) }
    }
}

/// A save that has committed some of its stores before another one failed, or whose outcome is unknown.
struct IncompleteSave: Error, @unchecked Sendable {
    var changes: [ObjectChange]
    /// The result for the changes of the stores that were committed.
    var saved: SaveResult
    /// The indices of the changes that were committed.
    var committed: [Int] = []
    /// The indices of the changes of the store whose outcome is unknown; empty if it is known.
    var uncertain: [Int] = []
    /// The number of the store's transaction whose outcome is unknown, if it has one.
    var transaction: Int64?
    /// The store that failed, in the form in which errors name it, and its path.
    var store: AnyObject
    var path: String
    var reason: any Error
}

/// The rows that a save has written.
package struct SaveResult {
    /// Each object's current row, or `nil` if it was deleted or its row did not change.
    package var rows: [Row?]
    /// The rows of objects that the save did not write but whose derived attributes it has changed. Their versions are
    /// unchanged, because no save changed them. Rows that the caller does not need may be missing.
    package var derived: [NSManagedObjectID: Row] = [:]

    package init(rows: [Row?], derived: [NSManagedObjectID: Row] = [:]) {
        self.rows = rows
        self.derived = derived
    }
}
