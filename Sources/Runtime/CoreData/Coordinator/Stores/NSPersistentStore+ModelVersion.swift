internal import Foundation

extension NSPersistentStore {
    /// Records the model's version in the metadata of a new store, so that later versions are recognized as different.
    final func recordVersion(of model: NSManagedObjectModel) {
        let metadata = self.metadata ?? [:]
        guard StoreMetadata.entityHashes(in: metadata) == nil else { return }
        self.metadata = StoreMetadata.metadata(metadata, noting: model, requestedConfiguration)
    }
}
