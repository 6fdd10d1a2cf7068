import SwiftData

enum MigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
        [SchemaV1.self, SchemaV2.self, SchemaV3.self]
    }

    static var stages: [MigrationStage] {
        [migrateSchemaV1ToSchemaV2, migrateSchemaV2ToSchemaV3]
    }

    static let migrateSchemaV1ToSchemaV2 = MigrationStage.lightweight(
        fromVersion: SchemaV1.self, toVersion: SchemaV2.self)

    // A lightweight migration is not possible:
    // “Book.pages” changed its type from Integer 64 to String, for which there is no conversion
    // “Book.pages” became required and has no default value for rows without a value (a store without such rows may migrate)
    // “Book.isbn” is new and required, and has no default value for existing rows (a store without rows of the entity may migrate)
    static let migrateSchemaV2ToSchemaV3 = MigrationStage.custom(
        fromVersion: SchemaV2.self, toVersion: SchemaV3.self,
        willMigrate: { context in
            // Read here what the new version cannot store.
            try context.save()
        },
        didMigrate: { context in
            // Fill here what the new version requires.
            try context.save()
        })
}
