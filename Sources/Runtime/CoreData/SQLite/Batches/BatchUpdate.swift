internal import Foundation
internal import RuntimeSupport

/// Sets values in many rows of one entity hierarchy.
struct BatchUpdate {
    let store: SQLiteStore
    let connection: SQLiteConnection
    let entity: StoredEntity
    let history: HistoryWriter?
    let rows: BatchRows

    init(
        store: SQLiteStore, connection: SQLiteConnection, entity: StoredEntity, history: HistoryWriter?,
        rows: BatchRows
    ) {
        self.store = store
        self.connection = connection
        self.entity = entity
        self.history = history
        self.rows = rows
    }

    private var root: Int { entity.mapping.rootNumber }

    /// Writes the values into all matched rows.
    func run(_ assignments: [BatchChange.Assignment], needsIDs: Bool) throws -> BatchOutcome {
        try checkHolds(assignments)
        var outcome = BatchOutcome(count: try rows.count())
        guard outcome.count > 0 else { return outcome }
        let slots = assignments.map(\.slot)
        try store.dropFiles(where: BatchRows.holds("Z_PK", root), entity: entity, slots: slots, connection: connection)
        try BatchInverses(update: self).keep(assignments, count: outcome.count)
        if let setters = try setters(assignments) {
            try writeAll(setters)
        } else {
            try writeEach(assignments)
        }
        entity.cache.removeAll()
        try BatchInverses(update: self).order(assignments)
        try refreshDerivedValues()
        entity.cache.removeAll()
        if needsIDs || history != nil {
            for row in try rows.all() {
                if needsIDs { outcome.ids.append(store.id(row.key, row.entity)) }
                try history?.update(row.key, row.entity, slots: slots + row.entity.callerDerivedSlots)
            }
        }
        return outcome
    }

    /// Throws an error for a relationship to an entity that only another store has: it has no column.
    private func checkHolds(_ assignments: [BatchChange.Assignment]) throws {
        for assignment in assignments where !entity.fields.contains(where: { $0.slot == assignment.slot }) {
            throw CoreDataError.error(
                .managedObjectExternalRelationship,
                text: "the store does not hold “\(entity.layout.name).\(entity.layout.slots[assignment.slot].name)”",
                userInfo: [NSAffectedStoresErrorKey: store.affectedStores])
        }
    }

    // MARK: All at once

    /// An assignment in SQL.
    private struct Setter {
        var sql: String
        /// Binds its values from an index on, and returns the index after them.
        var bind: (SQLiteStatement, Int32) throws -> Int32
    }

    /// Returns the assignments in SQL, or `nil` if the value of one of them depends on the row in a way that SQL cannot
    /// express.
    private func setters(_ assignments: [BatchChange.Assignment]) throws -> [Setter]? {
        var setters: [Setter] = []
        for assignment in assignments {
            guard let field = entity.fields.first(where: { $0.slot == assignment.slot }),
                let setter = try setter(assignment, field)
            else { return nil }
            setters.append(setter)
        }
        return setters
    }

