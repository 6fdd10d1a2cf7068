public import Foundation
internal import RuntimeSupport

extension NSManagedObjectModel {
    /// Loads a compiled model: the current version of a `.momd`, or a `.mom`.
    ///
    /// - Parameter url: The file or folder, compiled by modelc or any version of Apple's compiler.
    /// - Returns: The model, or `nil` if it cannot be read; the reason is printed on the standard error stream.
    public convenience init?(contentsOf url: URL) {
        self.init()
        do throws(ModelLoader.Failure) {
            try ModelLoader.load(url, into: self)
        } catch {
            Log.error("Failed to load the model at \(error)")
            return nil
        }
    }

    /// Merges several models into one, with copies of their entities. Relationships between entities of different
    /// models are linked by name.
    ///
    /// Traps, where Apple's framework raises an exception, if different entities have the same name.
    /// - Returns: The merged model, or `nil` if no model was found.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty else { return nil }
        self.init()
        merge(models)
    }

    /// Merges the models that a store was written with.
    ///
    /// - Parameters:
    ///   - models: The models to choose from, such as all versions of one.
    ///   - metadata: The store's metadata.
    /// - Returns: The model, or `nil` if the models lack an entity of the store in its version.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let chosen = Self.choose(models, for: metadata) else { return nil }
        self.init()
        merge(chosen)
    }

    /// Merges all compiled models in bundles.
    ///
    /// - Parameter bundles: The bundles to search; `nil` for the main bundle. On Linux the main bundle, which is also
    ///   `Bundle(for:)` of every class, includes the resource bundles next to the program.
    /// - Returns: The model, or `nil` if no model was found.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        NSManagedObjectModel(
            byMerging: ModelLocator.models(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) })
    }

    /// Merges the versions of the compiled models in bundles that a store was written with.
    ///
    /// - Parameters:
    ///   - bundles: The bundles to search; `nil` for the main bundle, which on Linux includes the resource bundles next
    ///     to the program.
    ///   - metadata: The store's metadata.
    /// - Returns: The model, or `nil` if the bundles lack an entity of the store in its version.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        NSManagedObjectModel(
            byMerging: ModelLocator.models(in: bundles).flatMap { ModelLoader.loadAllVersions($0) },
            forStoreMetadata: metadata)
    }

    /// Returns the checksums of all versions in a `.momd`, by the names of the versions.
    ///
    /// - Throws: An error of Cocoa's domain if there is no such bundle or its `VersionInfo.plist` cannot be read.
    public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
        do throws(ModelLoader.Failure) {
            return try ModelLoader.checksums(modelURL)
        } catch {
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [NSFilePathErrorKey: modelURL.path, NSDebugDescriptionErrorKey: "\(error)"])
        }
    }

    private func merge(_ models: [NSManagedObjectModel]) {
        var copier = ModelCopier(into: self)
        for model in models { copier.add(model) }
        copier.finish()
    }

    /// Returns the models that together have exactly the entities of a store: preferably a single one, otherwise the
    /// first that fit together. Returns `nil` if an entity is missing.
    private static func choose(_ models: [NSManagedObjectModel], for metadata: [String: Any]) -> [NSManagedObjectModel]?
    {
        guard let stored = StoreMetadata.entityHashes(in: metadata), !stored.isEmpty else { return nil }
        if let model = models.first(where: { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) })
        {
            return [model]
        }
        var missing = Set(stored.keys)
        var chosen: [NSManagedObjectModel] = []
        for model in models {
            let hashes = model.entityVersionHashesByName
            guard hashes.allSatisfy({ stored[$0.key] == $0.value }), !missing.isDisjoint(with: hashes.keys) else {
                continue
            }
            missing.subtract(hashes.keys)
            chosen.append(model)
        }
        return missing.isEmpty ? chosen : nil
    }
}
