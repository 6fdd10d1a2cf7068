import CoreData
import PostgreSQLTestSupport

/// Two versions of a model, and stores of the first one in databases.
enum PostgreSQLMigrationFixture {
    static let title = "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"
    static let first = "<entity name=\"Book\">\(title)</entity>"
    static let second =
        "<entity name=\"Author\"/><entity name=\"Book\">\(title)"
        + "<attribute name=\"pages\" attributeType=\"Integer 32\" defaultValueString=\"7\"/></entity>"

    /// Creates a store of a version.
    static func stack(
        _ entities: String, _ fill: (NSManagedObjectContext) throws -> Void
    ) throws -> PostgreSQLStack {
        let stack = try PostgreSQLStack(try MigrationFixture.model(entities))
        let context = try stack.context()
        try context.performAndWait {
            try fill(context)
            try context.save()
        }
        try stack.close(context)
        return stack
    }

    /// Creates a store of the first version with an object.
    static func stack() throws -> PostgreSQLStack {
        try stack(first) { _ = $0.make("Book", ["title": "b"]) }
    }
}
