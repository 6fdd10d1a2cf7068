package import CoreData

/// The schema by which a PostgreSQL database stores the entities of a model: one namespace with a table for each entity
/// hierarchy.
///
/// Derived from the model alone, so that every program with the same model has the same schema. Immutable.
/// Documentation/Guides/PostgreSQL.md describes it.
package struct PostgreSQLSchema: Sendable {
    /// The namespace.
    package var name: String
    /// The entities, each hierarchy in one piece, in the order of a new store's numbers.
    package var entities: [EntityMapping]
    /// The tables of rows, in the order of their root entities.
    package var tables: [PostgreSQLTable]
    package var joinTables: [PostgreSQLTable]
    var indexes: [PostgreSQLIndex]
    /// The version hash of each entity in hexadecimal digits, by name.
    var hashes: [String: String]
    /// The derived attributes that depend on other objects.
    package var derivations: [PostgreSQLDerivation] = []
    /// The columns of references that have no foreign key, because they are kept when their object is deleted.
    package var freeReferences: [Reference] = []

    /// A column that refers to the rows of a table.
    package struct Reference: Sendable, Hashable {
        package var table: String
        package var column: String

        package init(table: String, column: String) {
            self.table = table
            self.column = column
        }
    }

    /// The type of stores in PostgreSQL databases.
    package static let storeType = "PostgreSQL"
    /// The first columns of every table of rows.
    package static let reservedColumns = ["_pk", "_entity", "_version"]
    /// The system columns of every table, whose names no other column may have.
    static let systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]
    /// The tables that every store has.
    package static let reservedTables = [
        "_metadata", "_entities", "_history", "_transactions", "_changes", "_migrations",
    ]
    /// The number of keys that a store takes at once, which is the increment of sequences, so that different writers
    /// never get the same keys.
    package static let keyBlock: Int64 = 64

    /// Returns the table of a hierarchy, by the number of its root entity.
    package func table(root: Int) -> PostgreSQLTable? { tables.first { $0.root == root } }

    /// Returns the mapping of an entity, or `nil` if the store does not contain it.
    func entity(named name: String) -> EntityMapping? { entities.first { $0.name == name } }

    /// Returns the mapping of the entity with a number, or `nil` if there is none.
    package func entity(number: Int) -> EntityMapping? {
        // Numbers begin with 1, and have gaps only after online migrations.
        if entities.indices.contains(number - 1), entities[number - 1].number == number { return entities[number - 1] }
        return entities.first { $0.number == number }
    }

    /// Returns a table's name qualified with the namespace.
    package func qualified(_ table: String) -> String {
        "\(PostgreSQLName.quoted(name)).\(PostgreSQLName.quoted(table))"
    }

    /// The statements that create the namespace and its contents, in execution order.
    ///
    /// The store itself writes the row of `_metadata`.
    package var statements: [String] {
        var result = ["CREATE SCHEMA IF NOT EXISTS \(PostgreSQLName.quoted(name))"]
        for table in tables + joinTables { result += statements(creating: table) }
        for table in tables + joinTables {
            result += table.uniques.map { statement(adding: $0, to: table.name) }
            result += table.foreignKeys.map { statement(adding: $0, to: table.name) }
        }
        result += indexes.map { $0.statement(self) }
        return result + [entityTable, metadataTable] + entityRows
    }

    /// Returns the statements that create a table with its sequence and partitions, without constraints and indexes.
    func statements(creating table: PostgreSQLTable) -> [String] {
        var result: [String] = []
        if let sequence = table.sequence {
            result.append("CREATE SEQUENCE \(qualified(sequence)) AS bigint INCREMENT BY \(Self.keyBlock)")
        }
        var lines = table.columns.map { column in
            let isKey = column.name == table.key.last && table.sequence != nil
            let next = isKey ? " DEFAULT nextval(\(sequenceText(table)))" : ""
            return "    \(PostgreSQLName.quoted(column.name)) \(column.type.declaration)\(next)"
                + (column.isRequired ? " NOT NULL" : "")
        }
        lines.append("    PRIMARY KEY (\(table.key.map(PostgreSQLName.quoted).joined(separator: ", ")))")
        let partitioning = table.partitions > 0 ? " PARTITION BY HASH (\(PostgreSQLName.quoted(table.key[0])))" : ""
        result.append("CREATE TABLE \(qualified(table.name)) (\n\(lines.joined(separator: ",\n"))\n)\(partitioning)")
        for number in table.partitionNames.indices {
            result.append(
                "CREATE TABLE \(qualified(table.partitionNames[number])) PARTITION OF \(qualified(table.name)) "
                    + "FOR VALUES WITH (MODULUS \(table.partitions), REMAINDER \(number))")
        }
        if let sequence = table.sequence {
            result.append(
                "ALTER SEQUENCE \(qualified(sequence)) OWNED BY \(qualified(table.name)).\"_pk\"")
        }
        return result + table.columns.compactMap { comment(on: $0, of: table.name) }
    }

    /// Returns the statement that describes a column, or `nil` if its type speaks for itself.
    func comment(on column: PostgreSQLTable.Column, of table: String) -> String? {
        guard column.type == .date else { return nil }
        return "COMMENT ON COLUMN \(qualified(table)).\(PostgreSQLName.quoted(column.name)) IS "
            + "'seconds since 2001-01-01 00:00:00 UTC; to_timestamp(value + 978307200)'"
    }

    /// Returns the literal of a table's sequence name, for `nextval`.
    private func sequenceText(_ table: PostgreSQLTable) -> String {
        PostgreSQLName.literal(qualified(table.sequence ?? ""))
    }

    /// Returns the statement that adds a unique constraint. Constraints are checked at the end of a transaction, within
    /// which objects may exchange values.
    func statement(adding unique: PostgreSQLTable.Unique, to table: String) -> String {
        "ALTER TABLE \(qualified(table)) ADD CONSTRAINT \(PostgreSQLName.quoted(unique.name)) UNIQUE "
            + "(\(unique.columns.map(PostgreSQLName.quoted).joined(separator: ", "))) DEFERRABLE INITIALLY DEFERRED"
    }

    func statement(adding key: PostgreSQLTable.ForeignKey, to table: String) -> String {
        let shared = key.sharedColumn.map { PostgreSQLName.quoted($0) + ", " } ?? ""
        return
            "ALTER TABLE \(qualified(table)) ADD CONSTRAINT \(PostgreSQLName.quoted(key.name)) FOREIGN KEY "
            + "(\(shared)\(PostgreSQLName.quoted(key.column))) REFERENCES \(qualified(key.table)) (\(shared)\"_pk\")"
            + "\(key.onDelete.map { " ON DELETE \($0.rawValue)" } ?? "") DEFERRABLE INITIALLY DEFERRED"
    }

    /// The statement that creates the table of entities.
    var entityTable: String {
        "CREATE TABLE \(qualified("_entities")) (\n    \"number\" integer PRIMARY KEY,\n    \"name\" text NOT NULL,\n"
            + "    \"parent\" integer,\n    \"table_name\" text NOT NULL,\n    \"version_hash\" text NOT NULL\n)"
    }

    private var metadataTable: String {
        "CREATE TABLE \(qualified("_metadata")) (\n    \"version\" integer PRIMARY KEY,\n    \"uuid\" text NOT NULL,\n"
            + "    \"properties\" bytea NOT NULL,\n    \"model\" bytea\n)"
    }

    /// The statements that fill the table of entities.
    var entityRows: [String] {
        entities.sorted { $0.number < $1.number }.map { entity in
            let parent = entity.superNumber == 0 ? "NULL" : "\(entity.superNumber)"
            return
                "INSERT INTO \(qualified("_entities")) VALUES (\(entity.number), \(PostgreSQLName.literal(entity.name)), "
                + "\(parent), \(PostgreSQLName.literal(entity.table)), \(PostgreSQLName.literal(hashes[entity.name] ?? "")))"
        }
    }
}

