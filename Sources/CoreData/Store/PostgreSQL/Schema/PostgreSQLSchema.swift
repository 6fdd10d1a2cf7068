/// How the entities of a model are kept in a PostgreSQL database: one namespace with a table for each hierarchy of entities.
///
/// Made of the model alone, so that every program with the same model knows the same schema; immutable. Documentation/PostgreSQL.md
/// describes it.
struct PostgreSQLSchema: Sendable {
    /// The namespace.
    var name: String
    /// The entities, by ascending number.
    var entities: [EntityMapping]
    /// The tables of rows, by the number of the root entity.
    var tables: [PostgreSQLTable]
    var joinTables: [PostgreSQLTable]
    var indexes: [PostgreSQLIndex]
    /// The version hash of each entity in hexadecimal digits, by name.
    var hashes: [String: String]
    /// The derived attributes that follow from other objects.
    var derivations: [PostgreSQLDerivation] = []

    /// The columns that every table of rows begins with.
    static let reservedColumns = ["_pk", "_entity", "_version"]
    /// The columns that a server has in every table, which no other column may be named after.
    static let systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]
    /// The tables that every store has.
    static let reservedTables = ["_metadata", "_entities", "_history", "_transactions", "_changes"]
    /// The keys that a store takes at once: a sequence counts in such steps, so that several writers never get the same.
    static let keyBlock: Int64 = 64

    /// Returns the number of the root table's sequence, by the number of the root entity.
    func table(root: Int) -> PostgreSQLTable? { tables.first { $0.root == root } }

    /// Returns the mapping of an entity; `nil` if the store does not hold it.
    func entity(named name: String) -> EntityMapping? { entities.first { $0.name == name } }

    /// Returns a table's name with the namespace.
    func qualified(_ table: String) -> String { "\(PostgreSQLName.quoted(name)).\(PostgreSQLName.quoted(table))" }

    /// The statements that create the namespace with everything in it, in the order in which they run.
    ///
    /// The row of `_metadata` is the store's to write.
    var statements: [String] {
        var result = ["CREATE SCHEMA IF NOT EXISTS \(PostgreSQLName.quoted(name))"]
        for table in tables + joinTables { result += statements(creating: table) }
        for table in tables + joinTables { result += keyStatements(of: table) }
        result += indexes.map { $0.statement(self) }
        return result + ownTables
    }

    private func statements(creating table: PostgreSQLTable) -> [String] {
        var result: [String] = []
        if let sequence = table.sequence {
            result.append("CREATE SEQUENCE \(qualified(sequence)) AS bigint INCREMENT BY \(Self.keyBlock)")
        }
        var lines = table.columns.map { column in
            let isKey = column.name == table.key.first && table.sequence != nil
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
        for column in table.columns where column.type == .date {
            result.append(
                "COMMENT ON COLUMN \(qualified(table.name)).\(PostgreSQLName.quoted(column.name)) IS "
                    + "'seconds since 2001-01-01 00:00:00 UTC; to_timestamp(value + 978307200)'")
        }
        return result
    }

    /// Returns the name of a table's sequence as `nextval` takes it, a literal.
    private func sequenceText(_ table: PostgreSQLTable) -> String {
        PostgreSQLName.literal(qualified(table.sequence ?? ""))
    }

    /// Foreign keys and unique constraints, which are checked when a transaction ends: within it objects may exchange values.
    private func keyStatements(of table: PostgreSQLTable) -> [String] {
        table.uniques.map { unique in
            "ALTER TABLE \(qualified(table.name)) ADD CONSTRAINT \(PostgreSQLName.quoted(unique.name)) UNIQUE "
                + "(\(unique.columns.map(PostgreSQLName.quoted).joined(separator: ", "))) DEFERRABLE INITIALLY DEFERRED"
        }
            + table.foreignKeys.map { key in
                "ALTER TABLE \(qualified(table.name)) ADD CONSTRAINT \(PostgreSQLName.quoted(key.name)) FOREIGN KEY "
                    + "(\(PostgreSQLName.quoted(key.column))) REFERENCES \(qualified(key.table)) (\"_pk\")"
                    + "\(key.onDelete.map { " ON DELETE \($0.rawValue)" } ?? "") DEFERRABLE INITIALLY DEFERRED"
            }
    }

    private var ownTables: [String] {
        let metadata = qualified("_metadata")
        let numbers = qualified("_entities")
        var result = [
            "CREATE TABLE \(numbers) (\n    \"number\" integer PRIMARY KEY,\n    \"name\" text NOT NULL,\n"
                + "    \"parent\" integer,\n    \"table_name\" text NOT NULL,\n    \"version_hash\" text NOT NULL\n)",
            "CREATE TABLE \(metadata) (\n    \"version\" integer PRIMARY KEY,\n    \"uuid\" text NOT NULL,\n"
                + "    \"properties\" bytea NOT NULL,\n    \"model\" bytea\n)",
        ]
        for entity in entities {
            let parent = entity.superNumber == 0 ? "NULL" : "\(entity.superNumber)"
            result.append(
                "INSERT INTO \(numbers) VALUES (\(entity.number), \(PostgreSQLName.literal(entity.name)), \(parent), "
                    + "\(PostgreSQLName.literal(entity.table)), \(PostgreSQLName.literal(hashes[entity.name] ?? "")))")
        }
        return result
    }
}

