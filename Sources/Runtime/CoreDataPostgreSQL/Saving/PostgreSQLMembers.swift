internal import CoreData
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Writes to-many relationships: join tables, the columns of relationships without an inverse, and the order of
/// members.
struct PostgreSQLMembers {
    private let store: PostgreSQLStore
    /// The ordered relationships whose members are to be numbered.
    private var orderings: [Ordering: RequestedMembers] = [:]

    /// The columns of an ordered relationship.
    private struct Ordering: Hashable {
        var table: String
        var owner: String
        var member: String
        var order: String
    }

    /// The owners, and the known positions of members.
    private struct RequestedMembers {
        var owners: Set<Int64> = []
        var placed: [(owner: Int64, member: Int64, position: Int64)] = []
    }

    private struct Pairs {
        var first: [Int64] = []
        var second: [Int64] = []

        mutating func add(_ one: Int64, _ other: Int64) {
            first.append(one)
            second.append(other)
        }

        var parameters: [PostgreSQLValue] { [PostgreSQLValue(first), PostgreSQLValue(second)] }
    }

    init(_ store: PostgreSQLStore) {
        self.store = store
    }

    private static func key(_ id: NSManagedObjectID) -> Int64? {
        if case .number(let key) = id.reference { key } else { nil }
    }

    /// Records the ordered relationships to which a row was added from its to-one side, where it comes last.
    mutating func record(_ row: Row, key: Int64, fields: [PostgreSQLEntity.Field]) {
        for field in fields {
            guard case .toOne(let columns) = field.kind, let order = columns.order,
                case .reference(let id) = row[field.slot], let owner = Self.key(id),
                let destination = store.entity(id.layout)
            else { continue }
            // The column is in the member's table, which the inverse refers to.
            let slot = destination.mapping.slotColumns.first { position in
                if case .inverse(let inverse) = position {
                    inverse.order == order && inverse.key == columns.key
                } else {
                    false
                }
            }
            guard case .inverse(let inverse)? = slot, let schema = store.schema else { continue }
            let ordering = Ordering(
                table: schema.qualified(inverse.table), owner: columns.key, member: "_pk", order: order)
            orderings[ordering, default: RequestedMembers()].owners.insert(owner)
        }
    }

    /// Returns the statements that write the changes of to-many relationships. All rows have already been written.
    mutating func rowCommands(_ changes: [ObjectChange]) -> [Statement] {
        var removed: [String: Pairs] = [:]
        var added: [String: Pairs] = [:]
        for change in changes where change.kind != .delete && !change.members.isEmpty {
            guard let owner = Self.key(change.id), let entity = store.entity(change.layout) else { continue }
            for member in change.members {
                switch entity.mapping.slotColumns[member.slot] {
                case .join(let side): add(member, of: owner, side: side, removed: &removed, added: &added)
                case .inverse(let columns): add(member, of: owner, columns: columns, removed: &removed, added: &added)
                case .nowhere, .attribute, .composite, .toOne: continue
                }
            }
        }
        return (removed.sorted { $0.key < $1.key } + added.sorted { $0.key < $1.key }).map {
            Statement($0.key, $0.value.parameters)
        }
    }

