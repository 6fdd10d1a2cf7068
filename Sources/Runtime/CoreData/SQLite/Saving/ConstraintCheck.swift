internal import Foundation

/// Finds the values that made a save fail because of SQLite's unique indexes.
struct ConstraintCheck: ConstraintSearch {
    let store: SQLiteStore
    private let connection: SQLiteConnection

    init(_ store: SQLiteStore, _ connection: SQLiteConnection) {
        self.store = store
        self.connection = connection
    }

    func values(_ constraint: UniqueProperties, row: Row, entity: StoredEntity) -> [SlotValue]? {
        let values = constraint.slots.map { row[$0] }
        return values.contains(where: \.isNull) ? nil : values
    }

    /// Returns the stored objects that have a row's values for a uniqueness constraint.
    func storedKeys(_ row: Row, _ entity: StoredEntity) throws -> [(key: Int64, entity: StoredEntity)] {
        var result: [Int64: StoredEntity] = [:]
        for constraint in UniqueProperties.all(of: entity.layout, entity.mapping) {
            guard let values = values(constraint, row: row, entity: entity) else { continue }
            for row in try storedRows(constraint, values: [values], entity: entity)[0] { result[row.key] = row.entity }
        }
        return result.map { ($0.key, $0.value) }
    }

    func identity(_ values: [SlotValue]) -> [AnyHashable] { values.map(Self.identity) }

    /// Returns the parts of a value that SQLite compares. Swift considers some strings with different bytes equal, and
    /// descriptions omit parts of dates and all of data.
    private static func identity(_ value: SlotValue) -> AnyHashable {
        switch value {
        case .string(let text): Array(text.utf8)
        case .date(let date): date.timeIntervalSinceReferenceDate
        case .data(let data): data
        case .double(let number): number
        case .float(let number): number
        case .reference(let id): id
        case .boxed(let box) where box.value is URL: Array((box.value as? URL)?.absoluteString.utf8 ?? "".utf8)
        // A column has 15 digits of a decimal number.
        case .object(let number as NSDecimalNumber): DecimalCoding.double(number.decimalValue)
        default: "\(value.anyValue ?? "")"
        }
    }

    func storedRows(
        _ constraint: UniqueProperties, values: [[SlotValue]], entity: StoredEntity
    ) throws -> [[(key: Int64, entity: StoredEntity)]] {
        let columns = constraint.slots.compactMap(entity.mapping.column)
        let conditions = columns.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: " AND ")
        let statement = try connection.statement(
            "SELECT Z_PK, \(entity.numberColumn()) FROM \(entity.table) WHERE \(conditions)")
        defer { statement.clear() }
        return try values.map { values in
            for (index, (slot, value)) in zip(constraint.slots, values).enumerated() {
                let position = Int32(index + 1)
                switch (entity.fields.first { $0.slot == slot }?.kind, value) {
                case (.attribute(_, let coding), _): try coding.bind(value, to: statement, at: position)
                case (.toOne, .reference(let id)):
                    if case .number(let key) = id.reference { statement.bind(key, at: position) }
                case (.toOne, _), (.composite, _), (nil, _): statement.bindNull(at: position)
                }
            }
            defer { statement.reset() }
            var result: [(key: Int64, entity: StoredEntity)] = []
            while try statement.step() {
                let found = store.entity(number: Int(truncatingIfNeeded: statement.integer(1)))
                result.append((statement.integer(0), found ?? entity))
            }
            return result
        }
    }

    /// Clears the values that must be unique in the rows about to be updated, so that rows can exchange them.
    func freeValues(of changes: [ObjectChange]) throws {
        for change in changes where change.kind == .update && change.changesRow {
            guard case .number(let key) = change.id.reference, let entity = store.entity(change.layout) else {
                continue
            }
            let slots = Set(UniqueProperties.all(of: entity.layout, entity.mapping).flatMap(\.slots))
            let columns = slots.intersection(change.changedSlots).compactMap(entity.mapping.column)
            guard !columns.isEmpty else { continue }
            let list = columns.sorted().map { "\(SQLName.quoted($0)) = NULL" }.joined(separator: ", ")
            let statement = try connection.statement("UPDATE \(entity.table) SET \(list) WHERE Z_PK = ?")
            statement.bind(key, at: 1)
            try statement.run()
        }
    }
}
