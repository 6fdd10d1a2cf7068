internal import Foundation

/// Creates the errors of migrations (`NSMigrationError` and related codes).
///
/// A description names the entity, the property and the reason, and how to fix the problem.
enum MigrationErrors {
    /// The keys that Apple's framework uses in `userInfo`.
    enum Key {
        static let reason = "reason"
        static let entity = "entity"
        static let property = "property"
        static let sourceURL = "sourceURL"
        static let destinationURL = "destinationURL"
        static let sourceModel = "sourceModel"
        static let destinationModel = "destinationModel"
    }

    /// Returns an error with a code.
    ///
    /// - Parameters:
    ///   - code: Apple's code.
    ///   - reason: The problem.
    ///   - help: The fix, as a sentence; `nil` if there is none.
    ///   - userInfo: Further keys.
    static func error(
        _ code: CocoaError.Code, reason: String, help: String? = nil, _ userInfo: [String: Any] = [:]
    ) -> NSError {
        var userInfo = userInfo
        userInfo[Key.reason] = reason
        if let help { userInfo[NSLocalizedRecoverySuggestionErrorKey] = help }
        let title = title(of: code)
        return CoreDataError.error(
            code, text: "\(title) \(reason)" + (help.map { ". \($0)" } ?? ""), userInfo: userInfo)
    }

    /// Returns the beginning of a description: Apple's text where it is known.
    private static func title(of code: CocoaError.Code) -> String {
        switch code {
        case .migrationMissingSourceModel: "Persistent store migration failed, missing source managed object model."
        case .migrationMissingMappingModel: "Persistent store migration failed, missing mapping model."
        case .migrationCancelled: "The migration was canceled."
        case .migrationManagerSourceStore: "The store to migrate cannot be read:"
        case .migrationManagerDestinationStore: "The migrated store cannot be written:"
        case .entityMigrationPolicy: "An entity migration policy failed:"
        case .inferredMappingModel: "No mapping model can be inferred:"
        case .managedObjectModelReferenceNotFound: "The model reference cannot be resolved:"
        case .stagedMigrationFrameworkVersionMismatch: "The store cannot be migrated in stages:"
        case .stagedMigrationBackwardMigration: "A store file cannot be migrated backwards with staged migration."
        default: "An error occurred during persistent store migration."
        }
    }
}
