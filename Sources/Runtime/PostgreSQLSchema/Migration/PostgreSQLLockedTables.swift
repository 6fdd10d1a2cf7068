internal import Foundation

/// The tables of the old version that the statements of a plan have locked against reads until its transaction ends, as
/// spelled in statements.
struct PostgreSQLLockedTables {
    private(set) var names: Set<String> = []
    private let namespace: String
    /// The tables of both versions but for those that the plan creates.
    private let tables: [String]
    /// The table of each index of the old version.
    private let indexes: [String: String]

    init(_ plan: PostgreSQLMigrationPlan) {
        let (source, destination) = (plan.source, plan.destination)
        namespace = PostgreSQLName.quoted(source.name)
        let created = Set(plan.createdTables)
        tables = (source.tables + source.joinTables + destination.tables + destination.joinTables)
            .map { source.qualified($0.name) }.filter { !created.contains($0) }
        indexes = Dictionary(source.indexes.map { (source.qualified($0.name), source.qualified($0.table)) }) {
            first, _ in first
        }.filter { !created.contains($1) }
    }

    /// Adds the table that a statement alters, under the name that it then has, or whose index it drops.
    mutating func add(_ statement: String) {
        if statement.hasPrefix("ALTER TABLE ") {
            if let name = statement.components(separatedBy: " RENAME TO ").dropFirst().first {
                names.insert("\(namespace).\(name)")
            } else if let table = tables.first(where: { statement.hasPrefix("ALTER TABLE \($0) ") }) {
                names.insert(table)
            }
        } else if statement.hasPrefix("DROP INDEX IF EXISTS ") {
            indexes[String(statement.dropFirst("DROP INDEX IF EXISTS ".count))].map { _ = names.insert($0) }
        }
    }
}
