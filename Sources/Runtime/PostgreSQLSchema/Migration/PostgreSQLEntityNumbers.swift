internal import CoreData
internal import Foundation

/// The numbers by which a database distinguishes entities: those of the table `_entities`.
///
/// Usually they are those of a new store. An online migration, during which programs of both versions write, keeps the
/// numbers of entities that both have, and gives new ones the numbers after them.
package enum PostgreSQLEntityNumbers {
    /// Returns a subquery for the numbers, as text.
    package static func query(_ namespace: String) -> String {
        "(SELECT json_object_agg(\"name\", \"number\")::text FROM \(PostgreSQLName.quoted(namespace)).\"_entities\")"
    }

    /// Returns the numbers by name, or `nil` if a result of the query cannot be read.
    package static func numbers(_ text: String?) -> [String: Int]? {
        // The store of a model without entities has none.
        guard let text else { return [:] }
        return try? JSONDecoder().decode([String: Int].self, from: Data(text.utf8))
    }

    /// Returns the statement that fails if the entities of a schema have other numbers in the database.
    static func check(_ schema: PostgreSQLSchema) -> String {
        let rows = schema.entities.sorted { $0.number < $1.number }.map { "\($0.number) \($0.name)" }
        let state =
            "(SELECT coalesce(string_agg(number || ' ' || name, ', ' ORDER BY number), '') FROM \(schema.qualified("_entities")))"
        return PostgreSQLPlanScript.check(
            "\(state) IS DISTINCT FROM \(PostgreSQLName.literal(rows.joined(separator: ", ")))",
            message: "the entities have other numbers in the database than in the plan",
            help: "Make the plan with “--database URL”, which reads them.")
    }
}
