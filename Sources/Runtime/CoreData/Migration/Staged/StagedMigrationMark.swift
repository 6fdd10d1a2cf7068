internal import Foundation

/// The mark of a store whose last stage has a handler that is still to succeed.
///
/// While the handler is due, the store's metadata contains the version that the stage migrates to. It is due only in a
/// store of that version, so the mark can be written before the migration, with which the store gets the version in one
/// transaction.
package struct StagedMigrationMark {
    private static let dueKey = "_ModelcStagedMigrationHandlerDue"

    private let url: URL
    private let type: String
    private let options: [AnyHashable: Any]

    /// Creates the mark of a store, which is not open while the mark is written.
    package init(storeAt url: URL, ofType type: String, options: [AnyHashable: Any] = [:]) {
        self.url = url
        self.type = type
        self.options = options
    }

    /// Returns the checksum of the version whose handler is due, or `nil`.
    package static func due(in metadata: [String: Any]) -> String? {
        guard let due = metadata[dueKey] as? String, due == metadata[StoreMetadata.checksumKey] as? String else {
            return nil
        }
        return due
    }

    /// Records that the handler of a version is due.
    ///
    /// - Parameter version: The checksum of the version; `nil` if no handler is due.
    /// - Throws: An error of Cocoa's domain if the metadata cannot be read or written.
    package func set(_ version: String?) throws {
        var metadata = try metadata()
        guard metadata[Self.dueKey] as? String != version else { return }
        metadata[Self.dueKey] = version
        try NSPersistentStoreCoordinator.setMetadata(
            metadata, forPersistentStoreOfType: type, at: url, options: options)
    }

    /// Runs a function that migrates the store to a version, after which the handler is due.
    ///
    /// - Throws: What the function throws. No handler is due then, if the store was not migrated.
    package func migrate(to version: String, _ body: () throws -> Void) throws {
        do {
            try set(version)
        } catch  where StoreTypes.engine(type) == nil {
            // A custom class may be unable to write the metadata of a store that is not open.
        }
        do {
            try body()
        } catch {
            // It left the store as it was, unless only the answer to the commit was lost.
            if let metadata = try? metadata(), Self.due(in: metadata) == nil { try? set(nil) }
            throw error
        }
    }

    private func metadata() throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url, options: options)
    }
}
