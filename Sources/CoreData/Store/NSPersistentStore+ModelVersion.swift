internal import Foundation

extension NSPersistentStore {
    /// Records the model's version in the metadata of a new store, so that later versions are recognized as different.
    final func noteVersion(of model: NSManagedObjectModel) {
        let metadata = self.metadata ?? [:]
        guard StoreMetadata.entityHashes(in: metadata) == nil else { return }
        self.metadata = StoreMetadata.metadata(metadata, noting: model, requestedConfiguration)
    }
}

extension StoreMetadata {
    /// Returns metadata with the version of a model in place of another version.
    static func metadata(
        _ metadata: [String: Any], noting model: NSManagedObjectModel, _ configuration: String?
    ) -> [String: Any] {
        guard let entities = model.entities(forConfigurationName: configuration) else { return metadata }
        var metadata = metadata
        let names = Set(entities.compactMap(\.name))
        metadata[NSStoreModelVersionHashesKey] = model.entityVersionHashesByName.filter { names.contains($0.key) }
        metadata[NSStoreModelVersionIdentifiersKey] = model.versionIdentifiers.compactMap { $0.base as? String }
            .sorted()
        return metadata
    }
}
