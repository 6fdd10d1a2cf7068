/// A save of one store that has begun and can still be taken back.
///
/// A save of several stores prepares all of them before it commits the first: a conflict in any of them then leaves all
/// unchanged.
struct PreparedSave {
    /// Whether everything is written, so that only the commit itself can still fail. If not, `commit` also writes.
    var isWritten: Bool
    /// Makes the changes permanent. Returns each object's current row, or nil if it was deleted or its row did not change.
    ///
    /// - Throws: an error after which nothing is saved, or `UnknownSaveOutcome`.
    var commit: () throws -> [Row?]
    /// Takes the changes back. Called instead of `commit`.
    var rollBack: () -> Void
}

/// A commit of which the store cannot tell whether it took place.
///
/// The context keeps the IDs of the new objects, and asks the store for the outcome before its next save.
struct UnknownSaveOutcome: Error {
    /// The reason, for the caller of the save.
    var reason: any Error
    /// The number of the transaction in the store, if it has one.
    var transaction: Int64?
}

/// A save that has committed some of its stores before another one failed, or of which the outcome is unknown.
struct IncompleteSave: Error, @unchecked Sendable {
    /// All changes of the save.
    var changes: [ObjectChange]
    /// The result for the changes of the stores that were committed.
    var saved: SaveResult
    /// The indices of the changes that were committed.
    var committed: [Int] = []
    /// The indices of the changes of the store whose outcome is unknown; empty if it is known.
    var uncertain: [Int] = []
    /// The number of the store's transaction whose outcome is unknown, if it has one.
    var transaction: Int64?
    /// The store that failed.
    var store: NSPersistentStore
    var reason: any Error
}

/// The rows that a save has written.
struct SaveResult {
    /// Each object's current row, or nil if it was deleted or its row did not change.
    var rows: [Row?]
    /// The rows of other objects whose derived attributes have changed.
    var derived: [NSManagedObjectID: Row] = [:]
}
