internal import CoreData
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Statements that write many rows of an entity, as arrays of columns.
enum PostgreSQLRowStatements {
    /// Returns the SQL for arrays as a table of keys, versions and columns.
    ///
    /// A server that does not know the length of an array estimates ten rows, so a generic plan looks worse to it than
    /// a custom one, and it plans a prepared statement again on every execution. With a single row the elements are
    /// plain values, and it keeps the plan.
    static func table(columns count: Int, rows: Int) -> String {
        let positions = 1...(count + 2)
        let names = (0..<count).map { ", c\($0)" }.joined()
        let table =
            rows == 1
            ? "(SELECT \(positions.map { "($\($0))[1]" }.joined(separator: ", ")))"
            : "unnest(\(positions.map { "$\($0)" }.joined(separator: ", ")))"
        return "\(table) AS u(pk, version\(names))"
    }

    /// Returns the arrays of keys, versions and the values of fields.
    static func arrays(
        of rows: [Row], keys: [Int64], versions: [Int64], fields: [PostgreSQLEntity.Field],
        entity: PostgreSQLEntity, store: PostgreSQLStore
    ) throws -> [PostgreSQLValue] {
        var arrays = PostgreSQLEntity.columns(of: fields).map { PostgreSQLArray(element: $0.type) }
        for row in rows {
            try entity.append(row, of: fields, number: { store.entity($0.layout).map { Int64($0.number) } }) {
                try arrays[$0].append($1)
            }
        }
        return [PostgreSQLValue(keys), PostgreSQLValue(versions)] + arrays.map(\.parameter)
    }

    /// Returns the statement that copies rows of an entity.
    static func copy(_ entity: PostgreSQLEntity) -> String {
        let names = PostgreSQLEntity.columns(of: entity.fields).map { ", \(PostgreSQLName.quoted($0.name))" }.joined()
        return "COPY \(entity.table) (_pk, _version, _entity\(names)) FROM STDIN (FORMAT binary)"
    }

    /// Adds a row to those that `copy(_:)` takes.
    static func add(
        _ row: Row, key: Int64, entity: PostgreSQLEntity, columns: Int, to buffer: inout PostgreSQLRowBuffer,
        store: PostgreSQLStore
    ) throws {
        buffer.beginRow(columns: columns + 3)
        buffer.append(key)
        buffer.append(Int64(row.version))
        buffer.append(Int32(truncatingIfNeeded: entity.number))
        try entity.append(row, of: entity.fields, number: { store.entity($0.layout).map { Int64($0.number) } }) {
            _ = try $1(&buffer)
        }
    }

    /// Returns the statement that inserts rows.
    static func insertion(
        of rows: [Row], keys: [Int64], entity: PostgreSQLEntity, store: PostgreSQLStore
    ) throws -> Statement {
        let columns = PostgreSQLEntity.columns(of: entity.fields)
        let names = columns.map { ", \(PostgreSQLName.quoted($0.name))" }.joined()
        let values = columns.indices.map { ", u.c\($0)" }.joined()
        return Statement(
            "INSERT INTO \(entity.table) (_pk, _version, _entity\(names)) "
                + "SELECT u.pk, u.version, \(entity.number)\(values) FROM \(table(columns: columns.count, rows: rows.count))",
            try arrays(
                of: rows, keys: keys, versions: rows.map { Int64($0.version) }, fields: entity.fields, entity: entity,
                store: store))
    }

    /// Returns the statement that updates the fields of rows.
    ///
    /// - Parameters:
    ///   - versions: The expected versions of the rows; `nil` to write any version.
    ///   - constants: Fields that get the same value in all rows, which is sent once: that of the first row.
    static func update(
        of rows: [Row], keys: [Int64], versions: [Int64]?, fields: [PostgreSQLEntity.Field],
        constants: [PostgreSQLEntity.Field] = [], entity: PostgreSQLEntity, store: PostgreSQLStore
    ) throws -> Statement {
        let columns = PostgreSQLEntity.columns(of: fields)
        // Values that the server computes may have changed since the context read the row.
        let foreign = PostgreSQLEntity.columns(of: entity.foreignFields)
            .map { ", t.\(PostgreSQLName.quoted($0.name))" }.joined()
        let names = columns.enumerated().map { ", \(PostgreSQLName.quoted($1.name)) = u.c\($0)" }.joined()
        let constantNames = PostgreSQLEntity.columns(of: constants).enumerated().map {
            ", \(PostgreSQLName.quoted($1.name)) = ($\($0 + columns.count + 3))[1]"
        }.joined()
        let condition = versions == nil ? "" : " AND t._version = u.version"
        return Statement(
            "UPDATE \(entity.table) AS t SET _version = t._version + 1\(names)\(constantNames) "
                + "FROM \(table(columns: columns.count, rows: rows.count)) WHERE t._pk = u.pk\(condition) RETURNING t._pk\(foreign)",
            try arrays(
                of: rows, keys: keys, versions: versions ?? Array(repeating: 0, count: keys.count), fields: fields,
                entity: entity, store: store)
                + arrays(
                    of: Array(rows.prefix(1)), keys: [], versions: [], fields: constants, entity: entity, store: store
                ).dropFirst(2))
    }
}
