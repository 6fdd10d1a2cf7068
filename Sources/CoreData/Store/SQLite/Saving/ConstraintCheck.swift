/// Finds the values that made a save fail because of SQLite's unique indexes.
struct ConstraintCheck {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    private let changes: [ObjectChange]
    /// The rows that the save writes or removes, whose stored values are ignored. A change of only to-many
    /// relationships does not touch an object's row.
    private var touched: Set<Place> = []

    private struct Place: Hashable {
        var root: Int
        var key: Int64
    }

    /// A combination of values that must be unique, in the constraint's order.
    private struct Combination: Hashable {
        var entity: Int
        var names: [String]
        var values: [AnyHashable]
    }

    /// A unique index of an entity.
    private struct Constraint {
        var names: [String]
        var fields: [StoredEntity.Field]
        /// The entity that declares it.
        var owner: Int
    }

    init(_ store: SQLiteStore, _ connection: SQLiteConnection, _ changes: [ObjectChange]) {
        self.store = store
        self.connection = connection
        self.changes = changes
        for change in changes where change.kind == .delete || change.changesRow {
            guard case .number(let key) = change.id.reference, let entity = store.entity(change.layout) else {
                continue
            }
            touched.insert(Place(root: entity.mapping.rootNumber, key: key))
        }
    }

    /// Returns the conflicts of a save, or an empty array if its values only conflict temporarily while they are
    /// written.
    func conflicts() throws -> [ConstraintConflicts.Conflict] {
        var found: [ConstraintConflicts.Conflict] = []
        var places: [Combination: Int] = [:]
        for change in changes where change.kind != .delete && change.changesRow {
            guard let entity = store.entity(change.layout) else { continue }
            for constraint in constraints(of: entity) {
                let values = constraint.fields.map { change.row[$0.slot] }
                // SQLite considers missing values distinct, as Apple's framework does.
                guard !values.contains(where: \.isNull) else { continue }
                let combination = Combination(
                    entity: constraint.owner, names: constraint.names, values: values.map(Self.identity))
                if let place = places[combination] {
                    found[place].objects.append(change.object)
                } else {
                    places[combination] = found.count
                    found.append(
                        .init(
                            constraint: constraint.names, objects: [change.object],
                            stored: try storedObject(constraint, values, entity)))
                }
            }
        }
        return found.filter { $0.objects.count > 1 || $0.stored != nil }
    }

    /// Returns the stored objects that have a row's values for a uniqueness constraint.
    func storedKeys(_ row: Row, _ entity: StoredEntity) throws -> [(key: Int64, entity: StoredEntity)] {
        var result: [Int64: StoredEntity] = [:]
        for constraint in constraints(of: entity) {
            let values = constraint.fields.map { row[$0.slot] }
            guard !values.contains(where: \.isNull), let id = try storedObject(constraint, values, entity),
                case .number(let key) = id.reference
            else { continue }
            result[key] = store.entity(of: id) ?? entity
        }
        return result.map { ($0.key, $0.value) }
    }

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
        default: "\(value.anyValue ?? "")"
        }
    }

    /// Returns the constraints that an entity has or inherits.
    private func constraints(of entity: StoredEntity) -> [Constraint] {
        var result: [Constraint] = []
        var next: NSEntityDescription? = entity.layout.entity
        while let current = next {
            next = current.superentity
            let owner = current.name.flatMap { store.schema?.entity(named: $0) }?.number ?? entity.number
            for constraint in current.uniquenessConstraints {
                let names = constraint.map(SchemaConverter.propertyName)
                let fields = names.compactMap { name in
                    entity.layout.index(of: name).flatMap { slot in
                        entity.fields.first { $0.slot == slot && !$0.isComposite }
                    }
                }
                guard !fields.isEmpty, fields.count == names.count else { continue }
                result.append(Constraint(names: names, fields: fields, owner: owner))
            }
        }
        return result
    }

    /// Returns a stored object with given values that the save does not touch.
    private func storedObject(
        _ constraint: Constraint, _ values: [SlotValue], _ entity: StoredEntity
    ) throws -> NSManagedObjectID? {
        let columns = constraint.fields.map { field in
            switch field.kind {
            case .attribute(let column, _): column
            case .toOne(let columns): columns.key
            // Constraints contain no composite attributes: see `constraints(of:)`.
            case .composite: "NULL"
            }
        }
        let conditions = columns.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: " AND ")
        let statement = try connection.statement("SELECT Z_PK, Z_ENT FROM \(entity.table) WHERE \(conditions)")
        defer { statement.clear() }
        for (index, (field, value)) in zip(constraint.fields, values).enumerated() {
            let place = Int32(index + 1)
            switch (field.kind, value) {
            case (.attribute(_, let coding), _): try coding.bind(value, statement, place)
            case (.toOne, .reference(let id)):
                if case .number(let key) = id.reference { statement.bind(key, at: place) }
            case (.toOne, _), (.composite, _): statement.bindNull(at: place)
            }
        }
        while try statement.step() {
            let key = statement.integer(0)
            guard !touched.contains(Place(root: entity.mapping.rootNumber, key: key)) else { continue }
            return store.id(key, store.entity(number: Int(truncatingIfNeeded: statement.integer(1))) ?? entity)
        }
        return nil
    }

    /// Clears the values that must be unique in the rows about to be updated, so that rows can exchange them.
    func freeValues() throws {
        for change in changes where change.kind == .update && change.changesRow {
            guard case .number(let key) = change.id.reference, let entity = store.entity(change.layout) else {
                continue
            }
            let columns = Set(
                constraints(of: entity).flatMap(\.fields).filter { change.changedSlots.contains($0.slot) }
                    .compactMap { field -> String? in
                        if case .attribute(let column, _) = field.kind { column } else { nil }
                    })
            guard !columns.isEmpty else { continue }
            let list = columns.sorted().map { "\(SQLName.quoted($0)) = NULL" }.joined(separator: ", ")
            let statement = try connection.statement("UPDATE \(entity.table) SET \(list) WHERE Z_PK = ?")
            statement.bind(key, at: 1)
            try statement.run()
        }
    }
}
