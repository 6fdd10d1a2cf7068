/// The change of each table in the file, and the name under which its rows are read during the migration.
struct MigrationTables {
    /// The changes by the name of the table in the file (`SQLName.key`).
    private let changes: [String: TableChange]

    /// - Parameter constrained: The tables that declare constraints (`SQLName.key`).
    init(_ versions: VersionPairs<StoreSchema>, constrained: Set<String>) {
        var changes: [String: TableChange] = [:]
        let tables = Self.byKey(versions.destination.tables)
        for old in versions.source.tables {
            let new = tables[SQLName.key(old.name)]
            let sources = Set(versions.pairs(in: new?.name ?? "").map(\.source.table))
            changes[SQLName.key(old.name)] = TableChange(
                old, new, hasConstraints: constrained.contains(SQLName.key(old.name)),
                isOnlySource: sources == [old.name])
        }
        let joinTables = Self.byKey(versions.destination.joinTables)
        for old in versions.source.joinTables {
            let new = joinTables[SQLName.key(old.name)]
            let isSame = new.map { Self.isSame(old, $0) } == true && Self.isKept(old.name, versions)
            changes[SQLName.key(old.name)] = isSame ? .altered(added: []) : .replaced
        }
        self.changes = changes
    }

    /// Returns tables by name (`SQLName.key`).
    static func byKey(_ tables: [TableDefinition]) -> [String: TableDefinition] {
        Dictionary(tables.map { (SQLName.key($0.name), $0) }) { first, _ in first }
    }

    private static func isSame(_ old: TableDefinition, _ new: TableDefinition) -> Bool {
        Set(old.columns.map { SQLName.key($0.name) }) == Set(new.columns.map { SQLName.key($0.name) })
            && old.key.map(SQLName.key) == new.key.map(SQLName.key)
    }

    /// Returns whether a join table stores the same relationships in both versions.
    private static func isKept(_ table: String, _ versions: VersionPairs<StoreSchema>) -> Bool {
        versions.pairs.contains { pair in
            pair.destination.slotColumns.indices.contains { slot in
                guard case .join(let new) = pair.destination.slotColumns[slot], new.table == table,
                    case .join(let old)? = pair.sourcePosition(slot)
                else { return false }
                return old.table == new.table && old.own == new.own && old.other == new.other && old.order == new.order
                    && old.otherOrder == new.otherOrder
            }
        }
    }

    func change(_ table: String) -> TableChange { changes[SQLName.key(table)] ?? .replaced }

    /// Returns whether a table in the file is kept.
    func isRetained(_ table: String) -> Bool { change(table) != .replaced }

    /// The kept tables, and the names under which the rows of the others are read.
    var rowTables: RowTables {
        RowTables(
            retained: changes.filter { $0.value != .replaced }.keys, dialect: SQLiteMigrationDialect(),
            formerName: Self.oldName)
    }

    /// Returns the temporary name of a table that is about to be dropped.
    @Sendable
    static func oldName(_ table: String) -> String { oldPrefix + table }

    /// The prefix of temporary table names. No table of an entity or relationship begins with it.
    static let oldPrefix = "Z_OLDVERSION_"
}
