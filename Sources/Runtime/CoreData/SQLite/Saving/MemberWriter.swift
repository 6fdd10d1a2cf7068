/// Writes to-many relationships: join tables, the columns of relationships without an inverse, and the order of
/// members, which `sortAll()` writes once for each owner after everything else.
final class MemberWriter {
    private let store: SQLiteStore
    private let connection: SQLiteConnection
    /// The ordered relationships to sort, in the order in which they were first changed.
    private var sorts: [(ordering: Ordering, owner: Int64, requested: [Int64])] = []
    private var sortPositions: [SortKey: Int] = [:]

    /// An ordered relationship of one object.
    private struct SortKey: Hashable {
        var ordering: Ordering
        var owner: Int64
    }

    init(_ store: SQLiteStore, _ connection: SQLiteConnection) {
        self.store = store
        self.connection = connection
    }

    private func run(_ sql: String, _ values: Int64?...) throws {
        let statement = try connection.statement(sql)
        for (index, value) in values.enumerated() {
            if let value {
                statement.bind(value, at: Int32(index + 1))
            } else {
                statement.bindNull(at: Int32(index + 1))
            }
        }
        try statement.run()
    }

    private static func key(_ id: NSManagedObjectID) -> Int64? {
        if case .number(let key) = id.reference { key } else { nil }
    }

    /// Returns the keys of members, sorted: the order of an unordered relationship's members differs between runs, but
    /// the position of a row in the file must not.
    private static func keys(_ ids: [NSManagedObjectID]) -> [Int64] { ids.compactMap(key).sorted() }

    // MARK: Changes

    /// Writes the change of an object's relationship. All rows have already been written.
    func write(_ change: ObjectChange.MemberChange, of key: Int64, _ entity: StoredEntity) throws {
        switch entity.mapping.slotColumns[change.slot] {
        case .join(let side): try write(change, of: key, side)
        case .inverse(let columns): try write(change, of: key, columns)
        case .nowhere, .attribute, .composite, .toOne: return
        }
    }

    private func write(_ change: ObjectChange.MemberChange, of key: Int64, _ side: JoinSide) throws {
        let (table, own, other) = (SQLName.quoted(side.table), SQLName.quoted(side.own), SQLName.quoted(side.other))
        for member in change.removed.compactMap(Self.key) {
            try run("DELETE FROM \(table) WHERE \(own) = ? AND \(other) = ?", key, member)
            if side.isReflexive { try run("DELETE FROM \(table) WHERE \(own) = ? AND \(other) = ?", member, key) }
        }
        for member in Self.keys(change.added) {
            let insertion = SQLiteDialect().insertingNew(into: "\(table)(\(own), \(other))", "VALUES(?, ?)")
            try run(insertion, key, member)
            if side.isReflexive { try run(insertion, member, key) }
        }
        if let order = side.order {
            record(
                change.order?.compactMap(Self.key) ?? [],
                Ordering(table: table, owner: own, member: other, order: SQLName.quoted(order)), of: key)
        }
        if let order = side.otherOrder {
            // If the other side is ordered, this object comes last.
            let ordering = Ordering(table: table, owner: other, member: own, order: SQLName.quoted(order))
            for member in Self.keys(change.added) { record([], ordering, of: member) }
        }
        if side.isReflexive, let order = side.order {
            let ordering = Ordering(table: table, owner: own, member: other, order: SQLName.quoted(order))
            for member in Self.keys(change.added) { record([], ordering, of: member) }
        }
    }

    private func write(_ change: ObjectChange.MemberChange, of key: Int64, _ columns: InverseColumns) throws {
        guard let destination = store.entity(number: columns.destination) else { return }
        let (table, own) = (destination.table, SQLName.quoted(columns.key))
        let order = columns.order.map(SQLName.quoted)
        if columns.isVirtual {
            let reset = order.map { ", \($0) = NULL" } ?? ""
            for member in change.removed.compactMap(Self.key) {
                try run("UPDATE \(table) SET \(own) = NULL\(reset) WHERE Z_PK = ? AND \(own) = ?", member, key)
            }
            for member in Self.keys(change.added) {
                try run("UPDATE \(table) SET \(own) = ?\(reset) WHERE Z_PK = ?", key, member)
            }
        }
        guard let order else { return }
        record(
            change.order?.compactMap(Self.key) ?? [],
            Ordering(table: table, owner: own, member: "Z_PK", order: order), of: key)
    }

    /// Appends members that were added from their to-one side.
    func write(_ orders: MemberOrders) {
        for (owner, waiting) in orders.inOrder {
            guard let entity = store.entity(number: owner.entity) else { continue }
            record(
                [],
                Ordering(
                    table: entity.table, owner: SQLName.quoted(waiting.columns.key), member: "Z_PK",
                    order: SQLName.quoted(owner.column)), of: owner.key)
        }
    }

