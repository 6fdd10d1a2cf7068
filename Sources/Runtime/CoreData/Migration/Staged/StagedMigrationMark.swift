internal import Foundation

/// The mark of a store whose last stage has a handler that is still to succeed.
///
/// While the handler is due, the store's metadata contains the version that the stage migrates to. It is due only in a
/// store of that version, so the mark can be written before the migration, with which the store gets the version in one
/// transaction.
package enum StagedMigrationMark {
    private static let dueKey = "_ModelcStagedMigrationHandlerDue"

    /// Returns the checksum of the version whose handler is due, or `nil`.
    package static func due(in metadata: [String: Any]) -> String? {
        guard let due = metadata[dueKey] as? String, due == metadata[StoreMetadata.checksumKey] as? String else {
            return nil
        }
        return due
    }

    /// Records in a store, which is not open, that the handler of a version is due.
    ///
    /// - Parameter version: The checksum of the version; `nil` if no handler is due.
    /// - Throws: An error of Cocoa's domain if the metadata cannot be read or written.
    package static func set(
        _ version: String?, inStoreAt url: URL, ofType type: String, options: [AnyHashable: Any] = [:]
    ) throws {
        var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: type, at: url, options: options)
        guard metadata[dueKey] as? String != version else { return }
        metadata[dueKey] = version
        try NSPersistentStoreCoordinator.setMetadata(
            metadata, forPersistentStoreOfType: type, at: url, options: options)
    }
}
