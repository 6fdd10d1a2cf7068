import CoreData
import Testing

/// `NSPersistentCloudKitContainer` as a local container.
@Suite struct CloudKitContainerTests {
    private final class Store: NSPersistentCloudKitContainer, @unchecked Sendable {}

    private func load(_ container: NSPersistentContainer, isReadOnly: Bool = false) throws -> NSPersistentStore {
        let description = try #require(container.persistentStoreDescriptions.first)
        description.url = URL(fileURLWithPath: "/dev/null")
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.loadPersistentStores { #expect($1 == nil) }
        return try #require(container.persistentStoreCoordinator.persistentStores.first)
    }

    @Test func storesAreLocal() throws {
        let container = Store(name: "Library", managedObjectModel: Library.model())
        let description = try #require(container.persistentStoreDescriptions.first)
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.org.example.library")
        options.databaseScope = .shared
        description.cloudKitContainerOptions = options
        _ = try load(container)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            _ = context.make("Author", ["name": "Ada"])
            try context.save()
        }
        #expect(try context.performAndWait { try context.all("Author").count } == 1)
    }

    @Test func optionsKeepTheirValues() throws {
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.org.example.library")
        #expect(options.containerIdentifier == "iCloud.org.example.library")
        #expect(options.databaseScope == .private)
        options.databaseScope = .public
        let description = NSPersistentStoreDescription()
        #expect(description.cloudKitContainerOptions == nil)
        description.cloudKitContainerOptions = options
        let copy = try #require(description.copy() as? NSPersistentStoreDescription)
        #expect(copy.cloudKitContainerOptions?.databaseScope == .public)
        description.cloudKitContainerOptions = nil
        #expect(copy.cloudKitContainerOptions != nil)
    }

    @Test func objectsOfWritableStoresCanBeModified() throws {
        let container = NSPersistentCloudKitContainer(name: "Library", managedObjectModel: Library.model())
        let store = try load(container)
        let context = container.newBackgroundContext()
        let id = try context.performAndWait {
            let author = context.make("Author", ["name": "Ada"])
            try context.save()
            return author.objectID
        }
        #expect(container.canModifyManagedObjects(in: store))
        #expect(container.canUpdateRecord(forManagedObjectWith: id))
        #expect(container.canDeleteRecord(forManagedObjectWith: id))
    }

    @Test func aSchemaCannotBeInitialized() {
        let container = NSPersistentCloudKitContainer(name: "Library", managedObjectModel: Library.model())
        let error = #expect(throws: CocoaError.self) {
            try container.initializeCloudKitSchema(options: [.dryRun, .printSchema])
        }
        #expect(error?.code == .featureUnsupported)
    }

    @Test func observersOfEventsCompile() {
        let name = NSPersistentCloudKitContainer.eventChangedNotification
        #expect(name.rawValue == "NSPersistentCloudKitContainerEventChangedNotification")
        let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
            let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
            guard let event = note.userInfo?[key] as? NSPersistentCloudKitContainer.Event else { return }
            if event.type == .import, event.endDate != nil, event.succeeded { print(event.storeIdentifier) }
        }
        NotificationCenter.default.removeObserver(token)
    }
}