    // MARK: Order

    /// The columns of an ordered relationship.
    private struct Ordering: Hashable {
        var table: String
        var owner: String
        var member: String
        var order: String
    }

    /// Schedules the sorting of an object's members: as the object's own change has them, or with new ones at the end.
    private func record(_ requested: [Int64], _ ordering: Ordering, of owner: Int64) {
        let key = SortKey(ordering: ordering, owner: owner)
        if let position = sortPositions[key] {
            if !requested.isEmpty { sorts[position].requested = requested }
        } else {
            sortPositions[key] = sorts.count
            sorts.append((ordering, owner, requested))
        }
    }

    /// Writes the positions of the members of all changed ordered relationships.
    func sortAll() throws {
        for (ordering, owner, requested) in sorts { try sort(requested, ordering, of: owner) }
        sorts = []
        sortPositions = [:]
    }

    /// Sorts the members of an object; those not listed stay at the end, in their order.
    private func sort(_ requested: [Int64], _ ordering: Ordering, of key: Int64) throws {
        let (table, owner, member, order) = (ordering.table, ordering.owner, ordering.member, ordering.order)
        if requested.isEmpty, try appendOnly(ordering, of: key) { return }
        let read = try connection.statement(
            "SELECT \(member), \(order) FROM \(table) WHERE \(owner) = ? ORDER BY \(order) IS NULL, \(order), \(member)"
        )
        defer { read.reset() }
        read.bind(key, at: 1)
        var stored: [Int64] = []
        var keys: [Int64: Int64?] = [:]
        while try read.step() {
            stored.append(read.integer(0))
            keys[read.integer(0)] = read.isNull(1) ? .some(nil) : read.integer(1)
        }
        let listed = Set(requested)
        let sorted = requested.filter { keys[$0] != nil } + stored.filter { !listed.contains($0) }
        let old = sorted.map { keys[$0] ?? nil }
        for (position, new) in OrderKeys.keys(old).enumerated() where old[position] != new {
            try run("UPDATE \(table) SET \(order) = ? WHERE \(owner) = ? AND \(member) = ?", new, key, sorted[position])
        }
    }

    /// Assigns the next positions to members without one, without reading the other members.
    private func appendOnly(_ ordering: Ordering, of key: Int64) throws -> Bool {
        let (table, owner, member, order) = (ordering.table, ordering.owner, ordering.member, ordering.order)
        let last = try connection.statement("SELECT max(\(order)) FROM \(table) WHERE \(owner) = ?")
        defer { last.reset() }
        last.bind(key, at: 1)
        guard try last.step() else { return false }
        let top = last.isNull(0) ? OrderKeys.first - OrderKeys.step : last.integer(0)
        last.reset()
        let read = try connection.statement(
            "SELECT \(member) FROM \(table) WHERE \(owner) = ? AND \(order) IS NULL ORDER BY \(member)")
        defer { read.reset() }
        read.bind(key, at: 1)
        var members: [Int64] = []
        while try read.step() { members.append(read.integer(0)) }
        guard top < Int64.max - Int64(members.count + 1) * OrderKeys.step else { return false }
        for (index, waiting) in members.enumerated() {
            let position = top + Int64(index + 1) * OrderKeys.step
            try run("UPDATE \(table) SET \(order) = ? WHERE \(owner) = ? AND \(member) = ?", position, key, waiting)
        }
        return true
    }

    // MARK: Deletion

    /// Removes a deleted object from all join tables, and clears its relationships without an inverse in the rows of
    /// their members.
    func remove(_ key: Int64, _ entity: StoredEntity) throws {
        for position in entity.mapping.slotColumns {
            switch position {
            case .join(let side):
                try run("DELETE FROM \(SQLName.quoted(side.table)) WHERE \(SQLName.quoted(side.own)) = ?", key)
                if side.isReflexive {
                    try run("DELETE FROM \(SQLName.quoted(side.table)) WHERE \(SQLName.quoted(side.other)) = ?", key)
                }
            case .inverse(let columns) where columns.isVirtual:
                guard let destination = store.entity(number: columns.destination) else { continue }
                let reset = columns.order.map { ", \(SQLName.quoted($0)) = NULL" } ?? ""
                let own = SQLName.quoted(columns.key)
                try run("UPDATE \(destination.table) SET \(own) = NULL\(reset) WHERE \(own) = ?", key)
            case .nowhere, .attribute, .composite, .toOne, .inverse: continue
            }
        }
    }
}
