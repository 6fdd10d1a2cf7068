internal import Foundation

/// The plan of an in-place migration for the tables of a store, as a value: creating it reads and writes nothing.
///
/// Indexes, triggers, keys, history and metadata follow from the two schemas and the contents of the file
/// (`InPlaceMigration`).
struct InPlacePlan {
    /// The checks, and what happens to the rows.
    let rows: RowMigration<StoreSchema>
    /// The statements that create the tables and move the rows.
    private(set) var statements: [SQLFragment] = []
    /// The tables that are no longer needed after that.
    private(set) var oldTables: [String] = []
    /// Whether only columns of new attributes are added, so that values derived from other rows do not change.
    var isAdditive: Bool { rows.isAdditive && oldTables.isEmpty }

    /// - Parameter constrained: The file's tables that declare constraints (`SQLName.key`).
    /// - Throws: An error of Cocoa's domain if the default value of a transformable attribute cannot be stored.
    init(_ versions: VersionPairs<StoreSchema>, constrained: Set<String>) throws {
        let tables = MigrationTables(versions, constrained: constrained)
        rows = try RowMigration(versions, tables: tables.rowTables, dialect: SQLiteMigrationDialect())
        for table in versions.source.tables + versions.source.joinTables where !tables.isRetained(table.name) {
            let old = tables.rowTables.name(table.name)
            statements.append("ALTER TABLE \(name: table.name) RENAME TO \(name: old)")
            oldTables.append(old)
        }
        for table in versions.destination.tables + versions.destination.joinTables {
            guard case .altered(let added) = tables.change(table.name) else {
                statements.append(SQLFragment(table.statement))
                continue
            }
            statements += added.map { column in
                "ALTER TABLE \(name: table.name) ADD COLUMN \(name: column.name) \(word: column.type.rawValue)"
            }
        }
        statements += rows.statements
    }
}
