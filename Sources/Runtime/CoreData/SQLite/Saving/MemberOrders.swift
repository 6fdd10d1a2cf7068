/// The rows that a save has added to ordered relationships from their to-one side, and which have no position there
/// yet.
struct MemberOrders {
    /// An ordered relationship of one object.
    struct Owner: Hashable {
        var key: Int64
        /// The entity number of the members.
        var entity: Int
        /// The column of the order.
        var column: String
    }

    /// The members of a relationship that have no position yet.
    struct Waiting {
        var columns: ToOneColumns
        var members: [Int64]
    }

    private var waiting: [Owner: Waiting] = [:]

    /// The relationships in a deterministic order: the position of a row in the file depends on it.
    var inOrder: [(owner: Owner, waiting: Waiting)] {
        waiting.map { (owner: $0.key, waiting: $0.value) }.sorted {
            ($0.owner.entity, $0.owner.column, $0.owner.key) < ($1.owner.entity, $1.owner.column, $1.owner.key)
        }
    }

    mutating func add(_ member: Int64, to owner: Int64, entity: StoredEntity, columns: ToOneColumns) {
        guard let column = columns.order else { return }
        waiting[
            Owner(key: owner, entity: entity.mapping.rootNumber, column: column),
            default: Waiting(columns: columns, members: [])
        ]
        .members.append(member)
    }
}
