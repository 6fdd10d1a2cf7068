internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import ModelcDriver
internal import StoreDoctor

/// Chooses the model of a store, for the commands that check and export stores.
enum StoreModelChoice {
    /// Returns the version of a model that has the hashes of a store, or a configuration with them; the current one if
    /// the store's hashes cannot be read.
    static func model(
        of path: String, in set: ModelSet, _ files: any FileSystem
    ) throws(InputFailure) -> NSManagedObjectModel {
        guard let hashes = (try? StoreSide.storeVersion(path, files))?.statedHashes else {
            let version = try set.version(named: nil, option: "--model")
            return try version.managedObjectModel(try version.indexedModel())
        }
        let version =
            set.versions.first { $0.model?.versionHashes().entities == hashes }
            ?? set.versions.first { $0.model.map { hasConfiguration($0, with: hashes) } ?? false }
        guard let version else {
            throw InputFailure(
                path, rule: .noModelInStore, message: "no version of “\(set.path)” has the hashes of the store",
                help: "Specify the model that the store was written with.")
        }
        return try version.managedObjectModel(try version.indexedModel())
    }

    /// Returns the model that an option names; `nil` for none.
    static func given(
        _ name: String?, store path: String, _ files: any FileSystem
    ) throws(InputFailure) -> NSManagedObjectModel? {
        guard let name else { return nil }
        return try model(of: path, in: try ModelSetReader(files: files).read(name), files)
    }

    /// Returns whether the hashes are those of a part of a model that contains one of its configurations.
    private static func hasConfiguration(_ model: Model, with hashes: EntityVersionHashes) -> Bool {
        let own = Dictionary(model.versionHashes().entities.elements.map { ($0.name, $0.hash) }) { first, _ in first }
        let names = Set(hashes.elements.map(\.name))
        return !names.isEmpty && hashes.elements.allSatisfy { own[$0.name] == $0.hash }
            && model.configurations.contains { configuration in
                !configuration.members.isEmpty && configuration.members.allSatisfy { names.contains($0.entityName) }
            }
    }

    /// Returns the failure of the doctor as a command's failure.
    static func failure(_ error: StoreDoctor.Failure, path: String, environment: DriverEnvironment) -> InputFailure {
        switch error.kind {
        case .notAStore:
            return InputFailure(
                path, rule: .notAStore, message: error.message, help: "Specify a SQLite store of Core Data.")
        case .unknownElement:
            return InputFailure(
                path, rule: .noSuchEntity, message: error.message, help: "Write the name as in the model.")
        case .noModel:
            return InputFailure(
                path, rule: .noModelInStore, message: error.message, help: "Specify the model with --model.")
        case .unchangeable:
            return InputFailure(path, rule: .fileSystem, message: error.message, help: "Nothing was changed.")
        case .interrupted:
            return InputFailure(
                path, rule: .fileSystem, message: error.message,
                help: "The store is intact, and what was done stays. Run the command again to continue.")
        case .changing:
            return InputFailure(
                path, rule: .fileSystem, message: error.message,
                help: "Run the command again when the app that uses the store does not write.")
        case .locked:
            let holders = StoreLock.holders(ofStoreAt: environment.files.systemPath(path)).map { " by \($0)" } ?? ""
            return InputFailure(
                path, rule: .fileSystem, message: "\(error.message)\(holders)",
                help: "Quit the app that uses the store, or name a copy of it.")
        }
    }
}
