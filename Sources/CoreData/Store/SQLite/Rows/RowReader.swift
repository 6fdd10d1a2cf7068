/// Reads the rows of entities of one hierarchy from a query that selects `columns`.
final class RowReader {
    /// The columns that the query has to select, in this order, as they stand in statements: `Z_PK`, `Z_ENT`, `Z_OPT`, and all
    /// that any of the entities has.
    let columns: [String]
    let entities: [StoredEntity]
    /// The store has the reader.
    private unowned(unsafe) let store: SQLiteStore
    /// By the entities' numbers.
    private let plans: [Plan?]
    private let cache: RowCache

    /// How to read the rows of one entity.
    private final class Plan {
        let entity: StoredEntity
        let fields: [Field]
        let slotCount: Int

        init(_ entity: StoredEntity, _ fields: [Field]) {
            self.entity = entity
            self.fields = fields
            slotCount = entity.layout.slots.count
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
        case toOne(entityColumn: Int32, destination: StoredEntity, RecentIDs)
    }

    /// - Parameter entities: at least one, all of one table.
    init(_ entities: [StoredEntity], _ store: SQLiteStore) {
        self.entities = entities
        self.store = store
        cache = entities.first?.cache ?? RowCache(store.epoch)
        var columns = StoreSchema.reservedColumns
        var places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, Int32($0)) })
        func place(_ column: String) -> Int32 {
            if let known = places[column] { return known }
            let place = Int32(columns.count)
            columns.append(SQLName.quoted(column))
            places[column] = place
            return place
        }
        var plans: [Plan?] = Array(repeating: nil, count: (entities.map(\.number).max() ?? 0) + 1)
        for entity in entities {
            var fields: [Field] = []
            for field in entity.fields {
                switch field.kind {
                case .attribute(let column, let coding):
                    fields.append(Field(slot: field.slot, column: place(column), kind: .attribute(coding)))
                case .toOne(let toOne):
                    guard let destination = store.entity(number: toOne.destination) else { continue }
                    let key = place(toOne.key)
                    let kind = Kind.toOne(
                        entityColumn: toOne.entity.map(place) ?? -1, destination: destination, RecentIDs())
                    fields.append(Field(slot: field.slot, column: key, kind: kind))
                }
            }
            plans[entity.number] = Plan(entity, fields)
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

    /// A row that was found.
    struct Found {
        let key: Int64
        let entity: StoredEntity
        let row: Row
    }

    /// The row that a statement is at, with its key and entity; the one that is known if it has not changed since. Nil for a
    /// row of an entity that the reader was not made for.
    @inline(__always)
    func next(_ statement: SQLiteStatement) -> Found? {
        let key = statement.integer(0)
        let number = statement.integer(1)
        guard number >= 0, number < plans.count, let plan = plans[Int(number)] else { return nil }
        let version = Int(truncatingIfNeeded: statement.integer(2))
        if let known = cache[key], known.version == version {
            return Found(key: key, entity: plan.entity, row: known)
        }
        let row = row(statement, plan, version)
        cache.keep(row, key)
        return Found(key: key, entity: plan.entity, row: row)
    }

    private func row(_ statement: SQLiteStatement, _ plan: Plan, _ version: Int) -> Row {
        Row.make(count: plan.slotCount, version: version) { values in
            for field in plan.fields {
                switch field.kind {
                case .attribute(let coding): values[field.slot] = coding.value(statement, field.column)
                case .toOne(let entityColumn, let destination, let ids):
                    guard !statement.isNull(field.column) else { continue }
                    let key = statement.integer(field.column)
                    if entityColumn >= 0, let actual = store.entity(number: Int(statement.integer(entityColumn))) {
                        values[field.slot] = .reference(ids.id(key, actual, store))
                    } else {
                        values[field.slot] = .reference(ids.id(key, destination, store))
                    }
                }
            }
        }
    }
}

/// The IDs that were made last for a relationship: often many objects have the same one, and it is the same object then.
private final class RecentIDs {
    private var ids: [NSManagedObjectID?] = Array(repeating: nil, count: 64)

    func id(_ key: Int64, _ entity: StoredEntity, _ store: SQLiteStore) -> NSManagedObjectID {
        let index = Int(truncatingIfNeeded: key & 63)
        let place = store.place
        if let known = ids[index], known.layout === entity.layout, known.isRow(key, entity.layout, place) {
            return known
        }
        let id = NSManagedObjectID(key, entity.layout, place)
        ids[index] = id
        return id
    }
}
