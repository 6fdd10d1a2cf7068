import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

private typealias Fixture = PostgreSQLMigrationFixture

/// The roles with which programs and administrators connect.
@Suite(.needsPostgreSQL) struct PostgreSQLRoleTests {
    /// The roles of the guide: one that owns the tables, and one with which programs work.
    @Test func rolesOfTheGuideSuffice() throws {
        let stack = try PostgreSQLStack(MigrationFixture.model(Fixture.first))
        let guide = try String(
            contentsOf: Checkout.root.appendingPathComponent("Documentation/Guides/PostgreSQLOperations.md"),
            encoding: .utf8)
        let block = try #require(
            guide.components(separatedBy: "```sql\n").dropFirst().first?.components(separatedBy: "```").first)
        let prefix = "role_\(stack.database)"
        let script = block.replacingOccurrences(of: "library_", with: "\(prefix)_")
            .replacingOccurrences(of: "DATABASE library", with: "DATABASE \(stack.database)")
        for statement in PostgreSQLScript.statements(in: script) {
            try stack.run(statement)
        }
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true as NSNumber]
        let (owner, app) = (try stack.url(["user": "\(prefix)_owner"]), try stack.url(["user": "\(prefix)_app"]))
        func save(_ stack: PostgreSQLStack) throws {
            let context = try stack.context(stack.coordinator(options, at: app))
            try context.performAndWait {
                let book = context.make("Book", ["title": "b"])
                try context.save()
                book.setValue("c", forKey: "title")
                try context.save()
                context.delete(book)
                try context.save()
            }
            try stack.close(context)
        }
        try stack.close(stack.context(stack.coordinator(options, at: owner)))
        try save(stack)
        let version = try stack.version(Fixture.second + "<entity name=\"Later\">\(Fixture.title)</entity>")
        let migrating = options.merging(MigrationFixture.options) { first, _ in first }
        let error = try #require(nsError { _ = try version.coordinator(migrating, at: app) })
        #expect(error.localizedDescription.contains("a role that owns its tables"), "\(error.localizedDescription)")
        try version.close(version.context(version.coordinator(migrating, at: owner)))
        try save(version)
        let context = try version.context(version.coordinator(options, at: app))
        try context.performAndWait {
            _ = context.make("Later", ["title": "new table"])
            try context.save()
        }
        try version.close(context)
    }
}
