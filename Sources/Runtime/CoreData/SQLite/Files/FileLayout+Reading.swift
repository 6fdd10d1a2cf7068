extension FileLayout {
    /// Reads the layout of a file.
    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        var tables: [String: Table] = [:]
        var names: [String] = []
        let columns = try connection.statement(
            "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'")
        defer { columns.reset() }
        while try columns.step() {
            let name = columns.text(0)
            if tables[name] == nil { names.append(name) }
            tables[name, default: Table(name: name, columns: [])].columns.append(columns.text(1))
        }
        var rows: [(name: String, number: Int64)] = []
        let entities = try connection.statement("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        defer { entities.reset() }
        while try entities.step() { rows.append((entities.text(0), entities.integer(1))) }
        self.init(tables: names.compactMap { tables[$0] }, numbers: Self.numbers(rows))
    }

    /// The number of columns of the history for values of deleted objects.
    var tombstoneCount: Int {
        let table = table("ACHANGE")
        var count = 0
        while table?.column(StoreHistory.tombstoneColumn(count)) != nil { count += 1 }
        return count
    }

    /// Returns the first table or column of a schema that the file lacks, or `nil` if it has all of them.
    func missingPart(of schema: StoreSchema) -> String? {
        for definition in schema.tables + schema.joinTables {
            guard let table = table(definition.name) else { return "the table \(definition.name)" }
            let columns = Set(table.columns.map(SQLName.key))
            for column in definition.columns where !columns.contains(SQLName.key(column.name)) {
                return "the column \(definition.name).\(column.name)"
            }
        }
        return nil
    }
}
