public import Foundation

// Apple's error codes (Documentation/Formats/RuntimeBehavior.md, 7).

extension CocoaError.Code {
    /// A value did not pass validation.
    public static let managedObjectValidation = CocoaError.Code(rawValue: 1550)
    /// Values violate a uniqueness constraint.
    public static let managedObjectConstraintValidation = CocoaError.Code(rawValue: 1551)
    /// Several validations failed: see `NSDetailedErrorsKey`.
    public static let validationMultipleErrors = CocoaError.Code(rawValue: 1560)
    /// A required property has no value.
    public static let validationMissingMandatoryProperty = CocoaError.Code(rawValue: 1570)
    /// A relationship contains too few objects.
    public static let validationRelationshipLacksMinimumCount = CocoaError.Code(rawValue: 1580)
    /// A relationship contains too many objects.
    public static let validationRelationshipExceedsMaximumCount = CocoaError.Code(rawValue: 1590)
    /// A relationship with the delete rule Deny still contains objects.
    public static let validationRelationshipDeniedDelete = CocoaError.Code(rawValue: 1600)
    /// A number is larger than allowed.
    public static let validationNumberTooLarge = CocoaError.Code(rawValue: 1610)
    /// A number is smaller than allowed.
    public static let validationNumberTooSmall = CocoaError.Code(rawValue: 1620)
    /// A date is later than allowed.
    public static let validationDateTooLate = CocoaError.Code(rawValue: 1630)
    /// A date is earlier than allowed.
    public static let validationDateTooSoon = CocoaError.Code(rawValue: 1640)
    /// A value is not a valid date.
    public static let validationInvalidDate = CocoaError.Code(rawValue: 1650)
    /// A string is longer than allowed.
    public static let validationStringTooLong = CocoaError.Code(rawValue: 1660)
    /// A string is shorter than allowed.
    public static let validationStringTooShort = CocoaError.Code(rawValue: 1670)
    /// A string does not match the pattern.
    public static let validationStringPatternMatching = CocoaError.Code(rawValue: 1680)
    /// A value is not a valid URI.
    public static let validationInvalidURI = CocoaError.Code(rawValue: 1690)
    /// A context could not be locked.
    public static let managedObjectContextLocking = CocoaError.Code(rawValue: 132000)
    /// A coordinator could not be locked.
    public static let persistentStoreCoordinatorLocking = CocoaError.Code(rawValue: 132010)
    /// An object no longer exists in its store.
    public static let managedObjectReferentialIntegrity = CocoaError.Code(rawValue: 133000)
    /// A relationship refers to an object in another store.
    public static let managedObjectExternalRelationship = CocoaError.Code(rawValue: 133010)
    /// Another context has saved the same objects: see `conflictList`.
    public static let managedObjectMerge = CocoaError.Code(rawValue: 133020)
    /// Values violate a uniqueness constraint: see `conflictList`.
    public static let managedObjectConstraintMerge = CocoaError.Code(rawValue: 133021)
    /// The store type is unknown.
    public static let persistentStoreInvalidType = CocoaError.Code(rawValue: 134000)
    /// The store is of another type.
    public static let persistentStoreTypeMismatch = CocoaError.Code(rawValue: 134010)
    /// The tables of the store do not match the model.
    public static let persistentStoreIncompatibleSchema = CocoaError.Code(rawValue: 134020)
    /// A save failed.
    public static let persistentStoreSave = CocoaError.Code(rawValue: 134030)
    /// A save failed in some of several stores.
    public static let persistentStoreIncompleteSave = CocoaError.Code(rawValue: 134040)
    /// It is unknown whether a save took place. Not one of Apple's codes.
    public static let persistentStoreSaveOutcomeUnknown = CocoaError.Code(rawValue: 134950)
    /// A save failed because of unresolved conflicts.
    public static let persistentStoreSaveConflicts = CocoaError.Code(rawValue: 134050)
    /// Another operation of Core Data failed.
    public static let coreData = CocoaError.Code(rawValue: 134060)
    /// An operation on a store failed.
    public static let persistentStoreOperation = CocoaError.Code(rawValue: 134070)
    /// A store could not be opened.
    public static let persistentStoreOpen = CocoaError.Code(rawValue: 134080)
    /// The coordinator has the store already. Apple's framework reports it without a public constant.
    static let sameStore = CocoaError.Code(rawValue: 134081)
    /// A store did not answer in time.
    public static let persistentStoreTimeout = CocoaError.Code(rawValue: 134090)
    /// The store does not support the kind of request.
    public static let persistentStoreUnsupportedRequestType = CocoaError.Code(rawValue: 134091)
    /// The store was created with another version of the model.
    public static let persistentStoreIncompatibleVersionHash = CocoaError.Code(rawValue: 134100)
    /// A migration failed.
    public static let migration = CocoaError.Code(rawValue: 134110)
    /// Migrated values violate a uniqueness constraint.
    public static let migrationConstraintViolation = CocoaError.Code(rawValue: 134111)
    /// A migration was cancelled.
    public static let migrationCancelled = CocoaError.Code(rawValue: 134120)
    /// The model that the store was created with cannot be found.
    public static let migrationMissingSourceModel = CocoaError.Code(rawValue: 134130)
    /// No mapping model was found.
    public static let migrationMissingMappingModel = CocoaError.Code(rawValue: 134140)
    /// The store to migrate could not be read.
    public static let migrationManagerSourceStore = CocoaError.Code(rawValue: 134150)
    /// The migrated store could not be written.
    public static let migrationManagerDestinationStore = CocoaError.Code(rawValue: 134160)
    /// An entity migration policy failed.
    public static let entityMigrationPolicy = CocoaError.Code(rawValue: 134170)
    /// SQLite failed: see `NSSQLiteErrorDomain`.
    public static let sqlite = CocoaError.Code(rawValue: 134180)
    /// No mapping model can be inferred.
    public static let inferredMappingModel = CocoaError.Code(rawValue: 134190)
    /// An external record could not be imported.
    public static let externalRecordImport = CocoaError.Code(rawValue: 134200)
    /// The history after a token is no longer complete.
    public static let persistentHistoryTokenExpired = CocoaError.Code(rawValue: 134301)
    /// A model that a staged migration refers to cannot be found.
    public static let managedObjectModelReferenceNotFound = CocoaError.Code(rawValue: 134504)
    /// A staged migration needs a newer framework.
    public static let stagedMigrationFrameworkVersionMismatch = CocoaError.Code(rawValue: 134505)
    /// A staged migration would lead to an older version of the model.
    public static let stagedMigrationBackwardMigration = CocoaError.Code(rawValue: 134506)
}

