extension StoreSchema: RowSchema {}

extension TableDefinition: RowTable {
    var columnNames: [String] { columns.map(\.name) }
}
