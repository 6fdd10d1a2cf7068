/// The change of a table in the file.
enum TableChange: Equatable {
    /// The table is kept, columns are appended, and its rows are changed in place.
    case altered(added: [TableDefinition.Column])
    /// Its rows are moved to a new table of the same or another name, or dropped.
    case replaced
}

extension TableChange {
    /// Determines the change of a table of rows.
    ///
    /// - Parameters:
    ///   - old: The table in the file.
    ///   - new: The table with the same name in the destination, or `nil`.
    ///   - hasConstraints: Whether the table declares constraints, as old frameworks did.
    ///   - isOnlySource: Whether all rows of the new table are in the old one.
    init(_ old: TableDefinition, _ new: TableDefinition?, hasConstraints: Bool, isOnlySource: Bool) {
        guard let new, isOnlySource, !hasConstraints, old.key == new.key else {
            self = .replaced
            return
        }
        var known: [String: ColumnType] = [:]
        for column in new.columns { known[SQLName.key(column.name)] = column.type }
        guard old.columns.allSatisfy({ known[SQLName.key($0.name)] == $0.type }) else {
            self = .replaced
            return
        }
        let present = Set(old.columns.map { SQLName.key($0.name) })
        self = .altered(added: new.columns.filter { !present.contains(SQLName.key($0.name)) })
    }
}
