/// What a store's file has: its tables with their columns, and the numbers of its entities. Names in a file may differ from
/// those that a new file would get: migration in place renames tables, and either side of a many-to-many relationship may have
/// named its table.
struct FileLayout: Sendable {
    /// A table as it is.
    struct Table: Sendable {
        var name: String
        var columns: [String]

        /// Returns the column of a name, as the file spells it.
        func column(_ name: String) -> String? {
            let wanted = SQLName.key(name)
            return columns.first { SQLName.key($0) == wanted }
        }
    }

    private var tables: [String: Table] = [:]
    /// The numbers of the entities, as `Z_PRIMARYKEY` has them.
    var numbers: [String: Int]

    init(tables: [Table], numbers: [String: Int]) {
        for table in tables { self.tables[SQLName.key(table.name)] = table }
        self.numbers = numbers
    }

    /// Returns whether two files have the same tables, columns and entity numbers. The order of columns does not count, but for those
    /// that are named by an entity's number, of which the first is taken.
    func hasSameColumns(as other: FileLayout) -> Bool {
        guard numbers == other.numbers, tables.count == other.tables.count else { return false }
        return tables.allSatisfy { key, table in
            guard let twin = other.tables[key], twin.name == table.name else { return false }
            if twin.columns == table.columns { return true }
            return Set(twin.columns) == Set(table.columns)
                && twin.columns.filter { NumberedName($0) != nil } == table.columns.filter { NumberedName($0) != nil }
        }
    }

    /// Returns the table of a name.
    func table(_ name: String) -> Table? { tables[SQLName.key(name)] }

    /// Returns the name as the first of the given ones that the table has, or a column that is such a name except for
    /// the number in it; nil if the table has no such column.
    func entityColumn(of key: String, number: Int, in table: String) -> String? {
        guard let table = self.table(table) else { return nil }
        if let exact = table.column("Z\(number)_\(key.dropFirst())") { return exact }
        return table.columns.first { NumberedName($0)?.isEntityColumn(of: key) ?? false }
    }

    /// Returns a join table that one of two relationships names.
    func joinTable(_ first: String, _ second: String, numbers: Set<Int>) -> Table? {
        let names = [first.uppercased(), second.uppercased()]
        for number in numbers.sorted() {
            for name in names {
                if let table = table("Z_\(number)\(name)"), isJoin(table, names) { return table }
            }
        }
        // Migration in place may have left the number of an older model.
        return tables.values.filter { table in
            guard let name = NumberedName(table.name) else { return false }
            return names.contains { name.isName($0) } && isJoin(table, names)
        }.min { $0.name < $1.name }
    }

    private func isJoin(_ table: Table, _ names: [String]) -> Bool {
        names.allSatisfy { name in
            table.columns.contains { NumberedName($0)?.isName(name) ?? false }
        }
    }
}

/// A name that begins with an entity's number: `Z_12NOTES`, `Z_12NOTES1`, `Z7_COVER`.
struct NumberedName {
    let number: Int
    let rest: Substring
    /// Whether the underscore precedes the number.
    private let isJoin: Bool

    init?(_ name: String, prefix: String = "Z") {
        guard name.hasPrefix(prefix) else { return nil }
        var rest = name.dropFirst(prefix.count)
        isJoin = rest.first == "_"
        if isJoin { rest = rest.dropFirst() }
        let digits = rest.prefix { ("0"..."9").contains($0) }
        guard let number = Int(digits) else { return nil }
        self.number = number
        rest = rest.dropFirst(digits.count)
        self.rest = rest
    }

    /// Returns whether the rest is a name of a relationship in capitals, or that with a number behind it.
    func isName(_ name: String) -> Bool {
        isJoin && rest.hasPrefix(name) && rest.dropFirst(name.count).allSatisfy { ("0"..."9").contains($0) }
    }

    /// Returns whether it holds the entities of a to-one relationship's column.
    func isEntityColumn(of key: String) -> Bool { !isJoin && rest == "_\(key.dropFirst())" }
}
