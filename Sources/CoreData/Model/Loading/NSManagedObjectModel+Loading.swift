public import Foundation

extension NSManagedObjectModel {
    /// Loads a compiled model: the current version of a `.momd`, or a `.mom`.
    ///
    /// - Parameter url: the file or folder. Files of Apple's compiler of any year and of modelc can be read.
    /// - Returns: the model, or nil when it cannot be read; why is printed on the standard error stream.
    public convenience init?(contentsOf url: URL) {
        self.init()
        do throws(ModelLoader.Failure) {
            try ModelLoader.load(url, into: self)
        } catch {
            Log.error("Failed to load the model at \(error)")
            return nil
        }
    }

    /// Makes one model of several, with copies of their entities. Relationships between entities of different models are
    /// linked by name.
    ///
    /// Two different entities of one name trap, as Apple's framework raises an exception.
    /// - Returns: the merged model, or nil if no model was found.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty else { return nil }
        self.init()
        merge(models)
    }

    /// Makes one model of those that a store was written with.
    ///
    /// - Parameters:
    ///   - models: the models to choose from, for example all versions of one.
    ///   - metadata: the store's metadata.
    /// - Returns: the model, or nil when the models do not have all entities of the store in their version.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        guard let chosen = Self.choose(models, for: metadata) else { return nil }
        self.init()
        merge(chosen)
    }

    /// Makes one model of all compiled models in some bundles.
    ///
    /// - Parameter bundles: where to look; nil for the main bundle. On Linux the main bundle, which is also `Bundle(for:)` of every
    ///   class, stands for the resource bundles beside the program, too.
    /// - Returns: the model, or nil.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        NSManagedObjectModel(
            byMerging: ModelLocator.models(in: bundles).compactMap { NSManagedObjectModel(contentsOf: $0) })
    }

    /// Makes one model of those versions of the compiled models in some bundles that a store was written with.
    ///
    /// - Parameters:
    ///   - bundles: where to look; nil for the main bundle. On Linux that stands for the resource bundles beside the program, too.
    ///   - metadata: the store's metadata.
    /// - Returns: the model, or nil when the bundles do not have all entities of the store in their version.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        NSManagedObjectModel(
            byMerging: ModelLocator.models(in: bundles).flatMap { ModelLoader.loadAllVersions($0) },
            forStoreMetadata: metadata)
    }

    /// Returns the checksums of all versions in a `.momd`, by the names of the versions.
    ///
    /// - Throws: an error of Cocoa's domain when there is no such bundle, or its `VersionInfo.plist` cannot be read.
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

    /// Returns the models that together have exactly the entities of a store: one if there is one, else the first that
    /// fit together; nil when entities stay missing.
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
