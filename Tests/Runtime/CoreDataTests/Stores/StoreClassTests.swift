import CoreData
import CoreDataPostgreSQL
import Testing

/// The classes of the stores of this module, whose names apps print and compare.
@Suite struct StoreClassTests {
    @Test func classesHaveNames() throws {
        for type in [NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType] {
            let registered = NSPersistentStoreCoordinator.registeredStoreTypes[type]
            let storeClass = try #require(registered as? NSPersistentStore.Type, "\(type)")
            // Traps on the name of a generic class.
            #expect(NSStringFromClass(storeClass).hasPrefix("CoreData."))
        }
        let store = try #require(Library.coordinator().persistentStores.first)
        #expect(NSStringFromClass(type(of: store)).hasPrefix("CoreData."))
    }

    /// Stores of another module have a class of that module, and the metadata of its engine.
    @Test func storesOfOtherModulesAreRegistered() throws {
        // The first use of the constant registers the type.
        let type = NSPostgreSQLStoreType
        let registered = NSPersistentStoreCoordinator.registeredStoreTypes[type]
        let storeClass = try #require(registered as? NSPersistentStore.Type)
        #expect(NSStringFromClass(storeClass) == "CoreDataPostgreSQL.PostgreSQLPersistentStore")
        // Nothing listens at the port.
        let url = try #require(URL(string: "postgresql://127.0.0.1:1/none"))
        let error = try #require(nsError { _ = try storeClass.metadataForPersistentStore(with: url) })
        #expect(error.localizedDescription.contains("the metadata of the PostgreSQL store cannot be read"))
    }
}
