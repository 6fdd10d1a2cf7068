internal import Foundation

/// Makes the errors of this module: in Cocoa's domain, with Apple's codes.
enum CoreDataError {
    /// The keys of what the program itself has given, which it gets back unchanged.
    private static let valueKeys = [NSValidationValueErrorKey, NSValidationPredicateErrorKey]

    /// Returns an error with a text for people and keys for programs, without the passwords of URLs in either.
    static func error(_ code: CocoaError.Code, _ text: String, _ userInfo: [String: Any] = [:]) -> NSError {
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
}

/// The URL in an error's `userInfo`.
public let NSURLErrorKey = "NSURL"
/// The errors that make up one with the code 1560: an array of `NSError`s.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the property that failed validation.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The predicate that a value did not meet.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that failed validation; for relationships that lack objects or hold too many, the set.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The stores that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The merge conflicts that kept a store from saving.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's own errors.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