/// A table of a PostgreSQL schema.
struct PostgreSQLTable: Sendable, Equatable {
    /// A column.
    struct Column: Sendable, Equatable {
        var name: String
        var type: PostgreSQLType
        var isRequired = false
    }

    /// Values that no two rows share.
    struct Unique: Sendable, Equatable {
        var name: String
        var columns: [String]
    }

    /// A column with the key of a row of another table.
    struct ForeignKey: Sendable, Equatable {
        /// What becomes of the column when the other row is deleted by a statement that is not the store's.
        enum Action: String, Sendable {
            case cascade = "CASCADE"
            case setNull = "SET NULL"
        }

        var name: String
        var column: String
        var table: String
        var onDelete: Action?
    }

    var name: String
    /// The number of the root entity; 0 for a join table.
    var root = 0
    var columns: [Column]
    /// The columns of the primary key.
    var key: [String]
    /// What the keys of rows come from; `nil` for a join table.
    var sequence: String?
    var uniques: [Unique] = []
    var foreignKeys: [ForeignKey] = []
    /// The partitions, by the remainder of the key's hash; empty for a plain table.
    var partitionNames: [String] = []

    var partitions: Int { partitionNames.count }
}

/// An index of a PostgreSQL schema.
struct PostgreSQLIndex: Sendable, Equatable {
    /// How the index finds rows.
    enum Method: Sendable, Equatable {
        /// By the order of columns, each ascending or not.
        case ordered([Column])
        /// By place: two numbers as a point.
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
    /// The condition of the rows in the index, in SQL; `nil` for all rows.
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
        case .point(let columns):
            let numbers = columns.map { "\(PostgreSQLName.quoted($0))::double precision" }
            what = "USING gist (point(\(numbers.joined(separator: ", "))))"
        }
        return "CREATE INDEX \(PostgreSQLName.quoted(name)) ON \(schema.qualified(table)) \(what)"
            + (condition.map { " WHERE \($0)" } ?? "")
    }
}

/// The type of a column.
enum PostgreSQLType: Sendable, Equatable {
    case smallint
    case integer
    case bigint
    case real
    case double
    /// Seconds since 2001: `timestamptz` counts whole microseconds, to which a `Date` would be rounded, so that it would no longer
    /// equal the one that was saved.
    case date
    case numeric
    case boolean
    case text
    case uuid
    case bytea

    /// The type as it is declared.
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

    /// The type of an attribute's column; `nil` for types that no store can hold.
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
