internal import CompiledModel
internal import Foundation
internal import StoreFile

/// Finds the model that a store was made with, by the version hashes in the store's metadata.
struct SourceModelSearch {
    private let hashes: [String: Data]
    private let metadata: [String: Any]

    init(_ metadata: [String: Any]) {
        self.metadata = metadata
        hashes = StoreMetadata.entityHashes(in: metadata) ?? [:]
    }

    /// Returns the model: that of a bundle, or else the copy that the store has of its model.
    ///
    /// All versions in the `.momd` folders of the bundles count. A model may have more entities than a store of one of its
    /// configurations.
    func model(for url: URL, _ storeType: String, _ options: [AnyHashable: Any]) -> NSManagedObjectModel? {
        let bundled = ModelLocator.models(in: nil).flatMap { ModelLoader.loadAllVersions($0) }
        if let model = NSManagedObjectModel(byMerging: bundled, forStoreMetadata: metadata) { return model }
        if let model = bundled.first(where: hasEntities) { return model }
        guard storeType == NSSQLiteStoreType, let cached = cachedModel(url, options), hasEntities(cached) else {
            return nil
        }
        return cached
    }

    private func hasEntities(_ model: NSManagedObjectModel) -> Bool {
        let found = model.entityVersionHashesByName
        return !hashes.isEmpty && hashes.allSatisfy { found[$0.key] == $0.value }
    }

    private func cachedModel(_ url: URL, _ options: [AnyHashable: Any]) -> NSManagedObjectModel? {
        guard let connection = try? SQLiteFile(url).inspect(SQLiteOptions(options)) else { return nil }
        return StoredModel.read(connection)
    }
}
