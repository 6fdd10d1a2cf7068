internal import CompiledModel
internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import ModelcDriver
internal import StoreFile

/// One of the two stores of a comparison: its rows, and the model that it was written with.
struct StoreSide {
    let path: String
    let model: IndexedModel
    let contents: StoreContents

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - models: Models that are searched for the store's version, if the store does not hold its model.
    ///   - access: The locks that are taken.
    init(
        _ path: String, models: [String], access: DatabaseInspection.Access, _ environment: DriverEnvironment
    ) throws(InputFailure) {
        self.path = path
        let reader = ModelSetReader(files: environment.files)
        let store = try Self.storeVersion(path, environment.files)
        var version = store
        if store.model == nil {
            version = try Self.version(of: store, in: models, reader)
        }
        model = try version.indexedModel()
        do {
            let encoded = try EncodedModel(model.model)
            let description = try NSManagedObjectModel(try DecodedModel(encoded.bytes, name: version.name))
            contents = try StoreContents(
                path: environment.files.systemPath(path), model: description, access: access)
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// Creates a side for a store whose model is known.
    ///
    /// - Throws: `StoreContents.Failure` if the store cannot be read.
    init(_ path: String, model: IndexedModel, description: NSManagedObjectModel) throws(StoreContents.Failure) {
        self.path = path
        self.model = model
        contents = try StoreContents(path: path, model: description, access: .locking)
    }

    /// Returns the version of a store: its hashes, and its model if the store holds it.
    static func storeVersion(_ path: String, _ files: any FileSystem) throws(InputFailure) -> ModelSet.Version {
        try files.requireStore(path)
        if files.isDatabase(path) {
            let set = try ModelSetReader(files: files).read(path)
            if set.kind == .store, let store = set.versions.first { return store }
        }
        throw InputFailure(
            path, rule: .notAStore, message: "the file is not a SQLite store of Core Data",
            help: "Specify a SQLite store.")
    }

    /// Returns the version of a model that has the hashes of a store.
    private static func version(
        of store: ModelSet.Version, in models: [String], _ reader: ModelSetReader
    ) throws(InputFailure) -> ModelSet.Version {
        guard !models.isEmpty else {
            throw InputFailure(
                store.path, rule: .noModelInStore, message: "the store does not contain the model it was written with",
                help: "Specify the model with --model; the version with the store's hashes is used.")
        }
        for model in models {
            for version in try reader.read(model).versions {
                guard let schema = version.model else { continue }
                if schema.versionHashes().entities == store.statedHashes { return version }
            }
        }
        throw InputFailure(
            store.path, rule: .noModelInStore, message: "no version of the models has the hashes of the store",
            help: "Specify the model that the store was written with.")
    }

    /// Returns an error from reading the store as a command's failure.
    func failure(_ error: any Error) -> InputFailure { Self.failure(path, error) }

    private static func failure(_ shownPath: String, _ error: any Error) -> InputFailure {
        if let failure = error as? StoreContents.Failure {
            return InputFailure(
                shownPath, rule: failure.isMissingFile ? .missingExternalData : .notAStore, message: failure.message,
                help: failure.isMissingFile
                    ? "Copy the folder “\(StagingLocation.supportFolder(of: shownPath))” together with the store."
                    : "Specify an intact store that is not in use.")
        }
        return InputFailure(
            shownPath, rule: .notAStore, message: "the store cannot be read: \(error)", help: "Specify an intact store."
        )
    }
}
