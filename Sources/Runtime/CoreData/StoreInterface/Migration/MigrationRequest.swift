internal import Foundation
internal import RuntimeSupport

/// The migration of a store that was created with another version of the model: the store and the version that it gets.
package struct MigrationRequest {
    /// The location of the store.
    package let url: URL
    package let storeType: String
    /// The configuration whose entities the store contains; `nil` for all.
    package let configuration: String?
    /// The options with which the store is added.
    package let options: [AnyHashable: Any]
    /// The store's metadata.
    package let metadata: [String: Any]
    /// The model that the store is migrated to.
    package let destination: NSManagedObjectModel

    package init(
        url: URL, storeType: String, configuration: String?, options: [AnyHashable: Any], metadata: [String: Any],
        destination: NSManagedObjectModel
    ) {
        self.url = url
        self.storeType = storeType
        self.configuration = configuration
        self.options = options
        self.metadata = metadata
        self.destination = destination
    }

    /// The time, in seconds, to wait for other programs unless `NSPersistentStoreTimeoutOption` is set.
    package static let defaultTimeout = 60.0

    /// The time, in seconds, to wait for other programs.
    package var timeout: Double {
        (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue
            ?? options[NSPersistentStoreTimeoutOption] as? Double ?? Self.defaultTimeout
    }

    /// Returns whether a store still has the version that the migration starts from.
    ///
    /// - Parameter metadata: The store's metadata, read again.
    package func isStillNeeded(for metadata: [String: Any]?) -> Bool {
        metadata.flatMap(StoreMetadata.entityHashes) == StoreMetadata.entityHashes(in: self.metadata)
    }

    // MARK: Entities

    /// Returns the entities of the store in the model that it was created with, which may also contain those of other
    /// stores.
    func entities(of source: NSManagedObjectModel) -> [NSEntityDescription] {
        let names = Set(StoreMetadata.entityHashes(in: metadata)?.keys.map(\.self) ?? [])
        return source.entities.filter { $0.name.map(names.contains) ?? false }
    }

    /// The entities of the store in the destination model.
    var destinationEntities: [NSEntityDescription] {
        destination.entities(forConfigurationName: configuration) ?? destination.entities
    }

    // MARK: Errors

    /// Returns the error 134140.
    func missingMapping(_ reason: String, source: NSManagedObjectModel, underlying: NSError? = nil) -> NSError {
        var userInfo: [String: Any] = ["sourceModel": source, "destinationModel": destination]
        userInfo[NSUnderlyingErrorKey] = underlying
        return failure(.migrationMissingMappingModel, reason: reason, userInfo: userInfo)
    }

    /// Returns an error of the migration with the `userInfo` keys that Apple's framework uses.
    package func failure(
        _ code: CocoaError.Code, reason: String, help: String? = nil, userInfo: [String: Any] = [:]
    ) -> NSError {
        var userInfo = userInfo
        userInfo["reason"] = reason
        userInfo["sourceURL"] = url
        userInfo["destinationURL"] = url
        userInfo[NSURLErrorKey] = url
        if code == .migrationMissingSourceModel {
            userInfo["URL"] = url
            userInfo["metadata"] = metadata
        }
        if let help { userInfo[NSLocalizedRecoverySuggestionErrorKey] = help }
        let text =
            "the store at \(Redaction.url(url).path) cannot be migrated: \(reason)" + (help.map { "; \($0)" } ?? "")
        return CoreDataError.error(code, text: text, userInfo: userInfo)
    }
}

extension [AnyHashable: Any] {
    /// Returns whether an option is set and `true`.
    func isOn(_ key: String) -> Bool { (self[key] as? NSNumber)?.boolValue ?? (self[key] as? Bool) ?? false }
}
