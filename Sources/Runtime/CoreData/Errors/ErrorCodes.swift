// The codes of errors in Cocoa's domain as constants (Documentation/Formats/RuntimeBehavior.md, 7).

/// A value did not pass validation.
public let NSManagedObjectValidationError = 1550
/// Values violate a uniqueness constraint.
public let NSManagedObjectConstraintValidationError = 1551
/// Several validations failed: see `NSDetailedErrorsKey`.
public let NSValidationMultipleErrorsError = 1560
/// A required property has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship contains too few objects.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship contains too many objects.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A relationship with the delete rule Deny still contains objects.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is larger than allowed.
public let NSValidationNumberTooLargeError = 1610
/// A number is smaller than allowed.
public let NSValidationNumberTooSmallError = 1620
/// A date is later than allowed.
public let NSValidationDateTooLateError = 1630
/// A date is earlier than allowed.
public let NSValidationDateTooSoonError = 1640
/// A value is not a valid date.
public let NSValidationInvalidDateError = 1650
/// A string is longer than allowed.
public let NSValidationStringTooLongError = 1660
/// A string is shorter than allowed.
public let NSValidationStringTooShortError = 1670
/// A string does not match the pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A value is not a valid URI.
public let NSValidationInvalidURIError = 1690
/// A context could not be locked.
public let NSManagedObjectContextLockingError = 132000
/// A coordinator could not be locked.
public let NSPersistentStoreCoordinatorLockingError = 132010
/// An object no longer exists in its store.
public let NSManagedObjectReferentialIntegrityError = 133000
/// A relationship refers to an object in another store.
public let NSManagedObjectExternalRelationshipError = 133010
/// Another context has saved the same objects: see `conflictList`.
public let NSManagedObjectMergeError = 133020
/// Values violate a uniqueness constraint: see `conflictList`.
public let NSManagedObjectConstraintMergeError = 133021
/// The store type is unknown.
public let NSPersistentStoreInvalidTypeError = 134000
/// The store is of another type.
public let NSPersistentStoreTypeMismatchError = 134010
/// The tables of the store do not match the model.
public let NSPersistentStoreIncompatibleSchemaError = 134020
/// A save failed.
public let NSPersistentStoreSaveError = 134030
/// A save failed in some of several stores.
public let NSPersistentStoreIncompleteSaveError = 134040
/// A save failed because of unresolved conflicts.
public let NSPersistentStoreSaveConflictsError = 134050
/// Another operation of Core Data failed.
public let NSCoreDataError = 134060
/// An operation on a store failed.
public let NSPersistentStoreOperationError = 134070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134080
/// A store did not answer in time.
public let NSPersistentStoreTimeoutError = 134090
/// The store does not support the kind of request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134091
/// The store was created with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError = 134100
/// A migration failed.
public let NSMigrationError = 134110
/// Migrated values violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134120
/// The model that the store was created with cannot be found.
public let NSMigrationMissingSourceModelError = 134130
/// No mapping model was found.
public let NSMigrationMissingMappingModelError = 134140
/// The store to migrate could not be read.
public let NSMigrationManagerSourceStoreError = 134150
/// The migrated store could not be written.
public let NSMigrationManagerDestinationStoreError = 134160
/// An entity migration policy failed.
public let NSEntityMigrationPolicyError = 134170
/// SQLite failed: see `NSSQLiteErrorDomain`.
public let NSSQLiteError = 134180
/// No mapping model can be inferred.
public let NSInferredMappingModelError = 134190
/// An external record could not be imported.
public let NSExternalRecordImportError = 134200
/// The history after a token is no longer complete.
public let NSPersistentHistoryTokenExpiredError = 134301
/// A model that a staged migration refers to cannot be found.
public let NSManagedObjectModelReferenceNotFoundError = 134504
/// A staged migration needs a newer framework.
public let NSStagedMigrationFrameworkVersionMismatchError = 134505
/// A staged migration would lead to an older version of the model.
public let NSStagedMigrationBackwardMigrationError = 134506

// This project's own.

/// It is unknown whether a save took place, because the connection to the store was lost while it was committed.
///
/// The error has the key `NSPersistentStoreSaveOutcomeUnknownKey`. The new objects keep their permanent IDs; saving
/// again first asks the store for the outcome, and inserts nothing twice.
public let NSPersistentStoreSaveOutcomeUnknownError = 134950
/// The key of an error of a save whose outcome is unknown. Its value is a `true` number.
public let NSPersistentStoreSaveOutcomeUnknownKey = "NSPersistentStoreSaveOutcomeUnknown"