    private func setter(_ assignment: BatchChange.Assignment, _ field: StoredEntity.Field) throws -> Setter? {
        switch (assignment.value, field.kind) {
        case (.constant(let value), .attribute(let column, let coding)):
            // Each row has its own external file.
            if !value.isNull, entity.externalColumns.contains(where: { $0.slot == field.slot }) { return nil }
            return Setter(sql: "\(SQLName.quoted(column)) = ?") { statement, position in
                try coding.bind(value, to: statement, at: position)
                return position + 1
            }
        case (.constant(let value), .toOne(let columns)):
            let names = columns.names.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: ", ")
            return Setter(sql: names) { statement, position in
                try bind(value, columns: columns, to: statement, at: position)
            }
        case (.expression(let expression), .attribute(let column, _)):
            guard let fragment = try translated(expression, assignment.slot) else { return nil }
            return Setter(sql: "\(SQLName.quoted(column)) = \(fragment.text)") { statement, position in
                statement.bind(fragment.arguments, from: position)
                return position + Int32(fragment.arguments.count)
            }
        case (.constant(let value), .composite(let coding)):
            if !value.isNull, entity.externalColumns.contains(where: { $0.slot == field.slot }) { return nil }
            let names = coding.leaves.map { "\(SQLName.quoted($0.column)) = ?" }.joined(separator: ", ")
            return Setter(sql: names) { statement, position in
                var position = position
                try coding.bind(value, to: statement, at: &position)
                return position
            }
        case (.expression, .toOne), (.expression, .composite): return nil
        }
    }

    /// Returns an expression in SQL over the updated row `t0`, or `nil` if SQL cannot express it or its type would
    /// differ.
    private func translated(_ expression: NSExpression, _ slot: Int) throws -> SQLFragment? {
        guard let model = store.fetchModel, let fetchEntity = model.entity(named: entity.mapping.name),
            let attribute = entity.layout.slots[slot].property as? NSAttributeDescription,
            let requested = SQLType(attribute.attributeType, attribute), requested != .decimal,
            attribute.attributeType != .floatAttributeType
        else { return nil }
        do {
            let scope = try QueryScope(entity.mapping.table, QueryScope.AliasCounter(model.dialect))
            guard scope.alias == Self.alias else { return nil }
            let translator = PredicateTranslator(model, root: ObjectReference(row: scope.alias, fetchEntity, in: scope))
            let tree = expression.tree
            let (sql, type) = try translator.scalar(translator.operand(tree.syntax, BoxTable(tree.boxes)))
            // An updated row cannot be joined with others, and a subquery would see rows that are already updated.
            let isSingleTable = !scope.hasJoins && !sql.text.contains("(SELECT")
            return isSingleTable && type == requested ? sql : nil
        } catch is Untranslatable {
            return nil
        } catch let refusal as UnsupportedRequest {
            misuse("NSInvalidArgumentException", refusal.description)
        }
    }

    private static let alias = "t0"

    private func writeAll(_ setters: [Setter]) throws {
        let statement = try connection.statement(
            "UPDATE \(entity.table) AS \(Self.alias) SET Z_OPT = ifnull(Z_OPT, 0) + 1, "
                + setters.map(\.sql).joined(separator: ", ") + " WHERE \(BatchRows.holds("Z_PK", root))")
        defer { statement.clear() }
        var position: Int32 = 1
        for setter in setters { position = try setter.bind(statement, position) }
        try statement.run()
    }

    // MARK: One by one

    private func writeEach(_ assignments: [BatchChange.Assignment]) throws {
        let found = try rows.all()
        // All are computed before anything is written, because they refer to the objects' old values.
        let values = try rows.evaluation.values(assignments, found.map { store.id($0.key, $0.entity) })
        let fields = assignments.compactMap { assignment in entity.fields.first { $0.slot == assignment.slot } }
        guard fields.count == assignments.count else { return }
        let names = fields.flatMap { field in
            switch field.kind {
            case .attribute(let column, _): [column]
            case .composite(let coding): coding.leaves.map(\.column)
            case .toOne(let columns): columns.names
            }
        }
        let statement = try connection.statement(
            "UPDATE \(entity.table) SET Z_OPT = ifnull(Z_OPT, 0) + 1, "
                + names.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: ", ") + " WHERE Z_PK = ?")
        defer { statement.clear() }
        for (row, computed) in zip(found, values) {
            var position: Int32 = 1
            for (index, field) in fields.enumerated() {
                var value = computed[assignments[index].slot] ?? .null
                if case .constant(let constant) = assignments[index].value { value = constant }
                switch field.kind {
                case .attribute(_, let coding):
                    try coding.bind(value, to: statement, at: position)
                    position += 1
                case .composite(let coding): try coding.bind(value, to: statement, at: &position)
                case .toOne(let columns): position = try bind(value, columns: columns, to: statement, at: position)
                }
            }
            statement.bind(row.key, at: position)
            try statement.run()
        }
    }

    // MARK: Relationships

    /// Binds a to-one relationship. The position in the other side's order is written later.
    func bind(
        _ value: SlotValue, columns: ToOneColumns, to statement: SQLiteStatement, at position: Int32
    ) throws -> Int32 {
        let count = Int32(columns.names.count)
        for index in 0..<count { statement.bindNull(at: position + index) }
        guard case .reference(let id) = value else { return position + count }
        guard case .number(let key) = id.reference, store.holds(id), let other = store.entity(of: id)
        else {
            throw CoreDataError.error(
                .managedObjectExternalRelationship, text: "a batch update cannot relate objects of different stores",
                userInfo: [NSAffectedStoresErrorKey: store.affectedStores])
        }
        statement.bind(key, at: position)
        if columns.entity != nil { statement.bind(Int64(other.number), at: position + 1) }
        return position + count
    }

    // MARK: Derived attributes

    /// Computes the derived attributes that no trigger maintains.
    private func refreshDerivedValues() throws {
        for entity in try rows.entities() {
            let slots = entity.callerDerivedSlots
            let fields = entity.fields.filter { slots.contains($0.slot) }
            guard !fields.isEmpty else { continue }
            let names = fields.map { field in
                if case .attribute(let column, _) = field.kind { "\(SQLName.quoted(column)) = ?" } else { "" }
            }
            let statement = try connection.statement(
                "UPDATE \(entity.table) SET \(names.joined(separator: ", ")) WHERE Z_PK = ?")
            let found = try rows.all().filter { $0.entity === entity }
            try rows.evaluation.forEachDerived(slots, found.map { store.id($0.key, $0.entity) }) { number, values in
                for (index, field) in fields.enumerated() {
                    guard case .attribute(_, let coding) = field.kind else { continue }
                    let value = values.first { $0.slot == field.slot }?.value
                    try coding.bind(value ?? .null, to: statement, at: Int32(index + 1))
                }
                statement.bind(found[number].key, at: Int32(fields.count + 1))
                try statement.run()
            }
        }
    }
}
