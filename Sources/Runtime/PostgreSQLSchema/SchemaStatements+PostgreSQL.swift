package import CoreData

extension SchemaStatements {
    /// Returns the statements of a PostgreSQL store, in the order in which it runs them.
    ///
    /// - Parameters:
    ///   - configuration: The configuration whose entities the store contains; `nil` for all.
    ///   - namespace: The name of the schema; `nil` for the default schema.
    ///   - partitions: The number of partitions of each table; 0 for plain tables.
    /// - Throws: `Failure`.
    package static func postgreSQL(
        _ model: NSManagedObjectModel, configuration: String?, namespace: String?, partitions: Int
    ) throws -> [String] {
        do {
            return try PostgreSQLSchemaBuilder.schema(
                of: entities(model, configuration),
                namespace: namespace ?? PostgreSQLSchemaBuilder.defaultNamespace(configuration),
                partitions: partitions
            ).statements
        } catch let failure as PostgreSQLSchemaBuilder.Failure {
            throw Failure(description: failure.description)
        }
    }
}
