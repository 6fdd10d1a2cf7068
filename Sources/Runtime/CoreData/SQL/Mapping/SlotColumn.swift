/// The column or table in which a slot's value is stored.
package enum SlotColumn: Sendable, Equatable {
    /// Nowhere: transient and fetched properties, and relationships to entities in another store.
    case nowhere
    /// In a column of the object's row.
    case attribute(column: String)
    /// In one column of the object's row per element of a composite attribute, in the order of
    /// `CompositeValue.elements(of:)`.
    case composite([ElementColumn])
    /// In columns of the object's row.
    case toOne(ToOneColumns)
    /// In the rows of the members, which have a column with the object's key.
    case inverse(InverseColumns)
    /// In a join table of owners and members.
    case join(JoinSide)

    /// Whether a to-many relationship is written with its owner rather than with its members.
    package var holdsMembers: Bool {
        switch self {
        case .join: true
        case .inverse(let columns): columns.isVirtual
        case .nowhere, .attribute, .composite, .toOne: false
        }
    }

    /// Whether a copy of the rows lacks the members of a to-many relationship, or their order.
    package var needsMembers: Bool {
        if case .inverse(let columns) = self { return columns.isVirtual || columns.order != nil }
        return holdsMembers
    }

    /// Returns whether this is the to-one relationship whose key a column holds.
    package func isToOne(key: String) -> Bool {
        if case .toOne(let columns) = self { columns.key == key } else { false }
    }
}

/// The column of an element of a composite attribute.
package struct ElementColumn: Sendable, Equatable {
    /// The path of names from the attribute to the element.
    package var path: [String]
    package var column: String

    package init(path: [String], column: String) {
        self.path = path
        self.column = column
    }
}

/// The columns of a to-one relationship.
package struct ToOneColumns: Sendable, Equatable {
    /// The column with the key of the other object.
    package var key: String
    /// The column with the entity number of the other object; `nil` if the destination has no subentities.
    package var entity: String?
    /// The column with the object's position in the inverse ordered to-many relationship, or `nil` if it is not
    /// ordered.
    package var order: String?
    /// The number of the destination entity.
    package var destination: Int

    package init(key: String, entity: String? = nil, order: String? = nil, destination: Int) {
        self.key = key
        self.entity = entity
        self.order = order
        self.destination = destination
    }

    /// The names of the columns, in the order in which they are written.
    package var names: [String] { [key, entity, order].compactMap { $0 } }
}

/// The columns from which a to-many relationship is derived: those of its to-one inverse.
package struct InverseColumns: Sendable, Equatable {
    /// The table of the destination.
    package var table: String
    /// Holds the key of the object whose members are fetched.
    package var key: String
    /// The column with the entity number of that object; `nil` if its entity has no subentities.
    package var entity: String?
    /// The column with the position of the member; `nil` if the relationship is not ordered.
    package var order: String?
    /// The number of the destination entity.
    package var destination: Int
    /// Whether the relationship has no inverse, and so is the only one to use the column: the store writes it with the
    /// owner, and a member of one object cannot be a member of another.
    package var isVirtual: Bool

    package init(
        table: String, key: String, entity: String? = nil, order: String? = nil, destination: Int, isVirtual: Bool
    ) {
        self.table = table
        self.key = key
        self.entity = entity
        self.order = order
        self.destination = destination
        self.isVirtual = isVirtual
    }
}

/// A join table from the perspective of one of its two relationships.
package struct JoinSide: Sendable, Equatable {
    package var table: String
    /// Holds the key of the object whose members are fetched.
    package var own: String
    /// The column with the key of the member.
    package var other: String
    /// The column with the position of the member among the object's members; `nil` if the relationship is not ordered.
    package var order: String?
    /// The column with the position of the object among the member's members; `nil` if the inverse is not ordered.
    package var otherOrder: String?
    /// The number of the destination entity.
    package var destination: Int
    /// Whether the relationship is its own inverse, so the table contains each pair in both directions.
    package var isReflexive: Bool

    package init(
        table: String, own: String, other: String, order: String? = nil, otherOrder: String? = nil, destination: Int,
        isReflexive: Bool
    ) {
        self.table = table
        self.own = own
        self.other = other
        self.order = order
        self.otherOrder = otherOrder
        self.destination = destination
        self.isReflexive = isReflexive
    }
}

/// A derived attribute.
package struct DerivedSlot: Sendable, Equatable {
    package var slot: Int
    /// Whether triggers in the file maintain the value, which the store then reads back after a save. Otherwise the
    /// store computes it when it writes the row.
    package var hasTriggers: Bool

    package init(slot: Int, hasTriggers: Bool) {
        self.slot = slot
        self.hasTriggers = hasTriggers
    }
}
