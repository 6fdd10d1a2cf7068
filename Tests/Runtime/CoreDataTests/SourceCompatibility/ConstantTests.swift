import CoreData
import Testing

/// The values of constants used in programs, files and notifications of Apple's platforms.
@Suite struct ConstantTests {
    @Test func errorKeysMatchApples() {
        #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList" && NSDetailedErrorsKey == "NSDetailedErrors")
        #expect(
            NSValidationObjectErrorKey == "NSValidationErrorObject" && NSValidationKeyErrorKey == "NSValidationErrorKey"
        )
        #expect(
            NSValidationPredicateErrorKey == "NSValidationErrorPredicate"
                && NSValidationValueErrorKey == "NSValidationErrorValue")
        #expect(
            NSAffectedStoresErrorKey == "NSAffectedStoresErrorKey"
                && NSAffectedObjectsErrorKey == "NSAffectedObjectsErrorKey"
                && NSSQLiteErrorDomain == "NSSQLiteErrorDomain")
    }

    @Test func notificationKeysMatchApples() {
        #expect(
            [
                NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
                NSInvalidatedObjectsKey, NSInvalidatedAllObjectsKey,
            ] == ["inserted", "updated", "deleted", "refreshed", "invalidated", "invalidatedAll"])
        #expect(
            [
                NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey, NSRefreshedObjectIDsKey,
                NSInvalidatedObjectIDsKey,
            ] == ["inserted", "updated", "deleted", "refreshed", "invalidated"].map { $0 + "_objectIDs" })
        #expect(NSAddedPersistentStoresKey == "added" && NSRemovedPersistentStoresKey == "removed")
        #expect(NSPersistentHistoryTokenKey == "historyToken" && NSPersistentStoreURLKey == "storeURL")
    }

    @Test func optionKeysMatchApples() {
        #expect(NSPersistentHistoryTrackingKey == "NSPersistentHistoryTrackingKey")
        #expect(
            NSPersistentStoreRemoteChangeNotificationPostOptionKey
                == "NSPersistentStoreRemoteChangeNotificationOptionKey")
        #expect(
            NSPersistentStoreTimeoutOption == "NSPersistentStoreTimeoutOption"
                && NSSQLitePragmasOption == "NSSQLitePragmasOption")
        #expect(NSPersistentStoreFileProtectionKey == "NSPersistentStoreFileProtectionKey")
        #expect(NSStoreUUIDKey == "NSStoreUUID" && NSStoreTypeKey == "NSStoreType")
        #expect(
            NSStoreModelVersionHashesKey == "NSStoreModelVersionHashes"
                && NSStoreModelVersionHashesVersionKey == "NSStoreModelVersionHashesVersion")
        #expect(
            [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType] == [
                "SQLite", "XML", "Binary", "InMemory",
            ])
    }

    @Test func errorsNameTheirObjectAndKey() throws {
        let context = try Library.context()
        let book = context.make("Book", ["title": nil])
        let error = try #require(nsError { try context.save() } as? CocoaError)
        #expect(error.code == .validationMissingMandatoryProperty && error.validationKey == "title")
        #expect(error.validationObject as? NSManagedObject === book && error.validationPredicate == nil)
        #expect(!"\(error as NSError)".contains("(null)"))
    }

    /// Options without meaning on Linux are harmless.
    @Test func storesAcceptOptionsOfOtherPlatforms() throws {
        let store = try TestStore(Note.model())
        let context = try store.open([
            NSPersistentStoreFileProtectionKey: "NSFileProtectionComplete",
            NSPersistentStoreConnectionPoolMaxSizeKey: 4,
            NSPersistentStoreUbiquitousContentNameKey: "app",
        ])
        _ = Note(text: "a", context: context)
        try context.save()
        try TestStore.close(context)
    }
}
