internal import Foundation

/// The key of a store's version hashes in its metadata: a dictionary of entity names and hashes (core-data-runtime.md,
/// 3.1).
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The key of the identifiers of the model version in a store's metadata: an array of texts.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The key of a store's type in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// The key of a store's UUID in its metadata: a text.
public let NSStoreUUIDKey = "NSStoreUUID"

/// Reads what a store's metadata says.
enum StoreMetadata {
    /// The version hashes by entity name; nil when the metadata has none, or something else in their place.
    static func entityHashes(in metadata: [String: Any]) -> [String: Data]? {
        guard let hashes = metadata[NSStoreModelVersionHashesKey] else { return nil }
        if let hashes = hashes as? [String: Data] { return hashes }
        return (hashes as? NSDictionary) as? [String: Data]
    }
}

extension NSPersistentStore {
    /// Puts the version of the model into the metadata of a store that is new, so that a later version is told from it.
    final func noteVersion(of model: NSManagedObjectModel) {
        var metadata = self.metadata ?? [:]
        guard StoreMetadata.entityHashes(in: metadata) == nil,
            let entities = model.entities(forConfigurationName: requestedConfiguration)
        else { return }
        let hashes = model.entityVersionHashesByName
        let names = Set(entities.compactMap(\.name))
        metadata[NSStoreModelVersionHashesKey] = hashes.filter { names.contains($0.key) }
        metadata[NSStoreModelVersionIdentifiersKey] = model.versionIdentifiers.compactMap { $0.base as? String }
            .sorted()
        self.metadata = metadata
    }
}