extension CocoaError {
    /// A value did not pass validation.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// Values violate a uniqueness constraint.
    public static var managedObjectConstraintValidation: CocoaError.Code { .managedObjectConstraintValidation }
    /// Several validations failed: see `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// A required property has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code { .validationMissingMandatoryProperty }
    /// A relationship contains too few objects.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    /// A relationship contains too many objects.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    /// A relationship with the delete rule Deny still contains objects.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .validationRelationshipDeniedDelete }
    /// A number is larger than allowed.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// A number is smaller than allowed.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// A date is later than allowed.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// A date is earlier than allowed.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// A value is not a valid date.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// A string is longer than allowed.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// A string is shorter than allowed.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// A string does not match the pattern.
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
    /// A value is not a valid URI.
    public static var validationInvalidURI: CocoaError.Code { .validationInvalidURI }
    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
    /// An object no longer exists in its store.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
    /// A relationship refers to an object in another store.
    public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
    /// Another context has saved the same objects: see `conflictList`.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// Values violate a uniqueness constraint: see `conflictList`.
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
    /// The store type is unknown.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// The store is of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// The tables of the store do not match the model.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
    /// A save failed.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// A save failed in some of several stores.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
    /// It is unknown whether a save took place. Not one of Apple's codes.
    public static var persistentStoreSaveOutcomeUnknown: CocoaError.Code { .persistentStoreSaveOutcomeUnknown }
    /// A save failed because of unresolved conflicts.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
    /// Another operation of Core Data failed.
    public static var coreData: CocoaError.Code { .coreData }
    /// An operation on a store failed.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// A store did not answer in time.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// The store does not support the kind of request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { .persistentStoreUnsupportedRequestType }
    /// The store was created with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    /// A migration failed.
    public static var migration: CocoaError.Code { .migration }
    /// Migrated values violate a uniqueness constraint.
    public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// The model that the store was created with cannot be found.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// No mapping model was found.
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
    /// The store to migrate could not be read.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// The migrated store could not be written.
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
    /// An entity migration policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// SQLite failed: see `NSSQLiteErrorDomain`.
    public static var sqlite: CocoaError.Code { .sqlite }
    /// No mapping model can be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
    /// An external record could not be imported.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
    /// The history after a token is no longer complete.
    public static var persistentHistoryTokenExpired: CocoaError.Code { .persistentHistoryTokenExpired }
}
