internal import Foundation
internal import RuntimeSupport

/// Creates the errors of this module: in Cocoa's domain, with Apple's codes.
package enum CoreDataError {
    /// The keys of values that the program itself has provided, which are returned to it unchanged.
    private static let valueKeys = [NSValidationValueErrorKey, NSValidationPredicateErrorKey]

    /// Returns an error with a description and a `userInfo`, redacting the passwords of URLs in both.
    package static func error(_ code: CocoaError.Code, text: String, userInfo: [String: Any] = [:]) -> NSError {
        let text = Redaction.text(text)
        var userInfo = Dictionary(
            uniqueKeysWithValues: userInfo.map { key, value in
                (key, valueKeys.contains(key) ? value : Redaction.value(value))
            })
        userInfo[NSLocalizedDescriptionKey] = text
        // Foundation on Linux prints the failure reason of an error, and “(null)” without one, not the description.
        userInfo[NSLocalizedFailureReasonErrorKey] = userInfo[NSLocalizedFailureReasonErrorKey] ?? text
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// Returns the error for a file that another program or coordinator has migrated while a store had it open.
    package static func migratedElsewhere(_ url: URL) -> NSError {
        error(
            .persistentStoreIncompatibleVersionHash,
            text:
                "the store at \(url.path) was migrated to another version of the model while it was open: open it again "
                + "with that version",
            userInfo: [NSURLErrorKey: url])
    }
}

/// The key of the errors that an error with the code 1560 combines: an array of `NSError`s.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The key of the object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key of the name of the property that failed validation.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The key of the predicate that a value did not meet.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The key of the value that failed validation; for a relationship with too few or too many objects, the set.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The key of the stores that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The key of the objects that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The key of the merge conflicts that prevented a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's own errors.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
