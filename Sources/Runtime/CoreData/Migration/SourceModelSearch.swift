internal import CompiledModel
internal import Foundation
internal import ModelMigration
internal import StoreFile

/// Finds the model that a store was created with, by the version hashes in the store's metadata.
struct SourceModelSearch {
    private let hashes: [String: Data]
    private let metadata: [String: Any]
    private let destination: NSManagedObjectModel
    private let configuration: String?

    /// - Parameters:
    ///   - metadata: The store's metadata.
    ///   - destination: The version that the store is migrated to.
    ///   - configuration: The configuration with which the store is added; `nil` for all entities.
    init(_ metadata: [String: Any], destination: NSManagedObjectModel, configuration: String? = nil) {
        self.configuration = configuration
        self.metadata = metadata
        self.destination = destination
        hashes = StoreMetadata.entityHashes(in: metadata) ?? [:]
    }

    /// The error for a store that was probably written by a newer version of the app: its own model has elements that
    /// the destination lacks, and is not among the several versions that the app ships.
    struct NewerStoreModel: Error {
        /// An entity, or a property of one, that the migration would drop.
        let dropped: String
    }

    /// Returns the model: from a bundle, or else the copy of the model in the store.
    ///
    /// All versions in the `.momd` folders of the bundles are considered. A model may have more entities than a store
    /// with one of its configurations.
    ///
    /// - Throws: `Newer` if a newer version of the app probably wrote the store.
    func model(
        for url: URL, _ storeType: String, _ options: [AnyHashable: Any]
    ) throws(NewerStoreModel) -> NSManagedObjectModel? {
        let versions = ModelLocator.models(in: nil).map { ModelLoader.loadAllVersions($0) }
        let bundled = versions.flatMap(\.self)
        if let model = NSManagedObjectModel(byMerging: bundled, forStoreMetadata: metadata) { return model }
        if let model = bundled.first(where: hasEntities) { return model }
        guard let cached = cachedModel(url, storeType, options), hasEntities(cached) else { return nil }
        // While a model without versions is being developed, its edits may drop anything.
        if versions.contains(where: isHistory), let dropped = firstLoss(from: cached) {
            throw NewerStoreModel(dropped: dropped)
        }
        return cached
    }

    /// Returns whether a bundle has several versions, including the destination.
    private func isHistory(_ versions: [NSManagedObjectModel]) -> Bool {
        let hashes = destination.entityVersionHashesByName
        return versions.count > 1 && versions.contains { $0.entityVersionHashesByName == hashes }
    }

    /// Returns the first entity, stored property or element of a composite attribute of a model that the destination
    /// has neither under its name nor under a renaming identifier.
    private func firstLoss(from source: NSManagedObjectModel) -> String? {
        for entity in source.entities {
            let name = entity.name ?? ""
            let candidates = destination.entities.filter { $0.name == name || $0.renamingIdentifier == name }
            guard !candidates.isEmpty else { return "the entity “\(name)”" }
            let kept = candidates.flatMap(\.properties).flatMap { [$0.name, $0.renamingIdentifier ?? ""] }
            for property in entity.properties where !property.isTransient && !(property is NSFetchedPropertyDescription)
            {
                let names = [property.name, property.renamingIdentifier ?? property.name]
                if Set(names).isDisjoint(with: kept) { return "the property “\(name).\(property.name)”" }
                guard let old = property as? NSCompositeAttributeDescription else { continue }
                let others = candidates.flatMap(\.properties).compactMap { $0 as? NSCompositeAttributeDescription }
                let new = others.first { names.contains($0.name) || names.contains($0.renamingIdentifier ?? "") }
                if let lost = new.flatMap({ CompositeMatch(old, $0).removed.first }) {
                    return "the element “\(name).\(property.name).\(lost.name)”"
                }
            }
        }
        return nil
    }

    private func hasEntities(_ model: NSManagedObjectModel) -> Bool {
        let found = model.entityVersionHashesByName
        return !hashes.isEmpty && hashes.allSatisfy { found[$0.key] == $0.value }
    }

    private func cachedModel(
        _ url: URL, _ storeType: String, _ options: [AnyHashable: Any]
    ) -> NSManagedObjectModel? {
        StoreTypes.engine(storeType)?.storedModel(
            at: StoreAddress(url: url, type: storeType, options: options, configuration: configuration))
    }
}
