/// The layout of a store's file: its tables with their columns, and its entity numbers. Names in a file may differ from
/// those in a new one: in-place migration renames tables, and the name of a join table may come from either side of a
/// many-to-many relationship.
struct FileLayout: Sendable {
    struct Table: Sendable {
        var name: String
        var columns: [String]

        /// Returns the column with a name, as spelled in the file.
        func column(_ name: String) -> String? {
            let requested = SQLName.key(name)
            return columns.first { SQLName.key($0) == requested }
        }
    }

    private var tables: [String: Table] = [:]
    /// The entity numbers in `Z_PRIMARYKEY`, by name.
    var numbers: [String: Int]

    init(tables: [Table], numbers: [String: Int]) {
        for table in tables { self.tables[SQLName.key(table.name)] = table }
        self.numbers = numbers
    }

    /// Returns the numbers of entities by name. Of rows with the same name, the first counts.
    ///
    /// - Parameter rows: The rows of `Z_PRIMARYKEY`, by ascending number.
    static func numbers(_ rows: some Sequence<(name: String, number: Int64)>) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for (name, number) in rows where number > 0 && number < HistoryTables.changeEntity && numbers[name] == nil {
            numbers[name] = Int(number)
        }
        return numbers
    }

    /// Returns whether two files have the same tables, columns and entity numbers. The order of columns is ignored,
    /// except for those named after an entity number, the first of which is used.
    func hasSameColumns(as other: FileLayout) -> Bool {
        guard numbers == other.numbers, tables.count == other.tables.count else { return false }
        return tables.allSatisfy { key, table in
            guard let twin = other.tables[key], twin.name == table.name else { return false }
            if twin.columns == table.columns { return true }
            return Set(twin.columns) == Set(table.columns)
                && twin.columns.filter { NumberedName($0) != nil } == table.columns.filter { NumberedName($0) != nil }
        }
    }

    func table(_ name: String) -> Table? { tables[SQLName.key(name)] }

    /// Returns the table's column for the entity of a to-one relationship, which may contain a different entity number,
    /// or `nil` if there is none.
    func entityColumn(of key: String, number: Int, in table: String) -> String? {
        guard let table = self.table(table) else { return nil }
        if let exact = table.column("Z\(number)_\(key.dropFirst())") { return exact }
        return table.columns.first { NumberedName($0)?.isEntityColumn(of: key) ?? false }
    }

    /// Returns a join table that is named after one of two relationships.
    func joinTable(_ first: String, _ second: String, numbers: Set<Int>) -> Table? {
        let names = [first.uppercased(), second.uppercased()]
        for number in numbers.sorted() {
            for name in names {
                if let table = table("Z_\(number)\(name)"), isJoin(table, names) { return table }
            }
        }
        // In-place migration may have kept the number of an older model.
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

/// A name that begins with an entity number: `Z_12NOTES`, `Z_12NOTES1`, `Z7_COVER`.
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

    /// Returns whether the rest is the name of a relationship in upper case, optionally followed by a number.
    func isName(_ name: String) -> Bool {
        isJoin && rest.hasPrefix(name) && rest.dropFirst(name.count).allSatisfy { ("0"..."9").contains($0) }
    }

    /// Returns whether this is the entity column of a to-one relationship's key column.
    func isEntityColumn(of key: String) -> Bool { !isJoin && rest == "_\(key.dropFirst())" }
}
