/// What becomes of a table of the file.
enum TableChange: Equatable {
    /// It stays, gets columns at its end, and its rows are changed where they are.
    case altered(added: [TableDefinition.Column])
    /// Its rows go into a new table of the same or another name, or nowhere.
    case replaced
}

extension TableChange {
    /// Decides about a table of rows.
    ///
    /// - Parameters:
    ///   - old: the table as the file has it.
    ///   - new: the table of the same name in the destination, or `nil`.
    ///   - hasConstraints: whether the table declares constraints, as old frameworks did.
    ///   - isOnlySource: whether all rows of the new table are in the old one.
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
