package import CoreData
package import PostgreSQLSchema

/// The administration of databases in a program without a client.
package struct NoDatabaseClient: DatabaseAdministration {
    private static let failure = DatabaseFailure(
        reason: "there is no client library for PostgreSQL in this program",
        help: "Run it with modelc-postgresql.")

    package init(url: String, configuration: String?, namespace: String?) throws(DatabaseFailure) {
        _ = try Self.checked(url)
    }

    package func drift(
        from model: NSManagedObjectModel, configuration: String?
    ) throws(DatabaseFailure) -> [DatabaseDrift] { throw Self.failure }

    package func entityNumbers() throws(DatabaseFailure) -> [String: Int] { throw Self.failure }

    package func apply(_ script: String, progress: (Int, Int) -> Void) throws(DatabaseFailure) { throw Self.failure }

    package func status() throws(DatabaseFailure) -> DatabaseStatus { throw Self.failure }

    package var address: StoreAddress { get throws(DatabaseFailure) { throw Self.failure } }

    package func contents() throws(DatabaseFailure) -> DatabaseContents? { throw Self.failure }
}
