internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelcDriver
internal import StoreTools

/// The model that a store is read with, and its origin.
struct StoreModel {
    /// The model, without custom classes and transformers.
    let model: NSManagedObjectModel
    /// The configuration that the store belongs to; `nil` for the whole model.
    let configuration: String?
    /// The origin of the model, in words.
    let origin: String
    /// Whether the copy in the store is used although the user named a model.
    let isFallback: Bool

    /// Takes a model as it is.
    init(model: NSManagedObjectModel, configuration: String?, origin: String, isFallback: Bool) {
        self.model = model
        self.configuration = configuration
        self.origin = origin
        self.isFallback = isFallback
    }

    /// Finds the model of a store: the version of the given model with the store's hashes, or else the copy in the
    /// store.
    ///
    /// - Parameters:
    ///   - modelPath: The model that the user named.
    /// - Throws: `StoreProblem` if there is no matching model.
    init(
        store path: String, _ kind: StoreKind, modelPath: String?, _ files: any FileSystem
    ) throws(StoreProblem) {
        self = try Self.found(for: path, kind, modelPath: modelPath, files)
        Self.prepare(model)
    }

    /// Finds the model of a store, with the names of the app's classes and transformers.
    static func found(
        for path: String, _ kind: StoreKind, modelPath: String?, _ files: any FileSystem
    ) throws(StoreProblem) -> StoreModel {
        let metadata = try Self.metadata(path, kind: kind, files: files)
        let reader = ModelSetReader(files: files)
        var reason = "the store’s own copy (Z_MODELCACHE)"
        var isFallback = false
        if let modelPath {
            let set = try Self.reading { () throws(InputFailure) in try reader.read(modelPath) }
            if let match = Self.match(in: set, metadata) { return match }
            isFallback = true
            reason += ", because no version of \(set.fileName) has the store’s hashes"
        }
        guard kind == .sqlite else {
            throw StoreProblem(
                modelPath == nil
                    ? "\(kind.rawValue) stores do not contain their model"
                    : "no version of the model has the version hashes of the store",
                help: "Specify the model that the store was written with: modelc studio MODEL --store FILE.",
                needsModel: true)
        }
        let set = try Self.reading { () throws(InputFailure) in try reader.read(path) }
        guard let version = set.versions.first, version.model != nil else {
            throw StoreProblem(
                "the store does not contain the model that it was written with",
                help: "Specify the model: modelc studio MODEL --store FILE. A version with the store’s hashes is used.",
                needsModel: true)
        }
        let model = try Self.reading { () throws(InputFailure) in
            try version.managedObjectModel(try version.indexedModel())
        }
        return StoreModel(
            model: model, configuration: Self.configuration(of: model, metadata)?.name, origin: reason,
            isFallback: isFallback)
    }

    /// Returns the version of a model that has the hashes in a store's metadata; `nil` if there is none.
    static func match(in set: ModelSet, _ metadata: [String: Any]) -> StoreModel? {
        for version in set.versions where version.model != nil {
            guard let model = try? version.managedObjectModel(version.indexedModel()),
                let match = Self.configuration(of: model, metadata)
            else { continue }
            return StoreModel(
                model: model, configuration: match.name,
                origin: set.versions.count > 1 ? "version “\(version.name)” of \(set.fileName)" : set.fileName,
                isFallback: false)
        }
        return nil
    }

    /// Reads the metadata without changing the file.
    static func metadata(
        _ path: String, kind: StoreKind, files: any FileSystem
    ) throws(StoreProblem) -> [String: Any] {
        if kind == .sqlite {
            // Explains better than the runtime why the file cannot be read.
            _ = try reading { () throws(InputFailure) in try ModelSetReader(files: files).read(path) }
        }
        do {
            return try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: kind.storeType, at: URL(fileURLWithPath: files.systemPath(path)), options: nil)
        } catch {
            throw StoreProblem(error)
        }
    }

    private static func reading<Result>(
        _ body: () throws(InputFailure) -> Result
    ) throws(StoreProblem) -> Result {
        do {
            return try body()
        } catch {
            throw StoreProblem(error)
        }
    }

    /// Returns the configuration whose entities have the hashes of a store.
    private static func configuration(
        of model: NSManagedObjectModel, _ metadata: [String: Any]
    ) -> (name: String?, Void)? {
        for name in [nil] + model.configurations.map(Optional.some)
        where model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata) {
            return (name, ())
        }
        return nil
    }

    /// Removes the names of the app's classes and transformers, which are not part of version hashes.
    private static func prepare(_ model: NSManagedObjectModel) {
        RawValueTransformer.register()
        for entity in model.entities {
            entity.managedObjectClassName = "NSManagedObject"
            for attribute in entity.attributesByName.values
            where attribute.attributeType == .transformableAttributeType {
                attribute.valueTransformerName = RawValueTransformer.name.rawValue
            }
        }
    }
}
