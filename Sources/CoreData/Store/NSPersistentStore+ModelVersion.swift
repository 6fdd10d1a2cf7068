internal import Foundation

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
