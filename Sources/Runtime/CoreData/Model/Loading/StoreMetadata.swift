internal import Foundation

/// The key of a store's version hashes in its metadata: a dictionary of entity names and hashes
/// (Documentation/Formats/SQLiteStore.md, 2.2).
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The key of the identifiers of the model version in a store's metadata: an array of strings.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The key of a store's type in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// The key of a store's UUID in its metadata: a string.
public let NSStoreUUIDKey = "NSStoreUUID"

/// Reads a store's metadata.
package enum StoreMetadata {
    /// The key of the checksum of the store's model, by which the stages of a migration know where to begin.
    package static let checksumKey = "NSStoreModelVersionChecksumKey"

    /// Returns the version hashes by entity name, or `nil` if the metadata has none or an invalid value in their place.
    package static func entityHashes(in metadata: [String: Any]) -> [String: Data]? {
        guard let hashes = metadata[NSStoreModelVersionHashesKey] else { return nil }
        if let hashes = hashes as? [String: Data] { return hashes }
        return (hashes as? NSDictionary) as? [String: Data]
    }
}
