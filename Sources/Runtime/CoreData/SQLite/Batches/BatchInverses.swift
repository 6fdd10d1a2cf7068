internal import Foundation

/// Updates the inverses of to-one relationships that a batch update changes.
///
/// A to-many inverse of a to-one relationship follows from it, except for its order. A to-one inverse has its own
/// column.
struct BatchInverses {
    let update: BatchUpdate

    private var store: SQLiteStore { update.store }
    private var connection: SQLiteConnection { update.connection }

    // MARK: One to one

    /// Clears the inverses in the rows' former partners, and sets that of the new one. Called before the rows are
    /// written.
    ///
    /// - Throws: An error with the code 134030 if several rows would have the same partner, which can only have one.
    func keep(_ assignments: [BatchChange.Assignment], count: Int) throws {
        for assignment in assignments {
            guard let pair = OneToOneColumns(assignment.slot, of: update.entity, in: store) else { continue }
            guard case .constant(let value) = assignment.value else { throw pair.failure(in: store) }
            let rows = BatchRows.holds(SQLName.quoted(pair.inverse.key), update.entity.mapping.rootNumber)
            try clear(pair.inverse, of: pair.destination, pair.inverseName, where: rows)
            guard case .reference(let id) = value, case .number(let partner) = id.reference else { continue }
            guard count == 1, let row = try update.rows.all().first else { throw pair.failure(in: store) }
            try clear(
                pair.own, of: update.entity, pair.name,
                where: "\(SQLName.quoted(pair.own.key)) = \(partner) AND Z_PK <> \(row.key)")
            var setters = ["\(SQLName.quoted(pair.inverse.key)) = \(row.key)", "Z_OPT = ifnull(Z_OPT, 0) + 1"]
            if let column = pair.inverse.entity { setters.append("\(SQLName.quoted(column)) = \(row.entity.number)") }
            try change(pair.destination, name: pair.inverseName, where: "Z_PK = \(partner)", setters: setters)
        }
    }

    private func clear(
        _ columns: ToOneColumns, of entity: StoredEntity, _ name: String, where condition: String
    ) throws {
        let setters = columns.names.map { "\(SQLName.quoted($0)) = NULL" }
        try change(entity, name: name, where: condition, setters: setters + ["Z_OPT = ifnull(Z_OPT, 0) + 1"])
    }

    /// Changes rows other than those of the request.
    private func change(_ entity: StoredEntity, name: String, where condition: String, setters: [String]) throws {
        try store.recordUpdates(
            of: name, entity: entity, where: condition, history: update.history, connection: connection)
        try connection.execute(
            "UPDATE \(entity.table) SET \(setters.joined(separator: ", ")) WHERE \(condition)")
        entity.cache.removeAll()
    }

    // MARK: Order

    /// Appends the rows to the members of an ordered relationship.
    func order(_ assignments: [BatchChange.Assignment]) throws {
        var orders = MemberOrders()
        for assignment in assignments {
            guard case .constant(.reference(let id)) = assignment.value, case .number(let owner) = id.reference,
                case .toOne(let columns) = update.entity.mapping.slotColumns[assignment.slot], columns.order != nil
            else { continue }
            for row in try update.rows.all() { orders.add(row.key, to: owner, entity: row.entity, columns: columns) }
        }
        let writer = MemberWriter(store, connection)
        writer.write(orders)
        try writer.sortAll()
    }
}

extension SQLiteStore {
    /// Records in the history that a property of rows is about to be changed.
    func recordUpdates(
        of name: String, entity: StoredEntity, where condition: String, history: HistoryWriter?,
        connection: SQLiteConnection
    ) throws {
        guard let history else { return }
        let statement = try connection.statement(
            "SELECT Z_PK, \(entity.numberColumn()) FROM \(entity.table) WHERE \(condition) ORDER BY Z_PK")
        defer { statement.reset() }
        while try statement.step() {
            guard let entity = self.entity(number: Int(truncatingIfNeeded: statement.integer(1))),
                let slot = entity.layout.index(of: name)
            else { continue }
            try history.update(statement.integer(0), entity, slots: [slot])
        }
    }
}
