import CoreData
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
}
