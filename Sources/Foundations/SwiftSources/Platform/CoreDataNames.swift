/// The names at the top level of Core Data.
enum CoreDataNames {
    private static let prefixes = [
        "NSAsynchronousFetch", "NSAtomicStore", "NSAttributeDescription", "NSAttributeType", "NSBatchDelete",
        "NSBatchInsert", "NSBatchUpdate", "NSConstraintConflict", "NSDerivedAttribute", "NSEntityDescription",
        "NSEntityMapping", "NSEntityMigrationPolicy", "NSExpressionDescription", "NSFetchIndex", "NSFetchRequest",
        "NSFetchedPropertyDescription", "NSFetchedResults", "NSInMemoryStoreType", "NSIncrementalStore",
        "NSManagedObject", "NSMappingModel", "NSMergeConflict", "NSMergePolicy", "NSMigrationManager",
        "NSPersistentCloudKit", "NSPersistentContainer", "NSPersistentHistory", "NSPersistentStore",
        "NSPropertyDescription", "NSPropertyMapping", "NSQueryGenerationToken", "NSRelationshipDescription",
        "NSSQLiteStoreType", "NSSaveChangesRequest", "NSStagedMigration",
    ]

    static func contains(_ name: String) -> Bool {
        name.hasPrefix("NS") && prefixes.contains { name.hasPrefix($0) }
    }
}