    private mutating func add(
        _ change: ObjectChange.MemberChange, of owner: Int64, side: JoinSide, removed: inout [String: Pairs],
        added: inout [String: Pairs]
    ) {
        guard let table = store.schema?.qualified(side.table) else { return }
        let (own, other) = (PostgreSQLName.quoted(side.own), PostgreSQLName.quoted(side.other))
        let deletion =
            "DELETE FROM \(table) AS j USING unnest($1, $2) AS u(a, b) WHERE j.\(own) = u.a AND j.\(other) = u.b"
        let insertion = PostgreSQLDialect(namespace: store.namespace).insertingNew(
            into: "\(table) (\(own), \(other))", "SELECT u.a, u.b FROM unnest($1, $2) AS u(a, b)")
        for member in change.removed.compactMap(Self.key) {
            removed[deletion, default: Pairs()].add(owner, member)
            if side.isReflexive { removed[deletion, default: Pairs()].add(member, owner) }
        }
        let members = change.added.compactMap(Self.key)
        for member in members {
            added[insertion, default: Pairs()].add(owner, member)
            if side.isReflexive { added[insertion, default: Pairs()].add(member, owner) }
        }
        if let order = side.order {
            let ordering = Ordering(table: table, owner: side.own, member: side.other, order: order)
            position(change.order, of: owner, ordering)
            // In a relationship that is its own inverse, the object comes last among the members of each of its
            // members.
            if side.isReflexive { orderings[ordering, default: RequestedMembers()].owners.formUnion(members) }
        }
        if let order = side.otherOrder {
            let ordering = Ordering(table: table, owner: side.other, member: side.own, order: order)
            orderings[ordering, default: RequestedMembers()].owners.formUnion(members)
        }
    }

    private mutating func add(
        _ change: ObjectChange.MemberChange, of owner: Int64, columns: InverseColumns,
        removed: inout [String: Pairs], added: inout [String: Pairs]
    ) {
        guard let table = store.schema?.qualified(columns.table) else { return }
        let key = PostgreSQLName.quoted(columns.key)
        if columns.isVirtual {
            let reset = columns.order.map { ", \(PostgreSQLName.quoted($0)) = NULL" } ?? ""
            let rows = "FROM unnest($1, $2) AS u(a, b) WHERE t._pk = u.b"
            for member in change.removed.compactMap(Self.key) {
                removed["UPDATE \(table) AS t SET \(key) = NULL\(reset) \(rows) AND t.\(key) = u.a", default: Pairs()]
                    .add(owner, member)
            }
            for member in change.added.compactMap(Self.key) {
                added["UPDATE \(table) AS t SET \(key) = u.a\(reset) \(rows)", default: Pairs()].add(owner, member)
            }
        }
        guard let order = columns.order else { return }
        position(change.order, of: owner, Ordering(table: table, owner: columns.key, member: "_pk", order: order))
    }

    private mutating func position(_ order: [NSManagedObjectID]?, of owner: Int64, _ ordering: Ordering) {
        var requested = orderings[ordering] ?? RequestedMembers()
        requested.owners.insert(owner)
        for (index, member) in (order ?? []).compactMap(Self.key).enumerated() {
            requested.placed.append((owner, member, Int64(index)))
        }
        orderings[ordering] = requested
    }

    /// Returns the statements that number the members of ordered relationships: those with a known position first, then
    /// the others in their current order.
    func orderCommands() -> [Statement] {
        orderings.sorted { ($0.key.table, $0.key.order) < ($1.key.table, $1.key.order) }.map { ordering, requested in
            let (owner, member) = (PostgreSQLName.quoted(ordering.owner), PostgreSQLName.quoted(ordering.member))
            let order = PostgreSQLName.quoted(ordering.order)
            return Statement(
                "UPDATE \(ordering.table) AS t SET \(order) = n.rank FROM ("
                    + "SELECT r.\(owner) AS owner, r.\(member) AS member, \(OrderKeys.step) * row_number() OVER ("
                    + "PARTITION BY r.\(owner) ORDER BY w.ordinal ASC NULLS LAST, r.\(order) ASC NULLS LAST, r.\(member)) AS rank "
                    + "FROM \(ordering.table) r LEFT JOIN unnest($1, $2, $3) AS w(owner, member, ordinal) "
                    + "ON w.owner = r.\(owner) AND w.member = r.\(member) WHERE r.\(owner) = ANY($4)) n "
                    + "WHERE t.\(owner) = n.owner AND t.\(member) = n.member AND t.\(order) IS DISTINCT FROM n.rank",
                [
                    PostgreSQLValue(requested.placed.map(\.owner)),
                    PostgreSQLValue(requested.placed.map(\.member)),
                    PostgreSQLValue(requested.placed.map(\.position)),
                    PostgreSQLValue(requested.owners.sorted()),
                ])
        }
    }
}