/// A table of a PostgreSQL schema.
package struct PostgreSQLTable: Sendable, Equatable {
    package struct Column: Sendable, Equatable {
        package var name: String
        var type: PostgreSQLColumnType
        var isRequired = false
    }

    /// A unique constraint.
    package struct Unique: Sendable, Equatable {
        package var name: String
        package var columns: [String]
    }

    /// A column with the key of a row of another table.
    package struct ForeignKey: Sendable, Equatable {
        /// The effect on the column if the other row is deleted by a statement that is not the store's.
        enum Action: String, Sendable {
            case cascade = "CASCADE"
            case setNull = "SET NULL"
        }

        var name: String
        package var column: String
        var table: String
        var onDelete: Action?
        /// The column with the tenant, in both tables, which the key contains besides; `nil` in stores.
        var sharedColumn: String?
    }

    package var name: String
    /// The number of the root entity; 0 for a join table.
    package var root = 0
    package var columns: [Column]
    /// The columns of the primary key. The last is that of the object, or of the member in a join table.
    var key: [String]
    /// The sequence that provides the keys of rows; `nil` for a join table.
    package var sequence: String?
    package var uniques: [Unique] = []
    package var foreignKeys: [ForeignKey] = []
    /// The partitions, by the remainder of the key's hash; empty for a plain table.
    package var partitionNames: [String] = []

    package var partitions: Int { partitionNames.count }

    package var columnNames: [String] { columns.map(\.name) }

    /// The name that the server gives the index of the primary key.
    var keyIndexName: String { Self.keyIndexName(of: name) }

    static func keyIndexName(of table: String) -> String {
        PostgreSQLName.prefix(of: table, bytes: PostgreSQLName.limit - 5) + "_pkey"
    }
}

