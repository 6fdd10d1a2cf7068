internal import CoreData

/// The schema of an old version, with the current names of its tables and columns during a migration.
struct PostgreSQLRenamedSchema {
    private(set) var schema: PostgreSQLSchema
    private let tables: [String: String]
    private let columns: [String: [String: String]]

    /// - Parameters:
    ///   - tables: The current names of tables, by their old names.
    ///   - columns: The current names of columns, by the old names of table and column.
    init(_ schema: PostgreSQLSchema, tables: [String: String], columns: [String: [String: String]]) {
        self.schema = schema
        self.tables = tables
        self.columns = columns
        self.schema.tables = schema.tables.map(renamed)
        self.schema.joinTables = schema.joinTables.map(renamed)
        self.schema.entities = schema.entities.map { entity in
            var result = entity
            result.table = table(entity.table)
            result.slotColumns = entity.slotColumns.map { renamed($0, in: entity.table) }
            return result
        }
    }

    private func table(_ name: String) -> String { tables[name] ?? name }

    private func column(_ name: String, _ table: String) -> String { columns[table]?[name] ?? name }

    private func renamed(_ table: PostgreSQLTable) -> PostgreSQLTable {
        var result = table
        result.name = self.table(table.name)
        for index in result.columns.indices {
            result.columns[index].name = column(result.columns[index].name, table.name)
        }
        return result
    }

    private func renamed(_ position: SlotColumn, in table: String) -> SlotColumn {
        switch position {
        case .nowhere: return .nowhere
        case .attribute(let name): return .attribute(column: column(name, table))
        case .composite(let elements):
            return .composite(elements.map { ElementColumn(path: $0.path, column: column($0.column, table)) })
        case .toOne(var columns):
            columns.key = column(columns.key, table)
            columns.entity = columns.entity.map { column($0, table) }
            columns.order = columns.order.map { column($0, table) }
            return .toOne(columns)
        case .inverse(var columns):
            let owner = columns.table
            columns.table = self.table(owner)
            columns.key = column(columns.key, owner)
            columns.entity = columns.entity.map { column($0, owner) }
            columns.order = columns.order.map { column($0, owner) }
            return .inverse(columns)
        case .join(var side):
            side.table = self.table(side.table)
            return .join(side)
        }
    }
}
