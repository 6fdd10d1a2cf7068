internal import CompiledModel
internal import Foundation

/// Changes of metadata.
extension StoreMetadata {
    /// Returns metadata that a program sets, with the model's version of the former metadata unless the program sets
    /// that too: without it, the store could neither be checked nor migrated.
    package static func metadata(_ metadata: [String: Any], keepingVersionOf old: [String: Any]) -> [String: Any] {
        var metadata = metadata
        for key in [NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey] where metadata[key] == nil {
            metadata[key] = old[key]
        }
        return metadata
    }

    /// Returns current metadata with the changes from a former state to a new one.
    static func metadata(
        _ current: [String: Any], changedFrom old: [String: Any], to new: [String: Any]
    ) -> [String: Any] {
        var result = current
        for key in Set(old.keys).union(new.keys) where !isEqual(old[key], new[key]) { result[key] = new[key] }
        return result
    }

    private static func isEqual(_ one: Any?, _ other: Any?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?):
            PropertyListValue(foundation: one)?.binaryBytes() == PropertyListValue(foundation: other)?.binaryBytes()
        default: false
        }
    }

    /// Returns metadata with the version of a model in place of another version.
    package static func metadata(
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
