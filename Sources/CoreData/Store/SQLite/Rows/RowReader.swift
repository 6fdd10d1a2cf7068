/// Reads the rows of entities of one hierarchy from a query that selects `columns`.
final class RowReader {
    /// The columns that the query has to select, in this order, as they stand in statements: `Z_PK`, `Z_ENT`, `Z_OPT`, and all
    /// that any of the entities has.
    let columns: [String]
    let entities: [StoredEntity]
    private unowned let store: SQLiteStore
    private let plans: [Int64: Plan]
    private let cache: RowCache

    /// How to read the rows of one entity.
    private final class Plan {
        let entity: StoredEntity
        let fields: [Field]

        init(_ entity: StoredEntity, _ fields: [Field]) {
            self.entity = entity
            self.fields = fields
        }
    }

    private struct Field {
        var slot: Int
        var column: Int32
        var kind: Kind
    }

    private enum Kind {
        case attribute(ValueCoding)
        /// With the column of the entity number, -1 for none, and the entity that it is without one.
        case toOne(entityColumn: Int32, destination: StoredEntity)
    }

    /// - Parameter entities: at least one, all of one table.
    init(_ entities: [StoredEntity], _ store: SQLiteStore) {
        self.entities = entities
        self.store = store
        cache = entities.first?.cache ?? RowCache()
        var columns = StoreSchema.reservedColumns
        var places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, Int32($0)) })
        func place(_ column: String) -> Int32 {
            if let known = places[column] { return known }
            let place = Int32(columns.count)
            columns.append(SQLName.quoted(column))
            places[column] = place
            return place
        }
        var plans: [Int64: Plan] = [:]
        for entity in entities {
            var fields: [Field] = []
            for field in entity.fields {
                switch field.kind {
                case .attribute(let column, let coding):
                    fields.append(Field(slot: field.slot, column: place(column), kind: .attribute(coding)))
                case .toOne(let toOne):
                    guard let destination = store.entity(number: toOne.destination) else { continue }
                    let key = place(toOne.key)
                    let kind = Kind.toOne(entityColumn: toOne.entity.map(place) ?? -1, destination: destination)
                    fields.append(Field(slot: field.slot, column: key, kind: kind))
                }
            }
            plans[Int64(entity.number)] = Plan(entity, fields)
        }
        self.columns = columns
        self.plans = plans
    }

    /// The columns, separated by commas, of the first table of a fetch.
    private(set) lazy var rootSelection = selection(of: QueryScope.rootAlias)

    /// The columns, separated by commas, of a table that the query calls by a name.
    func selection(of name: String? = nil) -> String {
        columns.map { column in name.map { "\($0).\(column)" } ?? column }.joined(separator: ", ")
    }

    /// The row that a statement is at, with its key and entity; the one that is known if it has not changed since. Nil for a
    /// row of an entity that the reader was not made for.
    func next(_ statement: SQLiteStatement) -> (key: Int64, entity: StoredEntity, row: Row)? {
        let key = statement.integer(0)
        guard let plan = plans[statement.integer(1)] else { return nil }
        let version = Int(truncatingIfNeeded: statement.integer(2))
        if let known = cache[key], known.version == version { return (key, plan.entity, known) }
        let row = row(statement, plan, version)
        cache[key] = row
        return (key, plan.entity, row)
    }

    private func row(_ statement: SQLiteStatement, _ plan: Plan, _ version: Int) -> Row {
        let count = plan.entity.layout.slots.count
        let values = [SlotValue](unsafeUninitializedCapacity: count) { buffer, initialized in
            buffer.initialize(repeating: .null)
            for field in plan.fields {
                switch field.kind {
                case .attribute(let coding): buffer[field.slot] = coding.value(statement, field.column)
                case .toOne(let entityColumn, let destination):
                    guard !statement.isNull(field.column) else { continue }
                    var entity = destination
                    if entityColumn >= 0, let actual = store.entity(number: Int(statement.integer(entityColumn))) {
                        entity = actual
                    }
                    buffer[field.slot] = .reference(store.id(statement.integer(field.column), entity))
                }
            }
            initialized = count
        }
        return Row(values: values, version: version)
    }
}
