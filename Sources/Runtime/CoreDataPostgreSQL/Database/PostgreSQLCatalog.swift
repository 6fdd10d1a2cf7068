internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// What a database says about a store's tables, in the server's own words.
struct PostgreSQLCatalog {
    /// A column, index, constraint, sequence or trigger.
    struct Item: Hashable {
        /// The kind of the item, in words.
        var kind: String
        var table: String
        var name: String
        /// The definition, without the namespace.
        var definition: String
    }

    let namespace: String
    /// The items of all tables other than those of the history, which not every store has.
    private(set) var items: [Item] = []
    /// The partitions of each table, in the order of their creation.
    private var partitions: [String: [String]] = [:]
    private var foreignKeys: Set<PostgreSQLSchema.Reference> = []

    /// Reads the catalog. The search path must be that of a session of the client, so that names are qualified.
    init(namespace: String, _ session: PostgreSQLConnection) throws {
        self.namespace = namespace
        let parameters = [PostgreSQLValue(namespace)]
        let results = try session.run([
            Statement(Self.items, parameters), Statement(Self.partitions, parameters),
            Statement(Self.foreignKeys, parameters),
        ])
        for row in 0..<results[0].count {
            func text(_ column: Int) -> String { results[0].string(row, column) ?? "" }
            items.append(Item(kind: text(0), table: text(1), name: text(2), definition: text(3)))
        }
        for row in 0..<results[1].count {
            guard let table = results[1].string(row, 0), let partition = results[1].string(row, 1) else { continue }
            partitions[table, default: []].append(partition)
        }
        for row in 0..<results[2].count {
            guard let table = results[2].string(row, 0), let column = results[2].string(row, 1) else { continue }
            foreignKeys.insert(.init(table: table, column: column))
        }
    }

    private static let tables =
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1 "
    private static let isOwn =
        "NOT c.relispartition AND c.relname NOT IN ('_history', '_transactions', '_changes', '_migrations')"

    private static func plain(_ definition: String) -> String {
        "replace(\(definition), quote_ident(n.nspname) || '.', '')"
    }

    private static let items =
        [
            "SELECT 'table', c.relname::text, c.relname::text, CASE c.relkind WHEN 'p' THEN 'partitioned' ELSE 'plain' END "
                + "\(tables) WHERE c.relkind IN ('r', 'p') AND \(isOwn)",
            "SELECT 'column', c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod) "
                + "|| CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END "
                + "|| coalesce(' DEFAULT ' || \(plain("pg_get_expr(d.adbin, d.adrelid)")), '') "
                + "|| coalesce(' COLLATE ' || nullif(l.collname, 'default'), '') "
                + "|| coalesce(', “' || col_description(c.oid, a.attnum) || '”', '') "
                + "\(tables) JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
                + "LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum "
                + "LEFT JOIN pg_collation l ON l.oid = a.attcollation WHERE c.relkind IN ('r', 'p') AND \(isOwn)",
            "SELECT 'constraint', c.relname::text, k.conname::text, \(plain("pg_get_constraintdef(k.oid)")) \(tables) "
                + "JOIN pg_constraint k ON k.conrelid = c.oid WHERE k.contype NOT IN ('t', 'n') AND \(isOwn)",
            "SELECT 'index', c.relname::text, i.relname::text, \(plain("pg_get_indexdef(i.oid)")) \(tables) "
                + "JOIN pg_index x ON x.indrelid = c.oid JOIN pg_class i ON i.oid = x.indexrelid WHERE \(isOwn)",
            "SELECT 'trigger', c.relname::text, t.tgname::text, \(plain("pg_get_triggerdef(t.oid)")) \(tables) "
                + "JOIN pg_trigger t ON t.tgrelid = c.oid WHERE NOT t.tgisinternal AND \(isOwn)",
            "SELECT 'sequence', c.relname::text, c.relname::text, "
                + "s.seqtypid::regtype::text || ' INCREMENT BY ' || s.seqincrement::text || coalesce(' OWNED BY ' || o.relname, '') "
                + "\(tables) JOIN pg_sequence s ON s.seqrelid = c.oid "
                + "LEFT JOIN pg_depend p ON p.classid = 'pg_class'::regclass AND p.objid = c.oid AND p.deptype = 'a' "
                + "LEFT JOIN pg_class o ON o.oid = p.refobjid",
        ].joined(separator: " UNION ALL ") + " ORDER BY 1, 2, 3"

    private static let partitions =
        "SELECT p.relname::text, c.relname::text \(tables) JOIN pg_inherits i ON i.inhrelid = c.oid "
        + "JOIN pg_class p ON p.oid = i.inhparent WHERE c.relkind IN ('r', 'p') ORDER BY c.oid"

    private static let foreignKeys =
        "SELECT c.relname::text, a.attname::text \(tables) JOIN pg_constraint k ON k.conrelid = c.oid "
        + "AND k.contype = 'f' AND k.conparentid = 0 "
        + "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]"

    /// Sets the partitions of a schema's tables to those in the database.
    func adopt(_ schema: inout PostgreSQLSchema) {
        for index in schema.tables.indices {
            schema.tables[index].partitionNames = partitions[schema.tables[index].name] ?? []
        }
    }

    /// Returns the first table or column of a schema that the database does not have, or `nil`.
    func missingPart(of schema: PostgreSQLSchema) -> String? {
        let known = Set(items.filter { $0.kind == "column" }.map { [$0.table, $0.name] })
        for table in schema.tables + schema.joinTables {
            guard items.contains(where: { $0.kind == "table" && $0.name == table.name }) else {
                return "the table “\(table.name)”"
            }
            for column in table.columnNames where !known.contains([table.name, column]) {
                return "the column “\(table.name).\(column)”"
            }
        }
        return nil
    }

    /// Returns the foreign keys of a schema that the database does not have.
    func missingKeys(of schema: PostgreSQLSchema) -> Set<PostgreSQLSchema.Reference> {
        let expected = (schema.tables + schema.joinTables).flatMap { table in
            table.foreignKeys.map { PostgreSQLSchema.Reference(table: table.name, column: $0.column) }
        }
        return Set(expected).subtracting(foreignKeys)
    }
}