/// An index of a PostgreSQL schema.
struct PostgreSQLIndex: Sendable, Equatable {
    /// The method by which the index finds rows.
    enum Method: Sendable, Equatable {
        /// By the order of columns, each ascending or not.
        case ordered([Column])
        /// By the value or a prefix of a text of any size.
        case prefix(String)
        /// By the value of bytes of any size.
        case equality(String)
        /// By location: two numbers as a point.
        case point([String])
    }

    /// A column of an ordered index.
    struct Column: Sendable, Equatable {
        var name: String
        var isAscending = true
    }

    var name: String
    var table: String
    var method: Method
    /// The condition for indexed rows, in SQL; `nil` for all rows.
    var condition: String?

    /// Returns the statement that creates the index. Null comes first, as in fetches.
    func statement(_ schema: PostgreSQLSchema) -> String {
        let what: String
        switch method {
        case .ordered(let columns):
            what =
                "("
                + columns.map {
                    PostgreSQLName.quoted($0.name) + ($0.isAscending ? " ASC NULLS FIRST" : " DESC NULLS LAST")
                }.joined(separator: ", ") + ")"
        case .prefix(let column): what = "USING spgist (\(PostgreSQLName.quoted(column)))"
        case .equality(let column): what = "USING hash (\(PostgreSQLName.quoted(column)))"
        case .point(let columns):
            let numbers = columns.map { "\(PostgreSQLName.quoted($0))::double precision" }
            what = "USING gist (point(\(numbers.joined(separator: ", "))))"
        }
        return "CREATE INDEX \(PostgreSQLName.quoted(name)) ON \(schema.qualified(table)) \(what)"
            + (condition.map { " WHERE \($0)" } ?? "")
    }
}

/// The type of a column.
package enum PostgreSQLColumnType: Sendable, Equatable {
    case smallint
    case integer
    case bigint
    case real
    case double
    /// Seconds since 2001: `timestamptz` has microsecond resolution, to which a `Date` would be rounded, so that it
    /// would no longer equal the saved one.
    case date
    case numeric
    case boolean
    case text
    case uuid
    case bytea

    /// The name of the type in declarations.
    var declaration: String {
        switch self {
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .real: "real"
        case .double, .date: "double precision"
        case .numeric: "numeric"
        case .boolean: "boolean"
        case .text: "text COLLATE \"C\""
        case .uuid: "uuid"
        case .bytea: "bytea"
        }
    }

    /// Creates the type of an attribute's column; `nil` for types that cannot be stored.
    init?(_ type: NSAttributeType) {
        switch type {
        case .integer16AttributeType: self = .smallint
        case .integer32AttributeType: self = .integer
        case .integer64AttributeType: self = .bigint
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType: self = .double
        case .floatAttributeType: self = .real
        case .dateAttributeType: self = .date
        case .decimalAttributeType: self = .numeric
        case .stringAttributeType, .URIAttributeType: self = .text
        case .UUIDAttributeType: self = .uuid
        case .binaryDataAttributeType, .transformableAttributeType: self = .bytea
        case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return nil
        }
    }
}
