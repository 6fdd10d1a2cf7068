internal import CoreData
internal import Foundation
internal import PostgreSQLSchema

/// The type of stores in PostgreSQL databases.
///
/// ```swift
/// import CoreData
/// import CoreDataPostgreSQL
///
/// let description = NSPersistentStoreDescription()
/// description.type = NSPostgreSQLStoreType
/// description.url = URL(string: "postgresql://localhost/library")
/// ```
///
/// The first use of the constant registers the type with all coordinators, so programs use the constant rather than its
/// value. The URL is a connection URI of libpq, which also reads `.pgpass`, service files and the environment variables
/// of `psql`. Thread-safe.
public let NSPostgreSQLStoreType: String = {
    NSPersistentStoreCoordinator.registerStoreClass(
        PostgreSQLPersistentStore.self, forStoreType: PostgreSQLSchema.storeType)
    return PostgreSQLSchema.storeType
}()

/// An option of PostgreSQL stores: the name of the schema in the database, a string.
///
/// Without it the schema is named after the configuration, or `coredata` if the store has none.
public let NSPostgreSQLSchemaOption = PostgreSQLOptions.schema

/// An option of PostgreSQL stores: the number of hash partitions of each table of a new store.
///
/// Tables with unique constraints are never partitioned, because a server enforces them across partitions only if they
/// contain the key.
public let NSPostgreSQLPartitionsOption = PostgreSQLOptions.partitions

/// An option of PostgreSQL stores: whether the URL refers to a pooler in transaction mode, such as PgBouncer.
///
/// The store then uses no prepared statements. Notifications need `NSPostgreSQLListenerURLOption` with the URL of the
/// server itself.
public let NSPostgreSQLTransactionPoolerOption = PostgreSQLOptions.pooler

/// An option of PostgreSQL stores: the URL of a hot standby that answers fetches, a `URL` or a string.
///
/// The standby is queried only after it has replayed everything that this store has committed; changes saved by other
/// programs may be missing. If it cannot be reached, the server at the store's URL is queried.
public let NSPostgreSQLStandbyURLOption = PostgreSQLOptions.standby

/// An option of PostgreSQL stores: the URL at which the store listens for the changes of other programs, a `URL` or a
/// string.
///
/// Without it the store listens at its own URL, which does not work through a pooler in transaction mode.
public let NSPostgreSQLListenerURLOption = PostgreSQLOptions.listener

/// An option of PostgreSQL stores: a ``PostgreSQLObserver`` that receives slow statements, repeated transactions and
/// waits for connections.
public let NSPostgreSQLObserverOption = PostgreSQLOptions.observer
