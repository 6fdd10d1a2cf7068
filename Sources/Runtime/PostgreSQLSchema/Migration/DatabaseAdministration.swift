package import CoreData
internal import Foundation
internal import RuntimeSupport

/// The commands that look at a database with a store, and run the plan of a migration in it.
///
/// Commands name only this protocol, because programs without a client for the server have them too.
package protocol DatabaseAdministration {
    /// - Parameters:
    ///   - url: The connection URI of the database.
    ///   - configuration: The configuration whose entities the store contains; `nil` for all.
    ///   - namespace: The name of the schema; `nil` for the default schema.
    /// - Throws: `DatabaseFailure` if the URI is invalid.
    init(url: String, configuration: String?, namespace: String?) throws(DatabaseFailure)

    /// Compares the database with the schema of the model that it should have.
    func drift(from model: NSManagedObjectModel, configuration: String?) throws(DatabaseFailure) -> [DatabaseDrift]

    /// Returns the numbers of entities in the database, by name.
    func entityNumbers() throws(DatabaseFailure) -> [String: Int]

    /// Runs a plan, and computes what the server cannot.
    ///
    /// - Parameter progress: Called with the number of finished statements and that of all.
    /// - Throws: `DatabaseFailure` with the statement that failed. The database is then unchanged.
    func apply(_ script: String, progress: (Int, Int) -> Void) throws(DatabaseFailure)

    /// Returns the state of the store.
    func status() throws(DatabaseFailure) -> DatabaseStatus

    /// The address with which a coordinator opens the store.
    var address: StoreAddress { get throws(DatabaseFailure) }

    /// Returns what a copy has to know of the store; `nil` if there is none.
    func contents() throws(DatabaseFailure) -> DatabaseContents?
}

/// What a copy has to know of a store in a database.
package struct DatabaseContents {
    /// The model in the database; `nil` if it has none that can be read.
    package let model: NSManagedObjectModel?
    /// The metadata of the store.
    package let metadata: [String: Any]
    /// The number of transactions in the history.
    package let transactions: Int

    package init(model: NSManagedObjectModel?, metadata: [String: Any], transactions: Int) {
        self.model = model
        self.metadata = metadata
        self.transactions = transactions
    }
}

/// The error of a command that looks at a database.
package struct DatabaseFailure: Error {
    /// The problem.
    package let reason: String
    /// The fix; `nil` if none is known.
    package let help: String?

    package init(reason: String, help: String?) {
        self.reason = reason
        self.help = help
    }
}

/// A difference between a database and the schema of a model.
package struct DatabaseDrift: Equatable, Sendable {
    /// Where it is, as in `column “Book.title”`.
    package let location: String
    /// What is different.
    package let problem: String

    package init(location: String, problem: String) {
        self.location = location
        self.problem = problem
    }
}

/// The state of a store in a database.
package struct DatabaseStatus: Sendable {
    /// The UUID of the store.
    package let uuid: String
    /// The version hashes of its entities in hexadecimal digits, by name.
    package let hashes: [String: String]
    /// The version hashes of the version to which the store is being migrated online; `nil` if there is none.
    package let upcomingHashes: [String: String]?
    /// The migrations that were run, the last one first.
    package let migrations: [String]
    /// The number of other connections to the database.
    package let connections: Int

    package init(
        uuid: String, hashes: [String: String], upcomingHashes: [String: String]? = nil, migrations: [String],
        connections: Int
    ) {
        self.uuid = uuid
        self.hashes = hashes
        self.upcomingHashes = upcomingHashes
        self.migrations = migrations
        self.connections = connections
    }
}

extension DatabaseAdministration {
    /// Returns the URL of a database without the passwords in it.
    package static func shown(_ url: String) -> String { Redaction.text(url) }

    /// Returns the URL of a database.
    ///
    /// - Throws: `DatabaseFailure` if it is not one of PostgreSQL.
    package static func checked(_ url: String) throws(DatabaseFailure) -> URL {
        if let url = URL(string: url), url.scheme?.hasPrefix("postgres") == true { return url }
        let authority = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" }
        throw DatabaseFailure(
            reason: "the database is not named by a URL",
            // libpq reads them, but they are not part of the syntax of URLs.
            help: authority.contains(",")
                ? "Give hosts that have ports as parameters: postgresql:///database?host=first,second&port=5432,5433."
                : "Give a URL such as postgresql://host/database.")
    }
}
