internal import CompiledModel
internal import Foundation
internal import ModelSchema

/// The metadata of stores in XML and binary files.
enum FormatMetadata {
    private static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
    private static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
    private static let digestKey = "NSStoreModelVersionHashesDigest"
    /// The newest version of Apple's framework whose files were examined.
    private static let frameworkVersion = 1344
    private static let hashesVersion = 3

    /// The metadata of a new store.
    static var initial: [String: Any] {
        [
            frameworkVersionKey: NSNumber(value: frameworkVersion),
            hashesVersionKey: NSNumber(value: hashesVersion),
        ]
    }

    /// Returns the metadata to store: without type and UUID, which are stored separately.
    ///
    /// - Throws: An error with the code 134070 for a value that cannot be in a property list or a file of the format.
    static func stored<Format: StoreFormat>(_ metadata: [String: Any], in format: Format.Type) throws -> [String: Any] {
        var values = metadata
        values[NSStoreTypeKey] = nil
        values[NSStoreUUIDKey] = nil
        if values[digestKey] != nil || values[frameworkVersionKey] as? Int == frameworkVersion,
            let hashes = StoreMetadata.entityHashes(in: values)
        {
            let parsed = EntityVersionHashes(hashes.compactMapValues { VersionHash(bytes: [UInt8]($0)) })
            values[digestKey] = parsed.storeDigest
        }
        guard let value = PropertyListValue(foundation: values) else {
            throw CoreDataError.error(
                .persistentStoreOperation,
                text:
                    "a store's metadata must be strings, numbers, dates, bytes, arrays or dictionaries of these",
                userInfo: ["metadata": metadata])
        }
        guard Format.canHold(value) else {
            throw CoreDataError.error(
                .persistentStoreOperation,
                text:
                    "\(Format.title) store cannot hold control characters, or dates outside the years 1 to 9999, in its metadata",
                userInfo: ["metadata": metadata])
        }
        return values
    }
}
