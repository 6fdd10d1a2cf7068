/// The values of remaining rows that are looked up in other rows, in temporary tables.
///
/// They are for migrations that also overwrite columns or delete rows: those may be the ones that are looked up.
struct RowLookups {
    let dialect: any MigrationDialect
    /// The names of the temporary tables and their columns, by table.
    private var names: [String: (table: SQLFragment, columns: [String: SQLFragment])] = [:]
    /// The statements that create and fill the temporary tables.
    private(set) var creations: [SQLFragment] = []
    /// The statements that remove them.
    private(set) var removals: [SQLFragment] = []

    init(dialect: any MigrationDialect) {
        self.dialect = dialect
    }

    /// Returns those of the values that are looked up in other rows.
    static func lookups<Values: Sequence>(in values: Values) -> [(column: String, value: SQLFragment)]
    where Values.Element == (column: String, value: SQLFragment) {
        values.filter { $0.value.text.contains("(SELECT") }
    }

    /// Adds the values of a table's rows, which are called `s`.
    mutating func add(
        _ values: [(column: String, value: SQLFragment)], of table: SQLFragment, named name: String
    ) {
        let found = Self.lookups(in: values)
        guard !found.isEmpty else { return }
        let lookup: SQLFragment = "\(word: dialect.sql.name("modelc_lookup_\(names.count)"))"
        var columns: [String: SQLFragment] = [:]
        var expressions: [SQLFragment] = ["s.\(key) AS item"]
        for (number, value) in found.enumerated() {
            let column: SQLFragment = "v\(number: number)"
            columns[value.column] = column
            expressions.append("\(value.value) AS \(column)")
        }
        names[name] = (lookup, columns)
        creations.append("CREATE TEMPORARY TABLE \(lookup) AS SELECT \(expressions, ", ") FROM \(table) AS s")
        removals.append("DROP TABLE \(lookup)")
    }

    private var key: SQLFragment { "\(word: dialect.sql.name(dialect.sql.keyColumn))" }

    /// Returns the values of a table's rows, as expressions over the table and its temporary one.
    func replaced(
        _ values: [(column: String, value: SQLFragment)], of table: String
    ) -> [(column: String, value: SQLFragment)] {
        guard let columns = names[table]?.columns else { return values }
        return values.map { column, value in (column, columns[column].map { "looked_up.\($0)" } ?? value) }
    }

    /// Returns what joins a table with its temporary one in a statement that updates it.
    func join(of table: String) -> SQLFragment {
        guard let lookup = names[table]?.table else { return "" }
        return " FROM \(lookup) AS looked_up WHERE looked_up.item = s.\(key)"
    }
}
