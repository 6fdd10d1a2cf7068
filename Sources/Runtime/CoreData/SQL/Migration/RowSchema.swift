/// A schema whose rows a migration can move: that of a SQLite file or of another database.
package protocol RowSchema: Sendable {
    associatedtype Table: RowTable

    /// The entities, by ascending number.
    var entities: [EntityMapping] { get }
    /// The tables of rows.
    var tables: [Table] { get }
    /// The tables of many-to-many relationships.
    var joinTables: [Table] { get }

    /// Returns the mapping of an entity, or `nil` if the store does not contain it.
    func entity(named name: String) -> EntityMapping?

    /// Returns the mapping of the entity with a number, or `nil` if there is none.
    func entity(number: Int) -> EntityMapping?
}

/// A table of a schema.
package protocol RowTable {
    var name: String { get }

    /// The names of the columns, beginning with those that every table of rows has.
    var columnNames: [String] { get }
}

/// The tables of the old version that a migration keeps, and the names under which rows are read.
package struct RowTables {
    private let retained: Set<String>
    private let dialect: any MigrationDialect
    private let formerName: @Sendable (String) -> String

    /// - Parameters:
    ///   - retained: The tables whose rows stay where they are.
    ///   - formerName: Returns the name of any other table while its rows are moved.
    package init(
        retained: some Sequence<String>, dialect: any MigrationDialect,
        formerName: @escaping @Sendable (String) -> String
    ) {
        self.retained = Set(retained.map(dialect.identity))
        self.dialect = dialect
        self.formerName = formerName
    }

    /// Returns whether a table is retained.
    func isRetained(_ table: String) -> Bool { retained.contains(dialect.identity(table)) }

    /// Returns the name under which the rows of a table of the old version are read.
    func name(_ table: String) -> String { isRetained(table) ? table : formerName(table) }
}
