public import Foundation

/// What errors of saves say in their `userInfo`.
extension CocoaError {
    /// The conflicts that kept changes from being saved.
    public var persistentStoreSaveConflicts: [NSMergeConflict]? {
        userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    }
}
