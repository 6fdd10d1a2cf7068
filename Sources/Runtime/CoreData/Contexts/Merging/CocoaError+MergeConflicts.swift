public import Foundation

/// The merge conflicts in a save error's `userInfo`.
extension CocoaError {
    /// The conflicts that made the save fail.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }
}
