/// The values of deleted objects that the history keeps: of attributes with `preservesValueInHistoryOnDeletion`, sorted by name,
/// in columns that the table of changes gets when they are needed.
enum Tombstone {
    /// An attribute whose value is kept.
    struct Field {
        var name: String
        var column: String
        var coding: ValueCoding
    }

    /// The attributes of an entity whose values are kept.
    static func fields(_ entity: StoredEntity) -> [Field] {
        entity.fields.compactMap { field -> Field? in
            let slot = entity.layout.slots[field.slot]
            guard let attribute = slot.property as? NSAttributeDescription, attribute.preservesValueInHistoryOnDeletion,
                case .attribute(let column, let coding) = field.kind
            else { return nil }
            return Field(name: slot.name, column: column, coding: coding)
        }.sorted { $0.name < $1.name }
    }

    static func column(_ index: Int) -> String { "ZTOMBSTONE\(index)" }

    /// Copies the values of a row, which is still there, into a change.
    static func write(_ key: Int64, _ entity: StoredEntity, change: Int64, _ connection: SQLiteConnection) throws {
        let fields = fields(entity)
        guard !fields.isEmpty else { return }
        try addColumns(fields.count, connection)
        let values = fields.enumerated().map { index, field in
            "\(column(index)) = (SELECT \(SQLName.quoted(field.column)) FROM \(entity.table) WHERE Z_PK = ?2)"
        }
        let statement = try connection.statement("UPDATE ACHANGE SET \(values.joined(separator: ", ")) WHERE Z_PK = ?1")
        statement.bind(change, at: 1)
        statement.bind(key, at: 2)
        try statement.run()
    }

    /// How many columns for values the table of changes has.
    static func columnCount(_ connection: SQLiteConnection) throws -> Int {
        Int(
            try connection.integer(
                "SELECT count(*) FROM pragma_table_info('ACHANGE') WHERE name GLOB 'ZTOMBSTONE[0-9]*'") ?? 0)
    }

    private static func addColumns(_ count: Int, _ connection: SQLiteConnection) throws {
        let known = try columnCount(connection)
        guard known < count else { return }
        for index in known..<count { try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(column(index)) BLOB") }
    }
}
